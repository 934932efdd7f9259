#include "apiserver/kinds/pod/affinity.h"

#include "apiserver/json_names.h"

#include <map>
#include <set>
#include <string>

namespace allot::apiserver {

namespace {

constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";

void CheckWeight(const FieldPath& field, const json::Value& term, FieldErrors& errors) {
  const int64_t weight = IntOf(term["weight"]);
  if (weight < 1 || weight > 100) errors.Invalid(field.Child("weight"), weight, "must be in the range 1-100");
}

// Checks keys of labels whose values, taken from the Pod, are added to the selector.
void CheckLabelKeys(const FieldPath& field, const json::Value& keys, const json::Value& selector, FieldErrors& errors) {
  if (ItemsOf(keys).empty()) return;
  if (!IsSet(selector)) return errors.Forbidden(field, "must not be specified when labelSelector is not set");
  Each(field, keys, [&](const FieldPath& path, const json::Value& key) { CheckLabelKey(path, TextOf(key), errors); });
}

void CheckMatchLabelKeys(const FieldPath& field, const json::Value& term, FieldErrors& errors) {
  const json::Value& selector = term["labelSelector"];
  const FieldPath match = field.Child("matchLabelKeys");
  CheckLabelKeys(match, term["matchLabelKeys"], selector, errors);
  CheckLabelKeys(field.Child("mismatchLabelKeys"), term["mismatchLabelKeys"], selector, errors);

  std::map<std::string_view, size_t> keys;
  std::set<std::string_view> selected, mismatched;
  const auto items = ItemsOf(term["matchLabelKeys"]);
  for (size_t i = 0; i < items.size(); ++i) keys[TextOf(items[i])] = i;
  for (const json::Member& label : MembersOf(selector["matchLabels"])) selected.insert(label.key);
  for (const json::Value& expression : ItemsOf(selector["matchExpressions"])) {
    const std::string_view key = TextOf(expression["key"]);
    const auto found = keys.find(key);
    if (!selected.insert(key).second && found != keys.end()) {
      errors.Invalid(field.Index(found->second), key, "exists in both matchLabelKeys and labelSelector");
    }
  }
  for (const json::Value& key : ItemsOf(term["mismatchLabelKeys"])) mismatched.insert(TextOf(key));
  Each(match, term["matchLabelKeys"], [&](const FieldPath& path, const json::Value& key) {
    if (mismatched.contains(TextOf(key))) errors.Invalid(path, TextOf(key), "exists in both matchLabelKeys and mismatchLabelKeys");
  });
}

void CheckPodTerm(const FieldPath& field, const json::Value& term, FieldErrors& errors) {
  CheckLabelSelector(field.Child("labelSelector"), term["labelSelector"], errors);
  CheckLabelSelector(field.Child("namespaceSelector"), term["namespaceSelector"], errors);
  for (const json::Value& space : ItemsOf(term["namespaces"])) CheckDnsLabel(field.Child("namespace"), TextOf(space), errors);
  CheckMatchLabelKeys(field, term, errors);
  const std::string_view key = TextOf(term["topologyKey"]);
  if (key.empty()) errors.Required(field.Child("topologyKey"), "can not be empty");
  CheckLabelKey(field.Child("topologyKey"), key, errors);
}

// A preference may name invalid label values: Kubernetes accepted them before it validated them, and still does.
void CheckPreference(const FieldPath& field, const json::Value& term, FieldErrors& errors) {
  const FieldPath expressions = field.Child("matchExpressions");
  FieldErrors found;
  CheckNodeSelectorTerm(field, term, found);
  for (const FieldError& error : found.all()) {
    const bool of_value = error.field.starts_with(expressions.text()) && error.field.find("].values[") != std::string::npos;
    if (!of_value) errors.Add(error.reason, FieldPath(std::string_view(error.field)), error.message);
  }
}

void CheckPodAffinity(const FieldPath& field, const json::Value& affinity, FieldErrors& errors) {
  Each(field.Child(kRequired), affinity[kRequired],
       [&](const FieldPath& path, const json::Value& term) { CheckPodTerm(path, term, errors); });
  Each(field.Child(kPreferred), affinity[kPreferred], [&](const FieldPath& path, const json::Value& term) {
    CheckWeight(path, term, errors);
    CheckPodTerm(path.Child("podAffinityTerm"), term["podAffinityTerm"], errors);
  });
}

void CheckToleration(const FieldPath& field, const json::Value& toleration, FieldErrors& errors) {
  const std::string_view key = TextOf(toleration["key"]);
  const std::string_view op = TextOf(toleration["operator"]);
  const std::string_view value = TextOf(toleration["value"]);
  const std::string_view effect = TextOf(toleration["effect"]);
  if (!key.empty()) CheckLabelKey(field.Child("key"), key, errors);
  if (key.empty() && op != "Exists") {
    errors.Invalid(field.Child("operator"), op,
                   "operator must be Exists when `key` is empty, which means \"match all values and all keys\"");
  }
  if (IsSet(toleration["tolerationSeconds"]) && effect != "NoExecute") {
    errors.Invalid(field.Child("effect"), effect, "effect must be 'NoExecute' when `tolerationSeconds` is set");
  }
  if (op == "Exists") {
    if (!value.empty()) errors.Invalid(field.Child("operator"), value, "value must be empty when `operator` is 'Exists'");
  } else if (op.empty() || op == "Equal") {
    if (const Problems problems = LabelValueProblems(value); !problems.empty()) {
      errors.Invalid(field.Child("operator"), value, Join(problems, ";"));
    }
  } else if (op == "Lt" || op == "Gt") {
    // The feature gate of Lt and Gt is off in 1.36.
    errors.NotSupported(field.Child("operator"), op, {"Equal", "Exists", "Lt", "Gt"});
  } else {
    errors.NotSupported(field.Child("operator"), op, {"Equal", "Exists"});
  }
  if (!effect.empty()) CheckTaintEffect(field.Child("effect"), effect, errors);
}

void CheckSpread(const FieldPath& field, const json::Value& constraint, FieldErrors& errors) {
  const int64_t skew = IntOf(constraint["maxSkew"]);
  if (skew <= 0) errors.Invalid(field.Child("maxSkew"), skew, "must be greater than zero");
  if (TextOf(constraint["topologyKey"]).empty()) errors.Required(field.Child("topologyKey"), "can not be empty");
  const std::string_view action = TextOf(constraint["whenUnsatisfiable"]);
  CheckSupported(field.Child("whenUnsatisfiable"), action, {"DoNotSchedule", "ScheduleAnyway"}, errors);
  if (const json::Value& domains = constraint["minDomains"]; IsSet(domains)) {
    const FieldPath path = field.Child("minDomains");
    if (IntOf(domains) <= 0) errors.Invalid(path, IntOf(domains), "must be greater than zero");
    if (action != "DoNotSchedule") {
      errors.Invalid(path, IntOf(domains), StrCat("can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ", action));
    }
  }
  for (const std::string_view name : {"nodeAffinityPolicy", "nodeTaintsPolicy"}) {
    if (IsSet(constraint[name])) CheckSupported(field.Child(name), TextOf(constraint[name]), {"Honor", "Ignore"}, errors);
  }
  CheckMatchLabelKeys(field, constraint, errors);
  CheckLabelSelector(field.Child("labelSelector"), constraint["labelSelector"], errors);
}

}  // namespace

void CheckAffinity(const FieldPath& field, const json::Value& affinity, FieldErrors& errors) {
  const json::Value& node = affinity["nodeAffinity"];
  const FieldPath node_field = field.Child("nodeAffinity");
  if (IsSet(node[kRequired])) CheckNodeSelector(node_field.Child(kRequired), node[kRequired], errors);
  Each(node_field.Child(kPreferred), node[kPreferred], [&](const FieldPath& path, const json::Value& term) {
    CheckWeight(path, term, errors);
    CheckPreference(path.Child("preference"), term["preference"], errors);
  });
  CheckPodAffinity(field.Child("podAffinity"), affinity["podAffinity"], errors);
  CheckPodAffinity(field.Child("podAntiAffinity"), affinity["podAntiAffinity"], errors);
}

void CheckTaintEffect(const FieldPath& field, std::string_view effect, FieldErrors& errors) {
  CheckSupported(field, effect, {"NoSchedule", "PreferNoSchedule", "NoExecute"}, errors);
}

void CheckTolerations(const FieldPath& field, const json::Value& tolerations, FieldErrors& errors) {
  Each(field, tolerations, [&](const FieldPath& path, const json::Value& toleration) { CheckToleration(path, toleration, errors); });
}

void CheckTopologySpread(const FieldPath& field, const json::Value& constraints, FieldErrors& errors) {
  // A duplicate pair is reported at each of its constraints except the last.
  std::map<std::string, size_t> left;
  const auto pair_of = [](const json::Value& one) {
    return StrCat("{", TextOf(one["topologyKey"]), ", ", TextOf(one["whenUnsatisfiable"]), "}");
  };
  for (const json::Value& constraint : ItemsOf(constraints)) ++left[pair_of(constraint)];
  Each(field, constraints, [&](const FieldPath& path, const json::Value& constraint) {
    CheckSpread(path, constraint, errors);
    const std::string pair = pair_of(constraint);
    if (--left[pair] > 0) errors.Duplicate(path.Child("{topologyKey, whenUnsatisfiable}"), pair);
  });
}

}  // namespace allot::apiserver

#include "apiserver/kinds/job_checks.h"

#include <vector>

#include "apiserver/json_names.h"
#include "apiserver/kinds/pod/template.h"

namespace allot::apiserver {

namespace {

constexpr int64_t kMaxIndexed = 100'000;
constexpr int64_t kManyCompletions = 100'000;
constexpr int64_t kMaxWithMany = 10'000;
constexpr size_t kMaxManagedBy = 63;

void CheckIndexed(const FieldPath& field, const Value& spec, FieldErrors& errors) {
  const Value& completions = spec["completions"];
  const Value& parallelism = spec["parallelism"];
  const Value& failed = spec["maxFailedIndexes"];
  const FieldPath failed_field = field.Child("maxFailedIndexes");
  if (!IsSet(completions)) errors.Required(field.Child("completions"), "when completion mode is Indexed");
  if (IntOf(parallelism) > kMaxIndexed) {
    errors.Invalid(field.Child("parallelism"), IntOf(parallelism),
                   StrCat("must be less than or equal to ", kMaxIndexed, " when completion mode is Indexed"));
  }
  if (IsSet(completions) && IntOf(failed) > IntOf(completions)) {
    errors.Invalid(failed_field, IntOf(failed), "must be less than or equal to completions");
  }
  if (IntOf(failed) > kMaxIndexed) errors.Invalid(failed_field, IntOf(failed), StrCat("must be less than or equal to ", kMaxIndexed));
  if (IntOf(completions) <= kManyCompletions || !IsSet(spec["backoffLimitPerIndex"])) return;

  const std::string limit = StrCat("must be less than or equal to ", kMaxWithMany, " when completions are above ", kManyCompletions,
                                   " and used with backoff limit per index");
  if (!IsSet(failed)) errors.Required(failed_field, StrCat("must be specified when completions is above ", kManyCompletions));
  if (IntOf(parallelism) > kMaxWithMany) errors.Invalid(field.Child("parallelism"), IntOf(parallelism), limit);
  if (IntOf(failed) > kMaxWithMany) errors.Invalid(failed_field, IntOf(failed), limit);
}

void CheckMode(const FieldPath& field, const Value& spec, FieldErrors& errors) {
  const Value& mode = spec["completionMode"];
  if (IsSet(mode)) CheckSupported(field.Child("completionMode"), TextOf(mode), {"NonIndexed", "Indexed"}, errors);
  if (TextOf(mode) == "Indexed") return CheckIndexed(field, spec, errors);
  if (IsSet(mode) && TextOf(mode) != "NonIndexed") return;
  for (const std::string_view name : {"backoffLimitPerIndex", "maxFailedIndexes"}) {
    if (IsSet(spec[name])) errors.Invalid(field.Child(name), IntOf(spec[name]), "requires indexed completion mode");
  }
}

void CheckManagedBy(const FieldPath& field, const Value& value, FieldErrors& errors) {
  if (!IsSet(value)) return;
  const std::string_view text = TextOf(value);
  const size_t slash = text.find('/');
  if (text.empty()) {
    errors.Required(field);
  } else if (slash == std::string_view::npos || slash == 0 || slash + 1 == text.size()) {
    errors.Invalid(field, text, "must be a domain-prefixed path (such as \"acme.io/foo\")");
  } else {
    CheckDnsSubdomain(field, text.substr(0, slash), errors);
  }
  if (text.size() > kMaxManagedBy) errors.TooLong(field, kMaxManagedBy);
}

void CheckRestartPolicy(const FieldPath& field, const Value& spec, FieldErrors& errors) {
  const std::string_view policy = TextOf(spec["template"]["spec"]["restartPolicy"]);
  if (policy == "Always" || policy.empty()) {
    errors.Required(field, "valid values: \"OnFailure\", \"Never\"");
  } else if (policy != "OnFailure" && policy != "Never") {
    errors.NotSupported(field, policy, {"OnFailure", "Never"});
  } else if (IsSet(spec["podFailurePolicy"]) && policy != "Never") {
    errors.Invalid(field, policy, "only \"Never\" is supported when podFailurePolicy is specified");
  }
}

// Checks the labels that the server generated, by which the selector finds the Job's Pods.
void CheckGenerated(const Value& job, bool selector_is_valid, FieldErrors& errors) {
  const Value& spec = job["spec"];
  if (json::IsTrue(spec["manualSelector"]) || !IsSet(spec["selector"])) return;
  const Value& labels = spec["template"]["metadata"]["labels"];
  const FieldPath field = FieldPath("spec").Child("template").Child("metadata").Child("labels");
  const auto check = [&](std::string_view key, std::string_view expected) {
    const std::string detail = StrCat("must be '", expected, "'");
    if (!IsSet(labels[key])) return errors.Required(field.Key(key), detail);
    if (TextOf(labels[key]) != expected) errors.Invalid(field.Key(key), labels, detail);
  };
  const std::string_view uid = TextOf(job["metadata"]["uid"]);
  const std::string_view name = TextOf(job["metadata"]["name"]);
  check("controller-uid", uid);
  check("job-name", name);
  check("batch.kubernetes.io/controller-uid", uid);
  check("batch.kubernetes.io/job-name", name);

  json::Arena arena;
  Editor edit(arena);
  const Value expected = edit.Object({{"controller-uid", job["metadata"]["uid"]},
                                      {"job-name", job["metadata"]["name"]},
                                      {"batch.kubernetes.io/controller-uid", job["metadata"]["uid"]},
                                      {"batch.kubernetes.io/job-name", job["metadata"]["name"]}});
  if (selector_is_valid && !SelectorMatches(spec["selector"], expected)) {
    errors.Invalid(FieldPath("spec").Child("selector"), spec["selector"], "`selector` not auto-generated");
  }
}

// Returns the old template with the scheduling directives of the new one, which a suspended Job may change.
Value WithNewDirectives(Editor& edit, const Value& old, const Value& now) {
  Value result = old;
  const auto take = [&](std::initializer_list<std::string_view> path, const Value& value) {
    result = IsSet(value) ? edit.SetAt(result, path, value) : edit.WithoutAt(result, path);
  };
  take({"metadata", "annotations"}, now["metadata"]["annotations"]);
  take({"metadata", "labels"}, now["metadata"]["labels"]);
  for (const std::string_view name : {"nodeSelector", "tolerations", "schedulingGates"}) take({"spec", name}, now["spec"][name]);
  Value affinity = edit.Without(result["spec"]["affinity"], "nodeAffinity");
  if (const Value& nodes = now["spec"]["affinity"]["nodeAffinity"]; IsSet(nodes)) affinity = edit.Set(affinity, "nodeAffinity", nodes);
  const bool empty = MembersOf(affinity).empty() && !IsSet(now["spec"]["affinity"]);
  take({"spec", "affinity"}, empty ? Value() : affinity);
  for (const std::string_view list : {"containers", "initContainers"}) {
    const auto after = ItemsOf(now["spec"][list]);
    std::vector<Value> containers(ItemsOf(result["spec"][list]).begin(), ItemsOf(result["spec"][list]).end());
    if (containers.empty() || containers.size() != after.size()) continue;
    for (size_t i = 0; i < containers.size(); ++i) {
      if (TextOf(containers[i]["name"]) != TextOf(after[i]["name"]) || !IsSet(after[i]["resources"])) continue;
      containers[i] = edit.Set(containers[i], "resources", after[i]["resources"]);
    }
    take({"spec", list}, edit.Array(containers));
  }
  return result;
}

void CheckTemplateUpdate(const FieldPath& field, const Value& job, const Value& old, FieldErrors& errors) {
  json::Arena arena;
  Editor edit(arena);
  const Value& now = job["spec"]["template"];
  Value before = old["spec"]["template"];
  const Value& status = old["status"];
  const bool stopped = json::IsTrue(old["spec"]["suspend"]) && IntOf(status["active"]) == 0 &&
                       (!IsSet(status["startTime"]) || HasTrueCondition(old, "Suspended"));
  if (stopped) before = WithNewDirectives(edit, before, now);
  if (json::Equal(now, before)) return;
  errors.Invalid(stopped && json::Equal(now["metadata"], before["metadata"]) ? field.Child("spec") : field, now, "field is immutable");
}

}  // namespace

void CheckJobSpec(const Value& job, FieldErrors& errors) {
  const FieldPath field("spec");
  const Value& spec = job["spec"];
  const Value& selector = spec["selector"];
  FieldErrors selector_errors;
  CheckLabelSelector(field.Child("selector"), selector, selector_errors);
  CheckGenerated(job, selector_errors.empty(), errors);
  CheckNonnegativeMembers(field, spec,
                          {"parallelism", "completions", "activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished",
                           "backoffLimitPerIndex", "maxFailedIndexes"},
                          errors);
  if (IsSet(spec["maxFailedIndexes"]) && !IsSet(spec["backoffLimitPerIndex"])) {
    errors.Required(field.Child("backoffLimitPerIndex"), "when maxFailedIndexes is specified");
  }
  CheckManagedBy(field.Child("managedBy"), spec["managedBy"], errors);
  CheckMode(field, spec, errors);
  CheckJobPolicies(field, spec, errors);
  CheckPodTemplate(field.Child("template"), spec["template"], errors);
  CheckRestartPolicy(field.Child("template").Child("spec").Child("restartPolicy"), spec, errors);

  if (!IsSet(selector)) errors.Required(field.Child("selector"));
  CheckLabelSelector(field.Child("selector"), selector, errors);
  const Value& labels = spec["template"]["metadata"]["labels"];
  if (selector_errors.empty() && !SelectorMatches(selector, labels)) {
    errors.Invalid(field.Child("template").Child("metadata").Child("labels"), labels, "`selector` does not match template `labels`");
  }
  // The name of the last Pod is also its host name.
  if (TextOf(spec["completionMode"]) != "Indexed" || IntOf(spec["completions"]) <= 0) return;
  const std::string_view name = TextOf(job["metadata"]["name"]);
  const std::string host = StrCat(name, "-", IntOf(spec["completions"]) - 1);
  if (DnsLabelProblems(host).empty()) return;
  errors.Invalid(FieldPath("metadata").Child("name"), name, StrCat("will not able to create pod with invalid DNS label: ", host));
}

void CheckJobSpecUpdate(const Value& job, const Value& old, FieldErrors& errors) {
  const FieldPath field("spec");
  const Value& now = job["spec"];
  const Value& before = old["spec"];
  const FieldPath completions = field.Child("completions");
  if (TextOf(now["completionMode"]) != "Indexed") {
    CheckImmutable(completions, now["completions"], before["completions"], errors);
  } else if (!json::Equal(now["completions"], before["completions"]) && IsSet(now["completions"]) &&
             IntOf(now["completions"]) != IntOf(now["parallelism"])) {
    errors.Invalid(completions, IntOf(now["completions"]), "can only be modified in tandem with spec.parallelism");
  }
  CheckTemplateUpdate(field.Child("template"), job, old, errors);
  for (const std::string_view name :
       {"selector", "completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy"}) {
    CheckImmutable(field.Child(name), now[name], before[name], errors);
  }
}

}  // namespace allot::apiserver

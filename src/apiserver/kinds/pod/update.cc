#include <map>
#include <set>
#include <string>
#include <vector>

#include "apiserver/json_names.h"
#include "apiserver/kinds/core_checks.h"
#include "apiserver/kinds/pod/pod.h"
#include "apiserver/kinds/pod/spec.h"

namespace allot::apiserver {

namespace {

constexpr int64_t kMaxInt32 = 2147483647;
constexpr std::string_view kAppArmor = "container.apparmor.security.beta.kubernetes.io/";
constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";

// Returns false if the remaining checks make no sense.
bool CheckDeadline(const Value& spec, const Value& old, FieldErrors& errors) {
  const FieldPath field = FieldPath("spec").Child("activeDeadlineSeconds");
  const Value& now = spec["activeDeadlineSeconds"];
  const Value& before = old["activeDeadlineSeconds"];
  if (!IsSet(now)) {
    if (IsSet(before)) errors.Invalid(field, now, "must not update from a positive integer to nil value");
    return true;
  }
  // The checks of the spec report a value out of range.
  if (IntOf(now) < 0 || IntOf(now) > kMaxInt32) return false;
  if (!IsSet(before) || IntOf(now) <= IntOf(before)) return true;
  errors.Invalid(field, IntOf(now), "must be less than or equal to previous value");
  return false;
}

// Old tolerations must stay; only tolerationSeconds may change.
void CheckTolerationsOnlyAdded(Editor& edit, const Value& spec, const Value& old, FieldErrors& errors) {
  std::set<std::string> now;
  const auto key = [&](const Value& toleration) { return json::Write(edit.Without(toleration, "tolerationSeconds")); };
  for (const Value& toleration : ItemsOf(spec["tolerations"])) now.insert(key(toleration));
  for (const Value& toleration : ItemsOf(old["tolerations"])) {
    if (now.contains(key(toleration))) continue;
    return errors.Forbidden(FieldPath("spec").Child("tolerations"), "existing toleration can not be modified except its tolerationSeconds");
  }
}

void CheckGatesOnlyRemoved(const Value& spec, const Value& old, FieldErrors& errors) {
  std::set<std::string_view> before;
  for (const Value& gate : ItemsOf(old["schedulingGates"])) before.insert(TextOf(gate["name"]));
  Each(FieldPath("spec").Child("schedulingGates"), spec["schedulingGates"], [&](const FieldPath& path, const Value& gate) {
    const std::string_view name = TextOf(gate["name"]);
    if (before.contains(name)) return;
    errors.Forbidden(path.Child("name"), StrCat("only deletion is allowed, but found new scheduling gate '", name, "'"));
  });
}

Value Restored(Editor& edit, const Value& object, std::string_view key, const Value& old) {
  return IsSet(old) ? edit.Set(object, key, old) : edit.Without(object, key);
}

Value WithOldImages(Editor& edit, const Value& spec, std::string_view list, const Value& old) {
  const auto before = ItemsOf(old[list]);
  std::vector<Value> containers(ItemsOf(spec[list]).begin(), ItemsOf(spec[list]).end());
  for (size_t i = 0; i < containers.size(); ++i) containers[i] = Restored(edit, containers[i], "image", before[i]["image"]);
  return containers.empty() ? spec : edit.Set(spec, list, edit.Array(containers));
}

// Whether the list of a term begins with the old one.
bool HasOldRequirements(const Value& now, const Value& old) {
  const auto after = ItemsOf(now);
  const auto before = ItemsOf(old);
  if (after.size() < before.size()) return false;
  for (size_t i = 0; i < before.size(); ++i) {
    if (!json::Equal(after[i], before[i])) return false;
  }
  return true;
}

bool TermOnlyGrew(const Value& now, const Value& old) {
  const auto empty = [](const Value& term) { return ItemsOf(term["matchExpressions"]).empty() && ItemsOf(term["matchFields"]).empty(); };
  if (empty(old)) return empty(now);  // an empty term selects nothing; adding requirements would change that
  return HasOldRequirements(now["matchExpressions"], old["matchExpressions"]) && HasOldRequirements(now["matchFields"], old["matchFields"]);
}

void CheckNodeAffinityOnlyNarrowed(const Value& now, const Value& old, FieldErrors& errors) {
  const FieldPath field = FieldPath("spec").Child("affinity").Child("nodeAffinity").Child(kRequired).Child("nodeSelectorTerms");
  const Value& terms = now[kRequired]["nodeSelectorTerms"];
  const auto before = ItemsOf(old[kRequired]["nodeSelectorTerms"]);
  const auto after = ItemsOf(terms);
  if (before.empty()) return;
  if (before.size() != after.size()) {
    return errors.Invalid(field, terms, "no additions/deletions to non-empty NodeSelectorTerms list are allowed");
  }
  for (size_t i = 0; i < before.size(); ++i) {
    if (!TermOnlyGrew(after[i], before[i])) {
      errors.Invalid(field.Index(i), after[i], "only additions are allowed (no mutations or deletions)");
    }
  }
}

// A gated Pod may narrow its choice of nodes. Returns the spec with the changeable fields restored.
Value WithOldPlacement(Editor& edit, const Value& spec, const Value& old, FieldErrors& errors) {
  if (!json::Equal(spec["nodeSelector"], old["nodeSelector"])) {
    const MemberIndex now(spec["nodeSelector"]);
    for (const auto& [key, value] : MembersOf(old["nodeSelector"])) {
      if (json::Equal(now[key], value)) continue;
      errors.Invalid(FieldPath("spec").Child("nodeSelector"), spec["nodeSelector"],
                     "only additions to spec.nodeSelector are allowed (no mutations or deletions)");
      break;
    }
  }
  const Value result = Restored(edit, spec, "nodeSelector", old["nodeSelector"]);
  const Value& now = spec["affinity"]["nodeAffinity"];
  const Value& before = old["affinity"]["nodeAffinity"];
  if (json::Equal(now, before)) return result;
  CheckNodeAffinityOnlyNarrowed(now, before, errors);
  Value affinity = Restored(edit, spec["affinity"], "nodeAffinity", before);
  const bool empty = MembersOf(affinity).empty() && !IsSet(old["affinity"]);
  return empty ? edit.Without(result, "affinity") : edit.Set(result, "affinity", affinity);
}

bool SameContainers(const Value& spec, const Value& old, FieldErrors& errors) {
  for (const std::string_view list : {"containers", "initContainers"}) {
    if (ItemsOf(spec[list]).size() == ItemsOf(old[list]).size()) continue;
    errors.Forbidden(FieldPath("spec").Child(list), "pod updates may not add or remove containers");
    return false;
  }
  return true;
}

}  // namespace

void CheckPodUpdate(const Value& pod, const Value& old_pod, FieldErrors& errors) {
  const Value& spec = pod["spec"];
  const Value& old = old_pod["spec"];
  json::Arena arena;
  Editor edit(arena);
  if (!SameContainers(spec, old, errors) || !CheckDeadline(spec, old, errors)) return;
  CheckTolerationsOnlyAdded(edit, spec, old, errors);
  CheckGatesOnlyRemoved(spec, old, errors);

  Value rest = WithOldImages(edit, WithOldImages(edit, spec, "containers", old), "initContainers", old);
  for (const std::string_view name : {"activeDeadlineSeconds", "schedulingGates", "tolerations"}) {
    rest = Restored(edit, rest, name, old[name]);
  }
  const Value& grace = old["terminationGracePeriodSeconds"];
  if (IntOf(grace) < 0 && IntOf(rest["terminationGracePeriodSeconds"]) == 1) rest = edit.Set(rest, "terminationGracePeriodSeconds", grace);
  if (!ItemsOf(old["schedulingGates"]).empty()) rest = WithOldPlacement(edit, rest, old, errors);
  if (json::Equal(rest, old)) return;
  errors.Forbidden(FieldPath("spec"),
                   "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,"
                   "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),"
                   "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)");
}

void CheckPodAnnotationUpdate(const Value& pod, const Value& old, FieldErrors& errors) {
  const FieldPath field = FieldPath("metadata").Child("annotations");
  const MemberIndex now(pod["metadata"]["annotations"]);
  const MemberIndex before(old["metadata"]["annotations"]);
  for (const auto& [key, value] : MembersOf(old["metadata"]["annotations"])) {
    if (json::Equal(now[key], value)) continue;
    if (key.starts_with(kAppArmor)) errors.Forbidden(field.Key(key), "may not remove or update AppArmor annotations");
    if (key == kMirrorAnnotation) errors.Forbidden(field.Key(key), "may not remove or update mirror pod annotation");
  }
  for (const json::Member& annotation : MembersOf(pod["metadata"]["annotations"])) {
    if (IsSet(before[annotation.key])) continue;
    if (annotation.key.starts_with(kAppArmor)) errors.Forbidden(field.Key(annotation.key), "may not add AppArmor annotations");
    if (annotation.key == kMirrorAnnotation) errors.Forbidden(field.Key(annotation.key), "may not add mirror pod annotation");
  }
}

}  // namespace allot::apiserver

#include "apiserver/kinds/pod/admit_pod.h"

#include <string>

#include "apiserver/json_names.h"
#include "apiserver/kinds/core_checks.h"
#include "apiserver/kinds/pod/spec.h"
#include "apiserver/kinds/pod/toleration_merge.h"

namespace allot::apiserver {

namespace {

constexpr std::string_view kServiceAccounts = "serviceaccounts";
constexpr std::string_view kPriorityClasses = "priorityclasses.scheduling.k8s.io";
constexpr std::string_view kRuntimeClasses = "runtimeclasses.node.k8s.io";
constexpr std::string_view kDefaultAccount = "default";
constexpr int64_t kTolerationSeconds = 300;

// Returns the default class, or null. Of several, the one with the lowest value.
Result<Value> DefaultPriorityClass(const Lookup& lookup, Editor& edit) {
  Value chosen;
  ASSIGN_OR_RETURN(const std::vector<Value> classes, lookup.List(edit, kPriorityClasses, R"("globalDefault":true)"));
  for (const Value& one : classes) {
    if (json::IsTrue(one["globalDefault"]) && (chosen.IsNull() || IntOf(one["value"]) < IntOf(chosen["value"]))) chosen = one;
  }
  return chosen;
}

Result<Value> WithServiceAccount(const Lookup& lookup, Editor& edit, std::string_view space, const Value& pod) {
  const std::string_view given = TextOf(pod["spec"]["serviceAccountName"]);
  if (IsSet(pod["metadata"]["annotations"][kMirrorAnnotation])) {
    if (!given.empty()) return Invalid("a mirror pod may not reference service accounts");
    return pod;
  }
  const std::string_view name = given.empty() ? kDefaultAccount : given;
  ASSIGN_OR_RETURN(const Value account, lookup.Find(edit, kServiceAccounts, space, name, "imagePullSecrets"));
  // Accept a missing default account: it is created shortly after the namespace.
  if (account.IsNull() && name != kDefaultAccount) {
    return Invalid("error looking up service account ", space, "/", name, ": serviceaccount ", Quoted(name), " not found");
  }
  const Value text = edit.String(name);
  Value spec = edit.Set(edit.Set(pod["spec"], "serviceAccountName", text), "serviceAccount", text);
  if (ItemsOf(spec["imagePullSecrets"]).empty() && !ItemsOf(account["imagePullSecrets"]).empty()) {
    spec = edit.Set(spec, "imagePullSecrets", account["imagePullSecrets"]);
  }
  return edit.Set(pod, "spec", spec);
}

Result<Value> WithPriority(const Lookup& lookup, Editor& edit, const Value& pod) {
  Value spec = pod["spec"];
  const std::string_view name = TextOf(spec["priorityClassName"]);
  Value chosen;
  if (name.empty()) {
    ASSIGN_OR_RETURN(chosen, DefaultPriorityClass(lookup, edit));
    if (!chosen.IsNull()) spec = edit.Set(spec, "priorityClassName", chosen["metadata"]["name"]);
  } else {
    ASSIGN_OR_RETURN(chosen, lookup.Find(edit, kPriorityClasses, "", name));
    if (chosen.IsNull()) return Invalid("no PriorityClass with name ", name, " was found");
  }
  const int64_t priority = IntOf(chosen["value"]);
  if (IsSet(spec["priority"]) && IntOf(spec["priority"]) != priority) {
    return Invalid("the integer value of priority (", IntOf(spec["priority"]),
                   ") must not be provided in pod spec; priority admission controller computed ", priority,
                   " from the given PriorityClass name");
  }
  const std::string_view policy = IsSet(chosen["preemptionPolicy"]) ? TextOf(chosen["preemptionPolicy"]) : "PreemptLowerPriority";
  if (IsSet(spec["preemptionPolicy"]) && TextOf(spec["preemptionPolicy"]) != policy) {
    return Invalid("the string value of PreemptionPolicy (", TextOf(spec["preemptionPolicy"]),
                   ") must not be provided in pod spec; priority admission controller computed ", policy,
                   " from the given PriorityClass name");
  }
  spec = edit.Set(edit.Set(spec, "priority", edit.Int(priority)), "preemptionPolicy", edit.String(policy));
  return edit.Set(pod, "spec", spec);
}

// Keeps the fields in an update that omits them.
Value WithOldPriority(Editor& edit, const Value& pod, const Value& old) {
  Value result = pod;
  for (const std::string_view name : {"priority", "preemptionPolicy"}) {
    const Value& before = old["spec"][name];
    if (!IsSet(result["spec"][name]) && IsSet(before)) result = edit.SetAt(result, {"spec", name}, before);
  }
  return result;
}

// Adds tolerations that keep a Pod on an unreachable node for some minutes.
Value WithDefaultTolerations(Editor& edit, const Value& pod) {
  Value result = pod;
  for (const std::string_view key : {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}) {
    bool tolerated = false;
    for (const Value& one : ItemsOf(pod["spec"]["tolerations"])) {
      const std::string_view effect = TextOf(one["effect"]);
      const std::string_view own = TextOf(one["key"]);
      tolerated |= (own == key || own.empty()) && (effect == "NoExecute" || effect.empty());
    }
    if (tolerated) continue;
    const Value toleration = edit.Object({{"key", edit.Literal(key)},
                                          {"operator", edit.Literal("Exists")},
                                          {"effect", edit.Literal("NoExecute")},
                                          {"tolerationSeconds", edit.Int(kTolerationSeconds)}});
    result = edit.SetAt(result, {"spec", "tolerations"}, edit.Append(result["spec"]["tolerations"], toleration));
  }
  return result;
}

// Returns the class of spec.runtimeClassName, or null if the Pod names none.
Result<Value> RuntimeClassOf(const Lookup& lookup, Editor& edit, const Value& pod) {
  const Value& name = pod["spec"]["runtimeClassName"];
  if (!IsSet(name)) return Value();
  ASSIGN_OR_RETURN(const Value found, lookup.Find(edit, kRuntimeClasses, "", TextOf(name)));
  if (found.IsNull()) return Invalid("pod rejected: RuntimeClass ", Quoted(TextOf(name)), " not found");
  return found;
}

Result<Value> WithNodeSelector(Editor& edit, const Value& spec, const Value& more) {
  if (MembersOf(more).empty()) return spec;
  const MemberIndex own(spec["nodeSelector"]);
  std::vector<json::Member> members(MembersOf(spec["nodeSelector"]).begin(), MembersOf(spec["nodeSelector"]).end());
  for (const auto& [key, value] : MembersOf(more)) {
    if (!IsSet(own[key])) {
      members.push_back({key, value});
    } else if (!json::Equal(own[key], value)) {
      return Invalid("conflict: runtimeClass.scheduling.nodeSelector[", key, "] = ", TextOf(value), "; pod.spec.nodeSelector[", key,
                     "] = ", TextOf(own[key]));
    }
  }
  return edit.Set(spec, "nodeSelector", edit.Object(members));
}

Result<Value> WithRuntimeClass(const Lookup& lookup, Editor& edit, const Value& pod) {
  ASSIGN_OR_RETURN(const Value runtime, RuntimeClassOf(lookup, edit, pod));
  Value spec = pod["spec"];
  if (const Value& overhead = runtime["overhead"]["podFixed"]; IsSet(overhead)) {
    if (IsSet(spec["overhead"]) && !json::Equal(spec["overhead"], overhead)) {
      return Invalid("pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
    }
    spec = edit.Set(spec, "overhead", overhead);
  }
  const Value& scheduling = runtime["scheduling"];
  ASSIGN_OR_RETURN(spec, WithNodeSelector(edit, spec, scheduling["nodeSelector"]));
  if (!ItemsOf(scheduling["tolerations"]).empty()) {
    spec = edit.Set(spec, "tolerations", MergeTolerations(edit, spec["tolerations"], scheduling["tolerations"]));
  }
  return edit.Set(pod, "spec", spec);
}

}  // namespace

Result<Value> AdmitNewPod(const Lookup& lookup, Editor& edit, std::string_view space, const Value& object) {
  ASSIGN_OR_RETURN(Value pod, WithServiceAccount(lookup, edit, space, object));
  ASSIGN_OR_RETURN(pod, WithPriority(lookup, edit, pod));
  return WithRuntimeClass(lookup, edit, WithDefaultTolerations(edit, pod));
}

Value AdmitChangedPod(Editor& edit, const Value& object, const Value& old) {
  return WithDefaultTolerations(edit, WithOldPriority(edit, object, old));
}

Status CheckPodOverhead(const Lookup& lookup, const Value& pod) {
  if (!IsSet(pod["spec"]["overhead"])) return Status();
  json::Arena arena;
  Editor edit(arena);
  ASSIGN_OR_RETURN(const Value runtime, RuntimeClassOf(lookup, edit, pod));
  if (IsSet(runtime["overhead"])) return Status();
  return Invalid("pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead");
}

Status CheckOnlyDefaultClass(const Lookup& lookup, const Value& object, bool is_new) {
  if (!json::IsTrue(object["globalDefault"])) return Status();
  json::Arena arena;
  Editor edit(arena);
  ASSIGN_OR_RETURN(const Value other, DefaultPriorityClass(lookup, edit));
  const std::string_view name = TextOf(other["metadata"]["name"]);
  if (other.IsNull() || (!is_new && name == TextOf(object["metadata"]["name"]))) return Status();
  return Invalid("PriorityClass ", name, " is already marked as default. Only one default can exist");
}

}  // namespace allot::apiserver

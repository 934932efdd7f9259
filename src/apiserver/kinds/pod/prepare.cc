#include "apiserver/kinds/pod/prepare.h"

#include <vector>

#include "apiserver/json_names.h"
#include "apiserver/kinds/pod/resources.h"

namespace allot::apiserver {

namespace {

Value DropStopSignal(Editor& edit, const Value& container) {
  return IsSet(container["lifecycle"]["stopSignal"]) ? edit.WithoutAt(container, {"lifecycle", "stopSignal"}) : container;
}

Value DropProjections(Editor& edit, const Value& volume) {
  const Value& sources = volume["projected"]["sources"];
  if (!IsSet(sources)) return volume;
  const Value kept =
      edit.Map(sources, [&](const Value& source) { return edit.Without(edit.Without(source, "clusterTrustBundle"), "podCertificate"); });
  return edit.SetAt(volume, {"projected", "sources"}, kept);
}

// Adds a requirement to the selector of `term` for each key that the Pod has a label for.
Value WithLabelKeys(Editor& edit, const Value& term, const MemberIndex& labels) {
  const Value& selector = term["labelSelector"];
  if (!IsSet(selector)) return term;
  const auto items = ItemsOf(selector["matchExpressions"]);
  std::vector<Value> requirements(items.begin(), items.end());
  const auto add = [&](std::string_view keys, std::string_view op) {
    for (const Value& key : ItemsOf(term[keys])) {
      const Value& label = labels[TextOf(key)];
      if (!label.IsString()) continue;
      requirements.push_back(edit.Object({{"key", key}, {"operator", edit.Literal(op)}, {"values", edit.Array({label})}}));
    }
  };
  add("matchLabelKeys", "In");
  add("mismatchLabelKeys", "NotIn");
  if (requirements.size() == items.size()) return term;
  return edit.Set(term, "labelSelector", edit.Set(selector, "matchExpressions", edit.Array(requirements)));
}

Value WithAffinityKeys(Editor& edit, const Value& affinity, const MemberIndex& labels) {
  constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
  constexpr std::string_view kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";
  Value result = affinity;
  if (IsSet(result[kRequired])) {
    result = edit.Set(result, kRequired, edit.Map(result[kRequired], [&](const Value& term) { return WithLabelKeys(edit, term, labels); }));
  }
  if (IsSet(result[kPreferred])) {
    result = edit.Set(result, kPreferred, edit.Map(result[kPreferred], [&](const Value& weighted) {
      return edit.Set(weighted, "podAffinityTerm", WithLabelKeys(edit, weighted["podAffinityTerm"], labels));
    }));
  }
  return result;
}

}  // namespace

Value DropDisabledFields(Editor& edit, const Value& spec) {
  Value result = edit.Without(spec, "schedulingGroup");
  for (const std::string_view list : {"containers", "initContainers", "ephemeralContainers"}) {
    if (!IsSet(result[list])) continue;
    result = edit.Set(result, list, edit.Map(result[list], [&](const Value& container) { return DropStopSignal(edit, container); }));
  }
  if (!IsSet(result["volumes"])) return result;
  return edit.Set(result, "volumes", edit.Map(result["volumes"], [&](const Value& volume) { return DropProjections(edit, volume); }));
}

Value ApplyLabelKeys(Editor& edit, const Value& pod) {
  const MemberIndex labels(pod["metadata"]["labels"]);
  Value spec = pod["spec"];
  for (const std::string_view name : {"podAffinity", "podAntiAffinity"}) {
    const Value& affinity = spec["affinity"][name];
    if (IsSet(affinity)) spec = edit.SetAt(spec, {"affinity", name}, WithAffinityKeys(edit, affinity, labels));
  }
  if (const Value& constraints = spec["topologySpreadConstraints"]; IsSet(constraints)) {
    spec = edit.Set(spec, "topologySpreadConstraints",
                    edit.Map(constraints, [&](const Value& one) { return WithLabelKeys(edit, one, labels); }));
  }
  return edit.Set(pod, "spec", spec);
}

Value NewPodStatus(Editor& edit, const Value& pod) {
  Value status = edit.Object({{"phase", edit.Literal("Pending")}, {"qosClass", edit.Literal(QosClassOf(pod["spec"]))}});
  if (ItemsOf(pod["spec"]["schedulingGates"]).empty()) return status;
  // The condition has the Pod's creation time.
  Value condition = edit.Object({{"type", edit.Literal("PodScheduled")},
                                 {"status", edit.Literal("False")},
                                 {"reason", edit.Literal("SchedulingGated")},
                                 {"message", edit.Literal("Scheduling is blocked due to non-empty scheduling gates")}});
  if (const Value& now = pod["metadata"]["creationTimestamp"]; IsSet(now)) condition = edit.Set(condition, "lastTransitionTime", now);
  return edit.Set(status, "conditions", edit.Array({condition}));
}

}  // namespace allot::apiserver

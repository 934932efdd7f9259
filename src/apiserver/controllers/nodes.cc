#include "apiserver/controllers/nodes.h"

#include <algorithm>
#include <set>

#include "apiserver/controllers/conditions.h"

namespace allot::apiserver {

namespace {

struct Rule {
  std::string_view condition, status, taint;
};
constexpr Rule kRules[] = {
    {"Ready", "False", "node.kubernetes.io/not-ready"},
    {"Ready", "Unknown", "node.kubernetes.io/unreachable"},
    {"MemoryPressure", "True", "node.kubernetes.io/memory-pressure"},
    {"DiskPressure", "True", "node.kubernetes.io/disk-pressure"},
    {"PIDPressure", "True", "node.kubernetes.io/pid-pressure"},
    {"NetworkUnavailable", "True", "node.kubernetes.io/network-unavailable"},
};
constexpr std::string_view kUnschedulable = "node.kubernetes.io/unschedulable";

std::set<std::string_view> TaintsFor(const json::Value& node) {
  std::set<std::string_view> taints;
  for (const Rule& rule : kRules) {
    if (ConditionStatus(node["status"], rule.condition) == rule.status) taints.insert(rule.taint);
  }
  if (ConditionStatus(node["status"], "Ready").empty()) taints.insert(kRules[0].taint);
  if (json::IsTrue(node["spec"]["unschedulable"])) taints.insert(kUnschedulable);
  return taints;
}

// Whether this controller manages the taint.
bool IsOurs(const json::Value& taint) {
  const std::string_view key = json::TextOf(taint["key"]);
  if (json::TextOf(taint["effect"]) != "NoSchedule") return false;
  return key == kUnschedulable || std::any_of(std::begin(kRules), std::end(kRules), [&](const Rule& rule) { return rule.taint == key; });
}

}  // namespace

void Nodes::Notice(const Sight& sight) {
  if (sight.Is("nodes") && !sight.deleted()) Add(sight.key());
}

Result<Again> Nodes::Reconcile(const Key& key) {
  const std::optional<Stored> node = Read(store(), key);
  if (!node || IsDeleting(node->json())) return Again();
  TRY(Change(TargetOf(key), node->uid(), [&](json::Editor& edit, const json::Value& stored) -> Result<json::Value> {
    std::set<std::string_view> missing = TaintsFor(stored);
    std::vector<json::Value> taints;
    const auto before = json::ItemsOf(stored["spec"]["taints"]);
    for (const json::Value& taint : before) {
      if (!IsOurs(taint) || missing.erase(json::TextOf(taint["key"])) > 0) taints.push_back(taint);
    }
    if (missing.empty() && taints.size() == before.size()) return stored;
    for (const std::string_view taint : missing) {
      taints.push_back(
          edit.Object({{"key", edit.String(taint)}, {"effect", edit.Literal("NoSchedule")}, {"timeAdded", TimeValue(edit, Now())}}));
    }
    if (taints.empty()) return edit.WithoutAt(stored, {"spec", "taints"});
    return edit.SetAt(stored, {"spec", "taints"}, edit.Array(taints));
  }));
  return Again();
}

}  // namespace allot::apiserver

// Describes a node: kubectl's lines, and its devices.

#include <algorithm>
#include <map>

#include "cli/age.h"
#include "cli/describe/description.h"

namespace allot::cli {
namespace {

using Amounts = std::map<std::string, model::Quantity>;

Amounts AmountsOf(const json::Value& object) {
  Amounts amounts;
  for (const json::Member& member : MembersOf(object)) {
    const Result<model::Quantity> quantity = model::Quantity::Parse(OneLine(member.value));
    if (quantity.ok()) amounts[std::string(member.key)] = *quantity;
  }
  return amounts;
}

void Add(Amounts& to, const Amounts& more) {
  for (const auto& [name, amount] : more) to[name].Add(amount);
}

void Raise(Amounts& to, const Amounts& at_least) {
  for (const auto& [name, amount] : at_least) {
    const auto found = to.find(name);
    if (found == to.end() || found->second < amount) to[name] = amount;
  }
}

// What a Pod takes of a node ("requests" or "limits"): all containers together, or the init container that takes most; sidecars run
// beside both.
Amounts TakenBy(const json::Value& spec, std::string_view which) {
  Amounts sum, sidecars, most;
  for (const json::Value& container : ItemsOf(spec["containers"])) Add(sum, AmountsOf(container["resources"][which]));
  for (const json::Value& container : ItemsOf(spec["initContainers"])) {
    Amounts own = AmountsOf(container["resources"][which]);
    if (Text(container["restartPolicy"]) == "Always") {
      Add(sum, own);
      Add(sidecars, own);
      own = sidecars;
    } else {
      Add(own, sidecars);
    }
    Raise(most, own);
  }
  Raise(sum, most);
  Raise(sum, AmountsOf(spec["resources"][which]));
  for (const auto& [name, amount] : AmountsOf(spec["overhead"])) {
    if (which == "requests" || sum.contains(name)) sum[name].Add(amount);
  }
  return sum;
}

// "500m (25%)"
std::string PartText(const Amounts& amounts, const Amounts& whole, const std::string& name) {
  const auto amount = amounts.find(name);
  const auto total = whole.find(name);
  const model::Quantity zero;
  const model::Quantity& part = amount == amounts.end() ? zero : amount->second;
  const bool milli = name == "cpu";
  const auto number = [&](const model::Quantity& quantity) {
    return static_cast<double>((milli ? quantity.MilliValue() : quantity.Value()).value_or(0));
  };
  const double all = total == whole.end() ? 0 : number(total->second);
  return StrCat(part.ToString(), " (", all == 0 ? 0 : static_cast<int64_t>(number(part) / all * 100), "%)");
}

std::string Roles(const json::Value& labels) {
  std::vector<std::string> roles;
  constexpr std::string_view kPrefix = "node-role.kubernetes.io/";
  for (const json::Member& label : MembersOf(labels)) {
    if (label.key.starts_with(kPrefix) && label.key.size() > kPrefix.size()) roles.emplace_back(label.key.substr(kPrefix.size()));
    if (label.key == "kubernetes.io/role" && !Text(label.value).empty()) roles.emplace_back(Text(label.value));
  }
  std::sort(roles.begin(), roles.end());
  return roles.empty() ? "<none>" : Join(roles, ",");
}

void DescribeLease(Session& session, const kube::Object& node, Description& description) {
  const auto lease = session.client().Get(kube::types::kLeases, "kube-node-lease", node.name());
  if (!lease.ok()) {
    const kube::ApiError* const error = kube::ApiErrorOf(lease.status());
    return description.Field(0, "Lease", StrCat("Failed to get lease: ", error != nullptr ? error->message : lease.status().message()));
  }
  const json::Value& spec = (*lease)->json()["spec"];
  const auto time = [](const json::Value& value) { return value.IsString() ? LongTime(value.AsString()) : "<unset>"; };
  description.Line(0, "Lease:");
  description.Field(1, "HolderIdentity", spec["holderIdentity"].IsString() ? Text(spec["holderIdentity"]) : "<unset>");
  description.Field(1, "AcquireTime", time(spec["acquireTime"]));
  description.Field(1, "RenewTime", time(spec["renewTime"]));
}

void DescribeConditions(const json::Value& conditions, Description& description) {
  if (ItemsOf(conditions).empty()) return;
  description.Line(0, "Conditions:");
  description.Line(1, "Type\tStatus\tLastHeartbeatTime\tLastTransitionTime\tReason\tMessage");
  description.Line(1, "----\t------\t-----------------\t------------------\t------\t-------");
  const auto time = [](const json::Value& value) {
    return value.IsString() ? LongTime(value.AsString()) : std::string("Mon, 01 Jan 0001 00:00:00 +0000");
  };
  for (const json::Value& one : conditions.Items()) {
    description.Line(1, Text(one["type"]), " \t", Text(one["status"]), " \t", time(one["lastHeartbeatTime"]), " \t",
                     time(one["lastTransitionTime"]), " \t", Text(one["reason"]), " \t", Text(one["message"]));
  }
}

void DescribeCapacity(std::string_view label, const json::Value& amounts, Description& description) {
  if (MembersOf(amounts).empty()) return;
  description.Line(0, label, ":");
  std::map<std::string_view, std::string> sorted;
  for (const json::Member& member : amounts.Members()) sorted[member.key] = OneLine(member.value);
  for (const auto& [name, amount] : sorted) description.Field(1, name, amount);
}

void DescribeSystem(const json::Value& info, Description& description) {
  description.Line(0, "System Info:");
  for (const auto& [label, name] :
       {std::pair("Machine ID", "machineID"), std::pair("System UUID", "systemUUID"), std::pair("Boot ID", "bootID"),
        std::pair("Kernel Version", "kernelVersion"), std::pair("OS Image", "osImage"), std::pair("Operating System", "operatingSystem"),
        std::pair("Architecture", "architecture"), std::pair("Container Runtime Version", "containerRuntimeVersion"),
        std::pair("Kubelet Version", "kubeletVersion")}) {
    description.Field(1, label, Text(info[name]));
  }
}

void DescribePods(Session& session, const kube::Object& node, Description& description) {
  kube::ListOptions options;
  options.field_selector = StrCat("spec.nodeName=", node.name(), ",status.phase!=Succeeded,status.phase!=Failed");
  std::vector<kube::ObjectPtr> pods;
  const Result<std::string> listed =
      session.client().List(kube::types::kPods, "", options, [&](kube::ObjectPtr pod) { pods.push_back(std::move(pod)); });
  if (!listed.ok()) return description.Field(0, "Pods", "not authorized");
  const json::Value& status = node.json()["status"];
  const Amounts whole = AmountsOf(MembersOf(status["allocatable"]).empty() ? status["capacity"] : status["allocatable"]);
  Amounts requests, limits;
  description.Field(0, "Non-terminated Pods", StrCat("(", pods.size(), " in total)"));
  description.Line(1, "Namespace\tName\t\tCPU Requests\tCPU Limits\tMemory Requests\tMemory Limits\tAge");
  description.Line(1, "---------\t----\t\t------------\t----------\t---------------\t-------------\t---");
  for (const kube::ObjectPtr& pod : pods) {
    const Amounts asked = TakenBy(pod->json()["spec"], "requests");
    const Amounts limited = TakenBy(pod->json()["spec"], "limits");
    description.Line(1, pod->namespace_name(), "\t", pod->name(), "\t\t", PartText(asked, whole, "cpu"), "\t",
                     PartText(limited, whole, "cpu"), "\t", PartText(asked, whole, "memory"), "\t", PartText(limited, whole, "memory"),
                     "\t", Age(Text(pod->json()["metadata"]["creationTimestamp"]), session.Now()));
    Add(requests, asked);
    Add(limits, limited);
  }
  description.Line(0, "Allocated resources:");
  description.Line(1, "(Total limits may be over 100 percent, i.e., overcommitted.)");
  description.Line(1, "Resource\tRequests\tLimits");
  description.Line(1, "--------\t--------\t------");
  std::vector<std::string> names = {"cpu", "memory", "ephemeral-storage"};
  for (const auto& [name, amount] : whole) {
    if (name.starts_with("hugepages-")) names.push_back(name);
  }
  for (const std::string& name : names) {
    description.Line(1, name, "\t", PartText(requests, whole, name), "\t", PartText(limits, whole, name));
  }
  for (const auto& [name, amount] : whole) {
    if (std::find(names.begin(), names.end(), name) != names.end() || name == "pods") continue;
    description.Line(1, name, "\t", requests[name].ToString(), "\t", limits[name].ToString());
  }
}

}  // namespace

Status DescribeNode(Session& session, const kube::Object& node, Description& description) {
  const json::Value& json = node.json();
  const json::Value& metadata = json["metadata"];
  const json::Value& spec = json["spec"];
  const json::Value& status = json["status"];
  description.Field(0, "Name", node.name());
  description.Field(0, "Roles", Roles(metadata["labels"]));
  description.Labels("Labels", metadata["labels"]);
  description.Annotations(metadata["annotations"]);
  description.Field(0, "CreationTimestamp", LongTime(Text(metadata["creationTimestamp"])));
  std::vector<std::string> taints;
  for (const json::Value& taint : ItemsOf(spec["taints"])) {
    const std::string value = Text(taint["value"]).empty() ? "" : StrCat("=", Text(taint["value"]));
    taints.push_back(StrCat(Text(taint["key"]), value, ":", Text(taint["effect"])));
  }
  std::sort(taints.begin(), taints.end());
  description.Lines(0, "Taints", taints);
  description.Field(0, "Unschedulable", json::IsTrue(spec["unschedulable"]));
  DescribeLease(session, node, description);
  DescribeConditions(status["conditions"], description);
  description.Line(0, "Addresses:");
  for (const json::Value& address : ItemsOf(status["addresses"])) description.Field(1, Text(address["type"]), Text(address["address"]));
  DescribeCapacity("Capacity", status["capacity"], description);
  DescribeCapacity("Allocatable", status["allocatable"], description);
  TRY(DescribeDevices(session, node.name(), description));
  DescribeSystem(status["nodeInfo"], description);
  if (!Text(spec["podCIDR"]).empty()) description.Field(0, "PodCIDR", Text(spec["podCIDR"]));
  if (!ItemsOf(spec["podCIDRs"]).empty()) {
    std::vector<std::string> ranges;
    for (const json::Value& range : spec["podCIDRs"].Items()) ranges.push_back(OneLine(range));
    description.Field(0, "PodCIDRs", Join(ranges, ","));
  }
  if (!Text(spec["providerID"]).empty()) description.Field(0, "ProviderID", Text(spec["providerID"]));
  DescribePods(session, node, description);
  return Status();
}

}  // namespace allot::cli

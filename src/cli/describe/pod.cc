// Describes a Pod: kubectl's lines, and the claims that it holds.

#include <algorithm>
#include <set>

#include "cli/age.h"
#include "cli/describe/description.h"

namespace allot::cli {
namespace {

std::vector<std::string> TolerationLines(const json::Value& tolerations) {
  std::vector<json::Value> sorted(ItemsOf(tolerations).begin(), ItemsOf(tolerations).end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return Text(a["key"]) < Text(b["key"]); });
  std::vector<std::string> lines;
  for (const json::Value& toleration : sorted) {
    std::string line(Text(toleration["key"]));
    if (!Text(toleration["value"]).empty()) line += StrCat("=", Text(toleration["value"]));
    if (!Text(toleration["effect"]).empty()) line += StrCat(":", Text(toleration["effect"]));
    if (Text(toleration["operator"]) == "Exists" && Text(toleration["value"]).empty()) {
      line += Text(toleration["key"]).empty() && Text(toleration["effect"]).empty() ? "op=Exists" : " op=Exists";
    }
    if (!toleration["tolerationSeconds"].IsNull()) line += StrCat(" for ", OneLine(toleration["tolerationSeconds"]), "s");
    lines.push_back(std::move(line));
  }
  return lines;
}

// Which containers use the claim: "main", "main (request gpu)".
std::string UsersOf(const json::Value& spec, std::string_view claim) {
  std::string users;
  for (const std::string_view list : {"initContainers", "containers"}) {
    for (const json::Value& container : ItemsOf(spec[list])) {
      for (const json::Value& used : ItemsOf(container["resources"]["claims"])) {
        if (Text(used["name"]) != claim) continue;
        users += StrCat(users.empty() ? "" : ", ", Text(container["name"]));
        if (used["request"].IsString()) users += StrCat(" (request ", Text(used["request"]), ")");
      }
    }
  }
  return users.empty() ? "<none>" : users;
}

// The name of the claim behind the Pod's entry; empty where none is made yet.
std::string_view ClaimNameOf(const json::Value& pod, const json::Value& entry) {
  if (entry["resourceClaimName"].IsString()) return Text(entry["resourceClaimName"]);
  for (const json::Value& status : ItemsOf(pod["status"]["resourceClaimStatuses"])) {
    if (Text(status["name"]) == Text(entry["name"])) return Text(status["resourceClaimName"]);
  }
  return "";
}

void DescribeOneClaim(Session& session, std::string_view namespace_name, std::string_view name, Description& description) {
  const auto claim = session.client().Get(kube::types::kResourceClaims, namespace_name, name);
  if (!claim.ok())
    return description.Field(2, "State", kube::HasReason(claim.status(), "NotFound") ? "not found" : claim.status().message());
  const json::Value& json = (*claim)->json();
  description.Field(2, "State", ClaimState(json));
  for (const json::Value& result : ItemsOf(json["status"]["allocation"]["devices"]["results"])) {
    std::string line = DeviceName(result);
    std::string amounts;
    for (const json::Member& amount : MembersOf(result["consumedCapacity"])) {
      amounts += StrCat(amounts.empty() ? "" : ", ", amount.key, " ", Amount(OneLine(amount.value)));
    }
    if (!amounts.empty()) line += StrCat(", ", amounts);
    if (result["shareID"].IsString()) line += StrCat(", share ", Text(result["shareID"]));
    description.Field(2, StrCat("Device for ", Text(result["request"])), line);
  }
}

// The claim that a scheduler made for amounts of resources (nvidia.com/gpu: 1), under the names of these.
void DescribeExtendedClaim(Session& session, const kube::Object& pod, const json::Value& extended, Description& description) {
  std::set<std::string> resources, containers;
  for (const json::Value& mapping : ItemsOf(extended["requestMappings"])) {
    resources.emplace(Text(mapping["resourceName"]));
    containers.emplace(Text(mapping["containerName"]));
  }
  description.Line(1, Join({resources.begin(), resources.end()}, ", "), ":");
  description.Field(2, "Claim", Text(extended["resourceClaimName"]));
  DescribeOneClaim(session, pod.namespace_name(), Text(extended["resourceClaimName"]), description);
  description.Field(2, "Containers", Join({containers.begin(), containers.end()}, ", "));
}

void DescribeClaims(Session& session, const kube::Object& pod, Description& description) {
  const json::Value& spec = pod.json()["spec"];
  const json::Value& extended = pod.json()["status"]["extendedResourceClaimStatus"];
  if (ItemsOf(spec["resourceClaims"]).empty() && extended.IsNull()) return;
  description.Line(0, "Resource Claims:");
  if (!extended.IsNull()) DescribeExtendedClaim(session, pod, extended, description);
  for (const json::Value& entry : ItemsOf(spec["resourceClaims"])) {
    description.Line(1, Text(entry["name"]), ":");
    const std::string_view name = ClaimNameOf(pod.json(), entry);
    if (entry["resourceClaimTemplateName"].IsString()) description.Field(2, "Template", Text(entry["resourceClaimTemplateName"]));
    description.Field(2, "Claim", name.empty() ? "<none>, not made yet" : name);
    if (!name.empty()) DescribeOneClaim(session, pod.namespace_name(), name, description);
    description.Field(2, "Containers", UsersOf(spec, Text(entry["name"])));
    description.Generic(2, entry, {"name", "resourceClaimName", "resourceClaimTemplateName"});
  }
}

void DescribeStatus(const kube::Object& pod, WallTime now, Description& description) {
  const json::Value& json = pod.json();
  const json::Value& status = json["status"];
  if (json["metadata"]["deletionTimestamp"].IsString()) {
    description.Field(0, "Status", StrCat("Terminating (lasts ", Age(Text(json["metadata"]["deletionTimestamp"]), now), ")"));
    description.Field(0, "Termination Grace Period", StrCat(OneLine(json["metadata"]["deletionGracePeriodSeconds"]), "s"));
  } else {
    description.Field(0, "Status", Text(status["phase"]));
  }
  if (status["reason"].IsString()) description.Field(0, "Reason", Text(status["reason"]));
  if (status["message"].IsString()) description.Field(0, "Message", Text(status["message"]));
  description.Field(0, "IP", Text(status["podIP"]));
  if (ItemsOf(status["podIPs"]).empty()) {
    description.Field(0, "IPs", "<none>");
  } else {
    description.Line(0, "IPs:");
    for (const json::Value& ip : ItemsOf(status["podIPs"])) description.Field(1, "IP", Text(ip["ip"]));
  }
  for (const json::Value& owner : ItemsOf(json["metadata"]["ownerReferences"])) {
    if (json::IsTrue(owner["controller"])) {
      description.Field(0, "Controlled By", StrCat(Text(owner["kind"]), "/", Text(owner["name"])));
    }
  }
  if (!Text(status["nominatedNodeName"]).empty()) description.Field(0, "NominatedNodeName", Text(status["nominatedNodeName"]));
}

}  // namespace

Status DescribePod(Session& session, const kube::Object& pod, Description& description) {
  const json::Value& json = pod.json();
  const json::Value& spec = json["spec"];
  const json::Value& status = json["status"];
  description.Field(0, "Name", pod.name());
  description.Field(0, "Namespace", pod.namespace_name());
  if (!spec["priority"].IsNull()) description.Field(0, "Priority", OneLine(spec["priority"]));
  if (spec["priorityClassName"].IsString()) description.Field(0, "Priority Class Name", Text(spec["priorityClassName"]));
  if (spec["runtimeClassName"].IsString()) description.Field(0, "Runtime Class Name", Text(spec["runtimeClassName"]));
  if (!Text(spec["serviceAccountName"]).empty()) description.Field(0, "Service Account", Text(spec["serviceAccountName"]));
  const std::string_view node = Text(spec["nodeName"]);
  description.Field(0, "Node", node.empty() ? "<none>" : StrCat(node, "/", Text(status["hostIP"])));
  if (status["startTime"].IsString()) description.Field(0, "Start Time", LongTime(Text(status["startTime"])));
  description.Labels("Labels", json["metadata"]["labels"]);
  description.Annotations(json["metadata"]["annotations"]);
  DescribeStatus(pod, session.Now(), description);
  if (!ItemsOf(spec["initContainers"]).empty()) {
    DescribeContainers("Init Containers", spec["initContainers"], status["initContainerStatuses"], description);
  }
  DescribeContainers("Containers", spec["containers"], status["containerStatuses"], description);
  if (!ItemsOf(spec["ephemeralContainers"]).empty()) {
    DescribeContainers("Ephemeral Containers", spec["ephemeralContainers"], status["ephemeralContainerStatuses"], description);
  }
  DescribeClaims(session, pod, description);
  if (!ItemsOf(status["conditions"]).empty()) {
    description.Line(0, "Conditions:");
    description.Line(1, "Type\tStatus");
    for (const json::Value& condition : status["conditions"].Items()) {
      description.Line(1, Text(condition["type"]), " \t", Text(condition["status"]), " ");
    }
  }
  DescribeVolumes(spec["volumes"], description);
  if (!Text(status["qosClass"]).empty()) description.Field(0, "QoS Class", Text(status["qosClass"]));
  description.Labels("Node-Selectors", spec["nodeSelector"]);
  description.Lines(0, "Tolerations", TolerationLines(spec["tolerations"]));
  return Status();
}

}  // namespace allot::cli

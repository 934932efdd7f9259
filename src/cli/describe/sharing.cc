// Describes what concerns sharing: claims, templates, slices and classes.

#include "cli/age.h"
#include "cli/describe/description.h"

namespace allot::cli {
namespace {

void DescribeSelectors(int level, const json::Value& selectors, Description& description) {
  if (ItemsOf(selectors).empty()) return;
  description.Line(level, "Selectors:");
  for (const json::Value& selector : ItemsOf(selectors)) {
    if (!selector["cel"]["expression"].IsString()) {
      description.Generic(level + 1, selector);
      continue;
    }
    for (const std::string_view line : Split(Text(selector["cel"]["expression"]), '\n')) description.Line(level + 1, line);
  }
}

void DescribeAmounts(int level, std::string_view label, const json::Value& amounts, Description& description) {
  if (MembersOf(amounts).empty()) return;
  description.Line(level, label, ":");
  for (const json::Member& member : MembersOf(amounts)) description.Field(level + 1, member.key, Amount(OneLine(member.value)));
}

// "key=value:NoSchedule", and of a toleration how long.
std::string TaintText(const json::Value& taint) {
  std::string text(Text(taint["key"]));
  if (text.empty()) text = "<all>";
  if (Text(taint["operator"]) != "Exists" && taint["value"].IsString()) text += StrCat("=", Text(taint["value"]));
  if (taint["effect"].IsString()) text += StrCat(":", Text(taint["effect"]));
  if (!taint["tolerationSeconds"].IsNull()) text += StrCat(" for ", OneLine(taint["tolerationSeconds"]), "s");
  if (taint["timeAdded"].IsString()) text += StrCat(" since ", Text(taint["timeAdded"]));
  return text;
}

void DescribeTaints(int level, std::string_view label, const json::Value& taints, Description& description) {
  std::vector<std::string> lines;
  for (const json::Value& taint : ItemsOf(taints)) lines.push_back(TaintText(taint));
  if (!lines.empty()) description.Lines(level, label, lines);
}

// A request of the form "exactly", or one alternative of "firstAvailable".
void DescribeAsk(int level, const json::Value& ask, Description& description) {
  description.Field(level, "Class", Text(ask["deviceClassName"]));
  description.Field(level, "Count", Text(ask["allocationMode"]) == "All" ? "all" : ask["count"].IsNull() ? "1" : OneLine(ask["count"]));
  if (json::IsTrue(ask["adminAccess"])) description.Field(level, "Admin Access", "true");
  DescribeAmounts(level, "Capacity", ask["capacity"]["requests"], description);
  description.Generic(level, ask["capacity"], {"requests"});
  DescribeSelectors(level, ask["selectors"], description);
  DescribeTaints(level, "Tolerations", ask["tolerations"], description);
  description.Generic(level, ask,
                      {"name", "deviceClassName", "allocationMode", "count", "adminAccess", "capacity", "selectors", "tolerations"});
}

void DescribeClaimSpec(const json::Value& spec, Description& description) {
  const json::Value& devices = spec["devices"];
  description.Line(0, "Requests:");
  for (const json::Value& request : ItemsOf(devices["requests"])) {
    description.Line(1, Text(request["name"]), ":");
    if (request["exactly"].IsObject()) DescribeAsk(2, request["exactly"], description);
    if (request["firstAvailable"].IsArray()) {
      description.Line(2, "First Available:");
      for (const json::Value& alternative : request["firstAvailable"].Items()) {
        description.Line(3, Text(alternative["name"]), ":");
        DescribeAsk(4, alternative, description);
      }
    }
    description.Generic(2, request, {"name", "exactly", "firstAvailable"});
  }
  description.Generic(0, devices, {"requests"});
  description.Generic(0, spec, {"devices"});
}

// The node that the allocation is tied to by name, or its selector.
void DescribeNodeOf(const json::Value& selector, Description& description) {
  if (selector.IsNull()) return description.Field(1, "Node", "<any>");
  const auto terms = ItemsOf(selector["nodeSelectorTerms"]);
  if (terms.size() == 1 && terms[0]["matchExpressions"].IsNull()) {
    const auto fields = ItemsOf(terms[0]["matchFields"]);
    if (fields.size() == 1 && Text(fields[0]["key"]) == "metadata.name" && ItemsOf(fields[0]["values"]).size() == 1) {
      return description.Field(1, "Node", Text(fields[0]["values"].Items()[0]));
    }
  }
  description.GenericMember(1, "nodeSelector", selector);
}

void DescribeAllocation(const json::Value& allocation, Description& description) {
  if (!allocation.IsObject()) return description.Field(0, "Allocation", "<none>");
  description.Line(0, "Allocation:");
  for (const json::Value& result : ItemsOf(allocation["devices"]["results"])) {
    description.Line(1, Text(result["request"]), ":");
    description.Field(2, "Device", DeviceName(result));
    if (result["shareID"].IsString()) description.Field(2, "Share ID", Text(result["shareID"]));
    if (json::IsTrue(result["adminAccess"])) description.Field(2, "Admin Access", "true");
    DescribeAmounts(2, "Consumed Capacity", result["consumedCapacity"], description);
    DescribeTaints(2, "Tolerations", result["tolerations"], description);
    description.Generic(2, result, {"request", "driver", "pool", "device", "shareID", "adminAccess", "consumedCapacity", "tolerations"});
  }
  DescribeNodeOf(allocation["nodeSelector"], description);
  if (allocation["allocationTimestamp"].IsString()) description.Field(1, "Since", LongTime(Text(allocation["allocationTimestamp"])));
  description.Generic(1, allocation["devices"], {"results"});
  description.Generic(1, allocation, {"devices", "nodeSelector", "allocationTimestamp"});
}

// "24Gi (24576 MiB), default 24Gi, from 1Mi in steps of 1Mi"
std::string CapacityText(const json::Value& capacity) {
  std::string text = Amount(OneLine(capacity["value"]));
  const json::Value& policy = capacity["requestPolicy"];
  if (policy["default"].IsString()) text += StrCat(", default ", Text(policy["default"]));
  if (policy["validRange"].IsObject()) {
    const json::Value& range = policy["validRange"];
    if (range["min"].IsString()) text += StrCat(", from ", Text(range["min"]));
    if (range["max"].IsString()) text += StrCat(" to ", Text(range["max"]));
    if (range["step"].IsString()) text += StrCat(" in steps of ", Text(range["step"]));
  }
  std::string values;
  for (const json::Value& value : ItemsOf(policy["validValues"])) values += StrCat(values.empty() ? "" : ", ", OneLine(value));
  return values.empty() ? text : StrCat(text, ", one of ", values);
}

void DescribeDevice(const json::Value& device, Description& description) {
  description.Line(1, Text(device["name"]), ":");
  const bool shared = json::IsTrue(device["allowMultipleAllocations"]);
  description.Field(2, "Shared", shared ? "yes, several claims may hold a part each" : "no, one claim holds all of it");
  DescribeTaints(2, "Taints", device["taints"], description);
  if (!MembersOf(device["attributes"]).empty()) {
    description.Line(2, "Attributes:");
    for (const json::Member& attribute : device["attributes"].Members()) {
      // {"string": "gpu"}: readers need only the value.
      const auto values = MembersOf(attribute.value);
      description.Field(3, attribute.key, values.size() == 1 ? OneLine(values[0].value) : OneLine(attribute.value));
    }
  }
  if (!MembersOf(device["capacity"]).empty()) {
    description.Line(2, "Capacity:");
    for (const json::Member& capacity : device["capacity"].Members()) description.Field(3, capacity.key, CapacityText(capacity.value));
  }
  description.Generic(2, device, {"name", "allowMultipleAllocations", "taints", "attributes", "capacity"});
}

}  // namespace

std::string DeviceName(const json::Value& result) {
  return StrCat(Text(result["driver"]), "/", Text(result["pool"]), "/", Text(result["device"]));
}

std::string ClaimState(const json::Value& claim) {
  std::string state;
  if (claim["metadata"]["deletionTimestamp"].IsString()) state = "deleted";
  if (!claim["status"]["allocation"].IsObject()) return state.empty() ? "pending" : state;
  state += state.empty() ? "allocated" : ",allocated";
  return ItemsOf(claim["status"]["reservedFor"]).empty() ? state : state + ",reserved";
}

Status DescribeClaim(Session&, const kube::Object& claim, Description& description) {
  const json::Value& json = claim.json();
  description.Head(json);
  description.Field(0, "State", ClaimState(json));
  DescribeClaimSpec(json["spec"], description);
  DescribeAllocation(json["status"]["allocation"], description);
  std::vector<std::string> holders;
  for (const json::Value& holder : ItemsOf(json["status"]["reservedFor"])) {
    const std::string_view resource = Text(holder["resource"]);
    const std::string kind = resource == "pods" ? "Pod" : std::string(resource);
    holders.push_back(StrCat(kind, " ", Text(holder["name"]), " (uid ", Text(holder["uid"]), ")"));
  }
  description.Lines(0, "Reserved For", holders);
  description.Generic(0, json["status"], {"allocation", "reservedFor"});
  return Status();
}

Status DescribeTemplate(Session&, const kube::Object& object, Description& description) {
  const json::Value& json = object.json();
  description.Head(json);
  const json::Value& metadata = json["spec"]["metadata"];
  if (!MembersOf(metadata).empty()) {
    description.Line(0, "Claims Get:");
    description.Generic(1, metadata);
  }
  DescribeClaimSpec(json["spec"]["spec"], description);
  description.Generic(0, json["spec"], {"metadata", "spec"});
  return Status();
}

Status DescribeSlice(Session&, const kube::Object& slice, Description& description) {
  const json::Value& json = slice.json();
  const json::Value& spec = json["spec"];
  description.Head(json);
  description.Field(0, "Driver", Text(spec["driver"]));
  description.Field(0, "Pool",
                    StrCat(Text(spec["pool"]["name"]), " (generation ", OneLine(spec["pool"]["generation"]), ", slices ",
                           OneLine(spec["pool"]["resourceSliceCount"]), ")"));
  if (spec["nodeName"].IsString()) description.Field(0, "Node", Text(spec["nodeName"]));
  if (json::IsTrue(spec["allNodes"])) description.Field(0, "Node", "<all>");
  description.Generic(0, spec, {"driver", "pool", "nodeName", "allNodes", "devices"});
  if (!ItemsOf(spec["devices"]).empty()) description.Line(0, "Devices:");
  for (const json::Value& device : ItemsOf(spec["devices"])) DescribeDevice(device, description);
  return Status();
}

Status DescribeClass(Session&, const kube::Object& object, Description& description) {
  const json::Value& json = object.json();
  const json::Value& spec = json["spec"];
  description.Head(json);
  if (ItemsOf(spec["selectors"]).empty()) {
    description.Field(0, "Selectors", "<none>, all devices");
  } else {
    DescribeSelectors(0, spec["selectors"], description);
  }
  if (spec["extendedResourceName"].IsString()) description.Field(0, "Extended Resource", Text(spec["extendedResourceName"]));
  description.Generic(0, spec, {"selectors", "extendedResourceName"});
  return Status();
}

}  // namespace allot::cli

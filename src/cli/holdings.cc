#include "cli/holdings.h"

#include "cli/description.h"

namespace allot::cli {

Uses UsesOf(const std::vector<kube::ObjectPtr>& claims) {
  Uses uses;
  for (const kube::ObjectPtr& claim : claims) {
    for (const json::Value& result : ItemsOf(claim->json()["status"]["allocation"]["devices"]["results"])) {
      if (result["adminAccess"].IsBool() && result["adminAccess"].AsBool()) continue;  // looks, and takes nothing
      Use& use = uses[DeviceName(result)];
      use.shares.push_back({claim, result});
      for (const json::Member& amount : MembersOf(result["consumedCapacity"])) {
        const Result<model::Quantity> quantity = model::Quantity::Parse(OneLine(amount.value));
        if (quantity.ok()) use.consumed[std::string(amount.key)].Add(*quantity);
      }
    }
  }
  return uses;
}

std::string_view AllocatedNode(const json::Value& claim) {
  for (const json::Value& term : ItemsOf(claim["status"]["allocation"]["nodeSelector"]["nodeSelectorTerms"])) {
    for (const json::Value& field : ItemsOf(term["matchFields"])) {
      if (Text(field["key"]) == "metadata.name" && ItemsOf(field["values"]).size() == 1) return Text(field["values"].Items()[0]);
    }
  }
  return "";
}

std::string DeviceName(const json::Value& result) {
  return StrCat(Text(result["driver"]), "/", Text(result["pool"]), "/", Text(result["device"]));
}

}  // namespace allot::cli

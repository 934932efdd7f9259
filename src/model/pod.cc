#include "model/pod.h"

#include <algorithm>

#include "model/reader.h"

namespace allot::model {
namespace {

std::vector<Container> ReadContainers(const Reader& spec, std::string_view key) {
  std::vector<Container> containers;
  spec.Each(key, [&](const Reader& item) {
    Container& container = containers.emplace_back();
    container.name = item.Text("name");
    const Reader resources = item["resources"];
    resources.EachQuantity(
        "limits", [&](std::string_view name, Quantity amount) { container.limits.push_back({std::string(name), std::move(amount)}); });
    std::sort(container.limits.begin(), container.limits.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    resources.Each("claims", [&](const Reader& use) { container.claims.push_back({use.Text("name"), use.Text("request")}); });
  });
  return containers;
}

}  // namespace

Result<Pod> Pod::Read(const json::Value& object) {
  const Reader reader(object);
  const Reader metadata = reader["metadata"];
  const Reader spec = reader["spec"];
  const Reader status = reader["status"];
  Pod pod;
  pod.name = metadata.Text("name");
  pod.name_space = metadata.Text("namespace");
  pod.uid = metadata.Text("uid");
  pod.node_name = spec.Text("nodeName");
  spec.Each("resourceClaims", [&](const Reader& claim) {
    pod.claims.push_back({claim.Text("name"), claim.OptionalText("resourceClaimName"), claim.OptionalText("resourceClaimTemplateName")});
  });
  pod.init_containers = ReadContainers(spec, "initContainers");
  pod.containers = ReadContainers(spec, "containers");
  pod.phase = status.Text("phase");
  status.Each("resourceClaimStatuses",
              [&](const Reader& entry) { pod.generated_claims.emplace_back(entry.Text("name"), entry.Text("resourceClaimName")); });
  pod.extended_claim = status["extendedResourceClaimStatus"].Text("resourceClaimName");
  TRY(reader.status());
  return pod;
}

}  // namespace allot::model

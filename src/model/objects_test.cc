#include "model/objects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/yaml.h"
#include "model/placement.h"
#include "model/pod.h"

namespace allot::model {
namespace {

using testing::HasSubstr;

std::string Error(std::string_view yaml) {
  Objects objects;
  return objects.Add(yaml).message();
}

TEST(Objects, AWrongFieldIsNamedWithItsPath) {
  EXPECT_EQ(Error("kind: ResourceSlice\nspec: {devices: [{name: a}, {name: 7}]}"),
            "document 1: spec.devices[1].name: expected a string, not a number");
  EXPECT_EQ(Error("kind: ResourceSlice\nspec: {devices: [{name: a, attributes: {x: {ints: 5}}}]}"),
            "document 1: spec.devices[0].attributes.x.ints: expected a list, not a number");
  EXPECT_EQ(Error("kind: ResourceSlice\nspec: {devices: [{name: a, attributes: {x: {int: 5, string: b}}}]}"),
            "document 1: spec.devices[0].attributes.x: expected exactly one of int, bool, string, version, ints, bools, strings, versions");
  EXPECT_THAT(Error("kind: ResourceClaim\nspec: {devices: {requests: [{exactly: {capacity: {requests: {memory: 6GiB}}}}]}}"),
              HasSubstr("document 1: spec.devices.requests[0].exactly.capacity.requests.memory: "));
  EXPECT_THAT(Error("kind: ResourceSlice\nspec: {devices: [{capacity: {m: {value: 1, requestPolicy: {validValues: [1, x]}}}}]}"),
              HasSubstr("spec.devices[0].capacity.m.requestPolicy.validValues[1]: "));
  EXPECT_EQ(Error("kind: Node\n---\nkind: Secret\n"),
            "document 2: kind \"Secret\" is not one of Node, DeviceClass, ResourceSlice, ResourceClaim");
  EXPECT_EQ(Error("just text"), "document 1: expected an object with a kind");
}

TEST(Objects, NullIsAbsentAndUnknownFieldsAreIgnored) {
  Objects objects;
  ASSERT_TRUE(objects.Add("kind: ResourceClaim\nmetadata: null\nspec: {devices: {requests: null, future: 1}}").ok());
  EXPECT_EQ(objects.claims[0].name, "");
  EXPECT_TRUE(objects.claims[0].requests.empty());
}

TEST(Objects, AClaimKeepsWhatItAsksFor) {
  Objects objects;
  ASSERT_TRUE(objects
                  .Add("kind: ResourceClaim\nmetadata: {name: c, namespace: d}\nspec: {devices: {requests: [{name: r, firstAvailable: "
                       "[{name: s, deviceClassName: x, count: 2, capacity: {requests: {memory: 6Gi}}}]}], config: [{requests: [r], opaque: "
                       "{driver: e}}]}}")
                  .ok());
  const ResourceClaim& claim = objects.claims[0];
  EXPECT_EQ(claim.FullName(), "d/c");
  ASSERT_EQ(claim.requests[0].first_available.size(), 1);
  EXPECT_EQ(claim.requests[0].first_available[0].capacity[0].amount.ToString(), "6Gi");
  EXPECT_EQ(claim.config[0].opaque.value()["driver"].AsString(), "e");
}

TEST(Objects, AnAllocationIsKnownByItsDevicesAndShares) {
  const auto of = [](const char* request, const char* pool, const char* share) {
    DeviceResult result;
    result.request = request, result.driver = "gpu.nvidia.com", result.pool = pool, result.device = "gpu-0", result.share_id = share;
    Allocation allocation;
    allocation.results.push_back(std::move(result));
    return allocation;
  };
  const Allocation mine = of("gpu", "n1", "s");
  Allocation written = mine;
  written.results[0].binding_conditions = {"ready"};
  EXPECT_TRUE(SameDevices(mine, written));
  for (const Allocation& other : {of("gpu", "n1", "t"), of("gpu", "n1", ""), of("gpu", "n2", "s"), of("two", "n1", "s"), Allocation()}) {
    EXPECT_FALSE(SameDevices(mine, other));
  }
}

TEST(Objects, APodNamesItsClaims) {
  const auto documents = json::ParseYaml(
      "metadata: {name: p, namespace: d}\n"
      "spec: {nodeName: n1, resourceClaims: [{name: gpu, resourceClaimTemplateName: t}], containers: [{name: c, resources: {limits: "
      "{nvidia.com/gpu: 1}, claims: [{name: gpu, request: r}]}}]}\n"
      "status: {phase: Running, resourceClaimStatuses: [{name: gpu, resourceClaimName: p-gpu-x}]}\n");
  ASSERT_TRUE(documents.ok());
  const auto pod = Pod::Read(documents->front().root());
  ASSERT_TRUE(pod.ok()) << pod.status().message();
  EXPECT_EQ(pod->claims[0].template_name, "t");
  EXPECT_FALSE(pod->claims[0].claim_name.has_value());
  EXPECT_EQ(pod->containers[0].limits[0].amount.ToString(), "1");
  EXPECT_EQ(pod->containers[0].claims[0].request, "r");
  EXPECT_EQ(pod->generated_claims[0].second, "p-gpu-x");
}

TEST(Objects, ATemplateAndAClassAreRead) {
  const auto documents = json::ParseYaml(
      "metadata: {name: t, namespace: d}\nspec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu, adminAccess: "
      "true}}]}}}\n---\n"
      "metadata: {name: gpu}\nspec: {extendedResourceName: nvidia.com/gpu, selectors: [{cel: {expression: 'true'}}, {}]}\n");
  ASSERT_TRUE(documents.ok());
  const auto made = ResourceClaimTemplate::Read((*documents)[0].root());
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made->spec.requests[0].exactly->admin_access, true);
  const auto device_class = DeviceClass::Read((*documents)[1].root());
  ASSERT_TRUE(device_class.ok());
  EXPECT_EQ(device_class->extended_resource_name, "nvidia.com/gpu");
  EXPECT_EQ(device_class->selectors[0].expression, "true");
  EXPECT_FALSE(device_class->selectors[1].expression.has_value());
  EXPECT_TRUE(device_class->StandsFor("nvidia.com/gpu"));
  EXPECT_TRUE(device_class->StandsFor("deviceclass.resource.kubernetes.io/gpu"));
  EXPECT_FALSE(device_class->StandsFor("deviceclass.resource.kubernetes.io/other"));
  EXPECT_FALSE(DeviceClass().StandsFor(""));
}

TEST(Objects, AmountsThatAClaimWasMadeForAreNotTheNodes) {
  const auto documents = json::ParseYaml(
      "spec: {containers: [{name: c, resources: {requests: {cpu: 1, nvidia.com/gpu: 1}}}, {name: d, resources: {requests: {nvidia.com/gpu: "
      "2, example.com/nic: 1}}}]}\n"
      "status: {extendedResourceClaimStatus: {resourceClaimName: p-x, requestMappings: [{containerName: c, resourceName: nvidia.com/gpu, "
      "requestName: r}, {containerName: d, resourceName: nvidia.com/gpu, requestName: s}]}}\n");
  ASSERT_TRUE(documents.ok());
  const auto pod = Pod::Read(documents->front().root());
  ASSERT_TRUE(pod.ok());
  EXPECT_EQ(pod->extended_claim, "p-x");
  const auto placement = Placement::Read(documents->front().root());
  ASSERT_TRUE(placement.ok());
  EXPECT_EQ(placement->requests, (Amounts{{"cpu", 1000}, {"example.com/nic", 1}}));
  EXPECT_EQ(placement->claimed, (Amounts{{"nvidia.com/gpu", 3}}));
}

}  // namespace
}  // namespace allot::model

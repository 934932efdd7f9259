#include "alloc/allocator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "alloc/test_world.h"
#include "alloc/words.h"

namespace allot::alloc {
namespace {

using testing::HasSubstr;

constexpr char kNode[] = R"(
kind: Node
metadata: {name: node-1}
---
kind: DeviceClass
metadata: {name: gpu}
spec: {selectors: [{cel: {expression: device.driver == "gpu.example.com"}}]}
)";

// A device of 24 GiB that can be shared.
std::string Gpu(std::string_view name, std::string_view more = "") {
  return StrCat("  - name: ", name,
                "\n    allowMultipleAllocations: true\n    capacity:\n      memory: {value: 24Gi, requestPolicy: {default: 24Gi, ",
                "validRange: {min: 1Mi, step: 1Mi}}}\n", more);
}

std::string Slice(std::string_view devices, std::string_view pool = "node-1") {
  return StrCat("---\nkind: ResourceSlice\nmetadata: {name: slice-", pool, "}\nspec:\n  driver: gpu.example.com\n  pool: {name: ", pool,
                ", generation: 1, resourceSliceCount: 1}\n  nodeName: node-1\n  devices:\n", devices);
}

std::string Claim(std::string_view name, std::string_view memory, int count = 1) {
  return StrCat("---\nkind: ResourceClaim\nmetadata: {name: ", name, ", namespace: default, uid: uid-", name,
                "}\nspec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu, allocationMode: ExactCount, count: ", count,
                memory.empty() ? "" : StrCat(", capacity: {requests: {memory: ", memory, "}}"), "}}]}}\n");
}

std::string Held(std::string_view name, std::string_view device, std::string_view memory, std::string_view pool = "node-1") {
  return StrCat("---\nkind: ResourceClaim\nmetadata: {name: ", name, ", namespace: default, uid: uid-", name,
                "}\nstatus: {reservedFor: [{name: pod-", name,
                ", uid: u}], allocation: {devices: {results: [{request: gpu, driver: gpu.example.com, pool: ", pool, ", device: ", device,
                ", shareID: s-", name, ", consumedCapacity: {memory: ", memory, "}}]}}}\n");
}

TEST(Allocator, FourClaimsOfSixGiShareOneGpuAndTheFifthWaits) {
  World world(kNode + Slice(Gpu("gpu-0")) + Held("a", "gpu-0", "6Gi") + Held("b", "gpu-0", "6Gi") + Held("c", "gpu-0", "6Gi") +
              Claim("d", "6Gi"));
  EXPECT_EQ(world.Devices(), "gpu-0");
  world.Add(Held("e", "gpu-0", "6Gi"));
  EXPECT_EQ(world.Devices(), "does not fit");
  world.ledger().Remove("uid-b");
  EXPECT_EQ(world.Devices(), "gpu-0");
}

TEST(Allocator, AClaimWithoutMemoryTakesTheWholeGpu) {
  World world(kNode + Slice(Gpu("gpu-0") + Gpu("gpu-1")) + Held("a", "gpu-0", "1Mi") + Claim("b", ""));
  EXPECT_EQ(world.Devices(), "gpu-1");
}

TEST(Allocator, OneRequestForTwoNeverGetsTheSameGpuTwice) {
  World world(kNode + Slice(Gpu("gpu-0")) + Claim("a", "1Gi", 2));
  EXPECT_EQ(world.Devices(), "does not fit");
}

TEST(Allocator, TwoClaimsOfOnePodMayShareAGpu) {
  World world(kNode + Slice(Gpu("gpu-0")) + Claim("a", "10Gi") + Claim("b", "10Gi"));
  EXPECT_EQ(world.Devices(), "gpu-0|gpu-0");
}

TEST(Allocator, SaysWhatIsFreeAndNamesTheHoldersOfTheRest) {
  World world(kNode + Slice(Gpu("gpu-0")) + Held("train-1", "gpu-0", "16Gi") + Held("train-2", "gpu-0", "6Gi") + Claim("b", "6Gi"));
  const auto answer = world.Allocate();
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(Words(answer->reasons),
            "claim default/b, request gpu: 1 device asked, and the only one does not fit\n"
            "  gpu-0: 6144 MiB asked, 2048 MiB of 24576 MiB free (held by default/pod-train-1, default/pod-train-2)\n");
}

TEST(Allocator, TenThousandEqualReasonsAreOneLine) {
  std::string devices;
  for (int i = 0; i < 10000; ++i) devices += StrCat("  - {name: gpu-", i, ", capacity: {memory: {value: 8Gi}}}\n");
  World world(kNode + Slice(devices) + Claim("a", "12Gi"));
  const auto answer = world.Allocate();
  ASSERT_TRUE(answer.ok());
  ASSERT_EQ(answer->reasons.ruled_out.size(), 1);
  EXPECT_THAT(Words(answer->reasons), HasSubstr("gpu-0, gpu-1, gpu-2 and 9997 more: 12288 MiB asked, 8192 MiB of 8192 MiB free"));
}

TEST(Allocator, GivesUpRatherThanSayThatNothingFits) {
  std::string devices;
  for (int i = 0; i < 5; ++i) devices += StrCat("  - {name: gpu-", i, "}\n");
  World world(kNode + Slice(devices) + Claim("a", "", 6));
  Options options;
  options.max_steps = 3;
  EXPECT_EQ(world.Devices(options), "gave up");
  options.max_steps = 100;
  EXPECT_EQ(world.Devices(options), "does not fit");
}

// Kubernetes tries every permutation here: seconds at ten devices, years at twenty.
TEST(Allocator, EqualDevicesAreTriedOnce) {
  std::string devices, claims;
  for (int i = 0; i < 20; ++i) devices += StrCat("  - {name: gpu-", i, ", attributes: {uuid: {string: GPU-", i, "}}}\n");
  for (int i = 0; i < 21; ++i) claims += Claim(StrCat("c", i), "");
  World world(kNode + Slice(devices) + claims);
  const auto answer = world.Allocate();
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->outcome, Answer::Outcome::kDoesNotFit);
  EXPECT_LT(answer->steps, 20000);
}

TEST(Allocator, SharesThatDoNotFitTogetherAreRecognisedQuickly) {
  std::string devices, claims;
  for (int i = 0; i < 8; ++i) devices += Gpu(StrCat("gpu-", i));
  for (int i = 0; i < 33; ++i) claims += Claim(StrCat("c", i), "6Gi");
  World world(kNode + Slice(devices) + claims);
  const auto answer = world.Allocate();
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->outcome, Answer::Outcome::kDoesNotFit);
  EXPECT_LT(answer->steps, 100000);
}

TEST(Allocator, BestFitLeavesTheLargeFreePartWhole) {
  World world(kNode + Slice(Gpu("gpu-0") + Gpu("gpu-1") + Gpu("gpu-2")) + Held("a", "gpu-1", "16Gi") + Held("b", "gpu-2", "4Gi") +
              Claim("c", "6Gi"));
  EXPECT_EQ(world.Devices(), "gpu-0");
  const auto best_fit = MakePreference("best-fit");
  ASSERT_TRUE(best_fit.ok());
  Options options;
  options.preference = best_fit->get();
  EXPECT_EQ(world.Devices(options), "gpu-1");
}

TEST(Allocator, APreferenceDoesNotChangeWhetherItFits) {
  // Best-fit would put the small claim on the small GPU first; the large one needs the large GPU either way.
  World world(kNode +
              Slice("  - {name: small, allowMultipleAllocations: true, capacity: {memory: {value: 8Gi}}}\n"
                    "  - {name: large, allowMultipleAllocations: true, capacity: {memory: {value: 24Gi}}}\n") +
              Claim("a", "8Gi") + Claim("b", "24Gi"));
  const auto best_fit = MakePreference("best-fit");
  Options options;
  options.preference = best_fit->get();
  EXPECT_EQ(world.Devices(), "small|large");
  EXPECT_EQ(world.Devices(options), "small|large");
}

TEST(Allocator, BestFitTakesTheSmallestOfGpusThatAreTakenWhole) {
  World world(kNode +
              Slice("  - {name: large, capacity: {memory: {value: 80Gi}}}\n"
                    "  - {name: small, capacity: {memory: {value: 24Gi}}}\n") +
              Claim("a", ""));
  const auto best_fit = MakePreference("best-fit");
  Options options;
  options.preference = best_fit->get();
  EXPECT_EQ(world.Devices(), "large");
  EXPECT_EQ(world.Devices(options), "small");
}

TEST(Allocator, ExplainingAConstraintDoesNotChangeIt) {
  // Three devices that differ are asked for, there are two values: what is left repeats the value that was picked last.
  World world(
      kNode +
      Slice("  - {name: gpu-0, attributes: {root: {string: a}}}\n"
            "  - {name: gpu-1, attributes: {root: {string: a}}}\n"
            "  - {name: gpu-2, attributes: {root: {string: a}}}\n") +
      "---\nkind: ResourceClaim\nmetadata: {name: c, uid: u}\nspec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu, "
      "allocationMode: ExactCount, count: 2}}], constraints: [{distinctAttribute: gpu.example.com/root}]}}\n");
  const auto answer = world.Allocate();
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(Words(answer->reasons),
            "claim c, request gpu: 2 devices asked, 1 of 3 fit alone, but not together with the rest\n"
            "  gpu-0: picked for this request already\n"
            "  gpu-1, gpu-2: its gpu.example.com/root is the same as that of a device picked before\n");
}

TEST(Allocator, ExtremeCountsDoNotOverflow) {
  World world(
      kNode + Slice(Gpu("gpu-0")) +
      "---\nkind: ResourceClaim\nmetadata: {name: c, uid: u}\nspec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu, "
      "allocationMode: ExactCount, count: -9223372036854775808}}, {name: s, exactly: {deviceClassName: gpu, allocationMode: ExactCount, "
      "count: -9223372036854775808}}]}}\n");
  EXPECT_EQ(world.Devices(), "");
}

TEST(Allocator, TooManyRequestsAreRefused) {
  std::string requests;
  for (int i = 0; i < 1025; ++i)
    requests += StrCat(i == 0 ? "" : ", ", "{name: r", i, ", exactly: {deviceClassName: gpu, allocationMode: ExactCount}}");
  World world(kNode + Slice(Gpu("gpu-0")) + "---\nkind: ResourceClaim\nmetadata: {name: c, uid: u}\nspec: {devices: {requests: [" +
              requests + "]}}\n");
  EXPECT_THAT(world.Devices(), HasSubstr("at most 1024"));
}

TEST(Allocator, BindingConditionsNeedBothGates) {
  const std::string_view one[] = {"DRADeviceBindingConditions"};
  const std::string_view both[] = {"DRADeviceBindingConditions+DRAResourceClaimDeviceStatus"};
  EXPECT_FALSE(Features::FromGates(one)->binding_conditions);
  EXPECT_TRUE(Features::FromGates(both)->binding_conditions);
}

TEST(Allocator, UnknownNamesAreRefused) {
  EXPECT_THAT(MakePreference("worst").status().message(), HasSubstr("\"worst\" is not one of first, best-fit, worst-fit"));
  EXPECT_THAT(QuirksOf("1.37").status().message(), HasSubstr("\"1.37\" is not known"));
  const std::string_view gates[] = {"DRANothing"};
  EXPECT_THAT(Features::FromGates(gates).status().message(), HasSubstr("\"DRANothing\""));
}

TEST(Allocator, AMissingClassIsNamed) {
  World world(std::string("kind: Node\nmetadata: {name: node-1}\n") + Slice(Gpu("gpu-0")) + Claim("a", ""));
  EXPECT_THAT(world.Devices(), HasSubstr("claim default/a, request gpu: could not retrieve device class gpu"));
}

TEST(Allocator, AnIncompletePoolIsSaidToBePublishing) {
  World world(kNode +
              std::string("---\nkind: ResourceSlice\nmetadata: {name: s}\nspec: {driver: gpu.example.com, pool: {name: p, generation: 1, "
                          "resourceSliceCount: 2}, nodeName: node-1, devices: [{name: gpu-0}]}\n") +
              Claim("a", ""));
  const auto answer = world.Allocate();
  ASSERT_TRUE(answer.ok());
  EXPECT_THAT(Words(answer->reasons), HasSubstr("pool p: its driver gpu.example.com is still publishing"));
}

TEST(Allocator, TooManyClaimsAreRefused) {
  std::string claims;
  for (int i = 0; i < 200; ++i) claims += Claim(StrCat("c", i), "");
  World world(kNode + Slice(Gpu("gpu-0")) + claims);
  EXPECT_THAT(world.Devices(), HasSubstr("at most 128"));
}

}  // namespace
}  // namespace allot::alloc

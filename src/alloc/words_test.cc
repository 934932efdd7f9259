#include "alloc/words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "alloc/allocator.h"
#include "alloc/test_world.h"
#include "base/strings.h"

namespace allot::alloc {
namespace {

using testing::ElementsAre;

model::Quantity Gi(int64_t number) { return model::Quantity::FromInt64(number << 30, model::Quantity::Format::kBinarySI); }

Reason NotEnough(int64_t asked, int64_t free, int64_t whole, std::vector<Holder> holders) {
  Reason reason;
  reason.kind = Reason::Kind::kNotEnough;
  reason.name = "memory";
  reason.asked = Gi(asked), reason.free = Gi(free), reason.whole = Gi(whole);
  reason.holders = std::move(holders);
  return reason;
}

TEST(Words, AnAmountThatIsShortNamesItsHolders) {
  const Reason reason = NotEnough(6, 2, 24, {{Holder::Kind::kPod, "lab/a"}, {Holder::Kind::kClaim, "lab/x"}});
  EXPECT_EQ(Words(reason), "6144 MiB asked, 2048 MiB of 24576 MiB free (held by lab/a, claim lab/x)");
  EXPECT_EQ(ShortWords(reason), "6144 MiB asked, 4096 MiB short");
}

TEST(Words, ADeviceThatIsTooSmallIsNotCalledShort) {
  EXPECT_EQ(ShortWords(NotEnough(32, 24, 24, {})), "32768 MiB asked, more than it has");
}

TEST(Words, ThePodsOwnRequestsAreNotCalledOtherHolders) {
  const Reason reason = NotEnough(16, 8, 24, {{Holder::Kind::kThisPod, ""}});
  EXPECT_EQ(Words(reason), "16384 MiB asked, 8192 MiB of 24576 MiB free (held by this Pod's claim)");
  EXPECT_EQ(ShortWords(reason), "16384 MiB asked, 8192 MiB left beside its other requests");
}

TEST(Words, OtherCapacitiesHaveTheirNames) {
  Reason reason = NotEnough(0, 0, 0, {});
  reason.name = "gpu.example.com/slots";
  reason.asked = model::Quantity::FromInt64(4, model::Quantity::Format::kDecimalSI);
  EXPECT_EQ(Words(reason), "gpu.example.com/slots: 4 asked, 0 of 0 free");
}

TEST(Words, ASelectorSaysWhatItFound) {
  Reason reason;
  reason.kind = Reason::Kind::kSelectorFalse;
  reason.selector = 2;
  reason.device_class = "gpu";
  reason.found.reads = {{"productName", "\"NVIDIA L4\""}, {"index", std::nullopt}};
  EXPECT_EQ(Words(reason), "class gpu, selector 2 is false: productName is \"NVIDIA L4\", index is missing");
}

TEST(Reasons, CarryTheFactsOfEachDevice) {
  World world(
      std::string("kind: Node\nmetadata: {name: node-1}\n---\nkind: DeviceClass\nmetadata: {name: gpu}\n"
                  "---\nkind: ResourceSlice\nmetadata: {name: s}\nspec: {driver: gpu.example.com, pool: {name: p, generation: 1, "
                  "resourceSliceCount: 1}, nodeName: node-1, devices: [{name: small, capacity: {memory: {value: 8Gi}}}, {name: ill, "
                  "capacity: {memory: {value: 24Gi}}, taints: [{key: ill, value: xid, effect: NoSchedule}]}]}\n"
                  "---\nkind: ResourceClaim\nmetadata: {name: c, namespace: lab, uid: u}\nspec: {devices: {requests: [{name: gpu, "
                  "exactly: {deviceClassName: gpu, allocationMode: ExactCount, count: 1, capacity: {requests: {memory: "
                  "12Gi}}}}]}}\n"));
  const auto answer = world.Allocate();
  ASSERT_TRUE(answer.ok());
  const Reasons& reasons = answer->reasons;
  EXPECT_EQ(reasons.kind, Reasons::Kind::kNoneFits);
  EXPECT_EQ(reasons.asked, 1);
  EXPECT_EQ(reasons.devices, 2u);
  ASSERT_EQ(reasons.ruled_out.size(), 2u);
  EXPECT_THAT(reasons.ruled_out[0].devices, ElementsAre("small"));
  EXPECT_TRUE(reasons.ruled_out[0].reason.IsTooSmall());
  EXPECT_EQ(reasons.ruled_out[0].reason.whole, Gi(8));
  EXPECT_EQ(reasons.ruled_out[1].reason.kind, Reason::Kind::kTainted);
  EXPECT_EQ(reasons.ruled_out[1].reason.taint, (Reason::Taint{"ill", "xid", "NoSchedule"}));
}

TEST(Reasons, NameTheAlternativeThatCameFarthest) {
  World world(
      std::string("kind: Node\nmetadata: {name: node-1}\n---\nkind: DeviceClass\nmetadata: {name: gpu}\n"
                  "---\nkind: ResourceSlice\nmetadata: {name: s}\nspec: {driver: gpu.example.com, pool: {name: p, generation: 1, "
                  "resourceSliceCount: 1}, nodeName: node-1, devices: [{name: gpu-0, capacity: {memory: {value: 24Gi}}}]}\n"
                  "---\nkind: ResourceClaim\nmetadata: {name: c, namespace: lab, uid: u}\nspec: {devices: {requests: [{name: gpu, "
                  "firstAvailable: [{name: other, deviceClassName: gpu, allocationMode: ExactCount, count: 1, selectors: [{cel: "
                  "{expression: 'false'}}]}, {name: large, deviceClassName: gpu, allocationMode: ExactCount, count: 1, capacity: "
                  "{requests: {memory: 32Gi}}}]}]}}\n"));
  const auto answer = world.Allocate();
  ASSERT_TRUE(answer.ok()) << answer.status().message();
  ASSERT_EQ(answer->reasons.ruled_out.size(), 1u);
  EXPECT_EQ(answer->reasons.ruled_out[0].reason.alternative, "large");
  EXPECT_EQ(answer->reasons.ruled_out[0].reason.kind, Reason::Kind::kNotEnough);
}

// A node with the class gpu, these devices, and a claim with these requests, in flow style.
std::string WorldYaml(std::string_view devices, std::string_view requests) {
  return StrCat("kind: Node\nmetadata: {name: node-1}\n---\nkind: DeviceClass\nmetadata: {name: gpu}\n",
                "---\nkind: ResourceSlice\nmetadata: {name: s}\nspec: {driver: gpu.example.com, pool: {name: p, generation: 1, ",
                "resourceSliceCount: 1}, nodeName: node-1, devices: [", devices,
                "]}\n---\nkind: ResourceClaim\nmetadata: {name: c, namespace: lab, uid: u}\nspec: {devices: {requests: [", requests,
                "]}}\n");
}

// An alternative of a request that asks for so much of a capacity.
std::string Alternative(std::string_view name, std::string_view capacity, std::string_view amount) {
  return StrCat("{name: ", name, ", deviceClassName: gpu, allocationMode: ExactCount, count: 1, capacity: {requests: {", capacity, ": ",
                amount, "}}}");
}

TEST(Reasons, BugOnePolicyOnTwoSizesOfGpuGaveTwoEqualLines) {
  constexpr std::string_view kPolicy = "Gi, requestPolicy: {default: 1Gi, validRange: {min: 1Gi, max: 4Gi, step: 1Gi}}}}}";
  const std::string gpu = "allowMultipleAllocations: true, capacity: {memory: {value: ";
  World world(WorldYaml(StrCat("{name: gpu-0, ", gpu, 24, kPolicy, ", {name: gpu-1, ", gpu, 48, kPolicy),
                        "{name: gpu, exactly: {deviceClassName: gpu, allocationMode: ExactCount, count: 1, capacity: {requests: {memory: "
                        "5Gi}}}}"));
  const auto answer = world.Allocate();
  ASSERT_TRUE(answer.ok()) << answer.status().message();
  ASSERT_EQ(answer->reasons.ruled_out.size(), 1u);
  EXPECT_THAT(answer->reasons.ruled_out[0].devices, ElementsAre("gpu-0", "gpu-1"));
  const Reason& reason = answer->reasons.ruled_out[0].reason;
  EXPECT_EQ(reason.kind, Reason::Kind::kCapacityPolicy);
  EXPECT_TRUE(reason.free.IsZero() && reason.whole.IsZero()) << "of kNotEnough only";
  EXPECT_EQ(Words(reason), "memory: 5Gi asked, but the device gives 1Gi to 4Gi in steps of 1Gi");
}

TEST(Reasons, BugASentenceWasRepeatedForEachAlternative) {
  Reason first;
  first.kind = Reason::Kind::kTakenWhole;
  first.holders = {{Holder::Kind::kPod, "lab/a"}};
  Reason second = first;
  first.alternative = "large", second.alternative = "small";
  Reasons reasons;
  reasons.kind = Reasons::Kind::kNoneFits;
  reasons.claim = "lab/c", reasons.request = "gpu";
  reasons.asked = 1, reasons.devices = 2;
  reasons.ruled_out = {{first, {"gpu-0"}}, {second, {"gpu-1"}}};
  EXPECT_EQ(Words(reasons), "claim lab/c, request gpu: 1 device asked, none of the 2 fits\n  gpu-0, gpu-1: taken whole by lab/a\n");
}

TEST(Reasons, BugAmountsOfDifferentCapacitiesDecidedWhichAlternativeIsNearer) {
  World world(WorldYaml(
      "{name: gpu-0, allowMultipleAllocations: true, capacity: {memory: {value: 24Gi}, slots: {value: 8}}}",
      StrCat("{name: gpu, firstAvailable: [", Alternative("large", "memory", "32Gi"), ", ", Alternative("many", "slots", "40"), "]}")));
  const auto answer = world.Allocate();
  ASSERT_TRUE(answer.ok()) << answer.status().message();
  ASSERT_EQ(answer->reasons.ruled_out.size(), 1u);
  EXPECT_EQ(answer->reasons.ruled_out[0].reason.alternative, "large");
}

}  // namespace
}  // namespace allot::alloc

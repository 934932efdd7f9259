#include "alloc/capacity.h"

#include <gtest/gtest.h>

namespace allot::alloc {
namespace {

using model::Capacity;
using model::CapacityPolicy;
using model::Quantity;

Quantity Q(const char* text) { return *Quantity::Parse(text); }

Capacity Memory(const char* value, std::optional<CapacityPolicy> policy = std::nullopt) {
  return {model::QualifiedName::Of("memory"), Q(value), policy ? std::make_shared<const CapacityPolicy>(*std::move(policy)) : nullptr};
}

CapacityPolicy Range(const char* min, const char* max, const char* step) {
  CapacityPolicy policy;
  policy.has_range = true;
  policy.min = Q(min);
  if (max != nullptr) policy.max = Q(max);
  if (step != nullptr) policy.step = Q(step);
  return policy;
}

std::string Consumed(const char* requested, const Capacity& capacity) {
  if (requested == nullptr) return ConsumedAmount(nullptr, capacity).ToString();
  const Quantity quantity = Q(requested);
  return ConsumedAmount(&quantity, capacity).ToString();
}

TEST(Capacity, WithoutARequestItIsTheDefaultOrAll) {
  EXPECT_EQ(Consumed(nullptr, Memory("24Gi")), "24Gi");
  CapacityPolicy policy;
  policy.default_value = Q("4Gi");
  EXPECT_EQ(Consumed(nullptr, Memory("24Gi", policy)), "4Gi");
}

TEST(Capacity, ARangeRoundsUpToItsSteps) {
  const Capacity memory = Memory("24Gi", Range("1Gi", nullptr, "512Mi"));
  EXPECT_EQ(Consumed("1", memory), "1Gi");
  EXPECT_EQ(Consumed("1Gi", memory), "1Gi");
  EXPECT_EQ(Consumed("1025Mi", memory), "1536Mi");
  EXPECT_EQ(Consumed("2Gi", memory), "2Gi");
}

TEST(Capacity, ValidValuesRoundUpToTheNext) {
  CapacityPolicy policy;
  policy.valid_values = {Q("2Gi"), Q("8Gi")};
  const Capacity memory = Memory("24Gi", policy);
  EXPECT_EQ(Consumed("1Gi", memory), "2Gi");
  EXPECT_EQ(Consumed("3Gi", memory), "8Gi");
  EXPECT_EQ(Consumed("9Gi", memory), "9Gi");
  EXPECT_TRUE(ViolatesPolicy(Q("9Gi"), policy));
  EXPECT_FALSE(ViolatesPolicy(Q("8192Mi"), policy));
}

TEST(Capacity, AboveTheMaximumOrOffStepViolates) {
  const CapacityPolicy policy = Range("1Gi", "8Gi", "1Gi");
  EXPECT_FALSE(ViolatesPolicy(Q("8Gi"), policy));
  EXPECT_TRUE(ViolatesPolicy(Q("9Gi"), policy));
  EXPECT_TRUE(ViolatesPolicy(Q("1536Mi"), policy));
}

// Kubernetes compares the default as a Go struct: the same amount in another notation is not the default.
TEST(Capacity, OnlyTheDefaultInItsOwnNotationIsBeyondThePolicy) {
  CapacityPolicy policy = Range("1Gi", "8Gi", nullptr);
  policy.default_value = Q("17Gi");
  EXPECT_FALSE(ViolatesPolicy(Q("17Gi"), policy));
  EXPECT_TRUE(ViolatesPolicy(Q("17408Mi"), policy));
}

TEST(Capacity, AStepOfZeroDoesNotCrash) {
  const Capacity memory = Memory("24Gi", Range("1Gi", nullptr, "0"));
  EXPECT_EQ(Consumed("2Gi", memory), "1Gi");
}

TEST(Capacity, AddsWhatIsHeldAndWhatIsTaken) {
  model::Device device;
  device.capacity = {Memory("24Gi")};
  model::DeviceRequest request;
  request.capacity = {{"memory", Q("6Gi")}};
  Usage usage;
  usage.consumed = {{"memory", Q("12Gi")}};
  const std::vector<Quantity> taken = {Q("6Gi")};
  EXPECT_TRUE(CapacityFits(request, device, &usage, taken));
  request.capacity = {{"memory", Q("6145Mi")}};
  CapacityProblem problem;
  EXPECT_FALSE(CapacityFits(request, device, &usage, taken, &problem));
  EXPECT_EQ(problem.why, CapacityProblem::Why::kNotEnough);
  EXPECT_EQ(problem.free, Q("6Gi"));
}

TEST(Capacity, BugAnAmountThatWrapsWhenItIsRoundedUpDidFit) {
  model::Device device;
  device.capacity = {Memory("24Gi", Range("1Mi", "24Gi", "1Mi"))};
  model::DeviceRequest request;
  for (const char* amount : {"8Ei", "9223372036853727233", "9223372036854775807"}) {
    request.capacity = {{"memory", Q(amount)}};
    CapacityProblem problem;
    EXPECT_FALSE(CapacityFits(request, device, nullptr, {}, &problem)) << amount;
    EXPECT_EQ(problem.why, CapacityProblem::Why::kNotEnough) << amount;
    EXPECT_EQ(problem.asked, Q(amount));
  }
}

TEST(Capacity, ANameThatTheDeviceDoesNotHaveDoesNotFit) {
  model::Device device;
  device.capacity = {Memory("24Gi")};
  model::DeviceRequest request;
  request.capacity = {{"gpu.nvidia.com/memory", Q("1Gi")}};
  CapacityProblem problem;
  EXPECT_FALSE(CapacityFits(request, device, nullptr, {}, &problem));
  EXPECT_EQ(problem.why, CapacityProblem::Why::kUnknownName);
}

}  // namespace
}  // namespace allot::alloc

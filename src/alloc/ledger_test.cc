#include "alloc/ledger.h"

#include <gtest/gtest.h>

namespace allot::alloc {
namespace {

using model::Quantity;

model::ResourceClaim Claim(std::string_view uid, std::vector<model::DeviceResult> results) {
  model::ResourceClaim claim;
  claim.name = uid;
  claim.uid = uid;
  claim.allocation.emplace();
  claim.allocation->results = std::move(results);
  return claim;
}

model::DeviceResult Share(std::string_view device, const char* memory) {
  model::DeviceResult result;
  result.driver = "d";
  result.pool = "p";
  result.device = device;
  result.share_id = "s";
  result.consumed_capacity = {{"memory", *Quantity::Parse(memory)}};
  return result;
}

TEST(Ledger, AddsUpTheSharesOfADevice) {
  Ledger ledger;
  ledger.Add(Claim("a", {Share("gpu-0", "6Gi")}));
  ledger.Add(Claim("b", {Share("gpu-0", "512Mi"), Share("gpu-1", "1Gi")}));
  EXPECT_EQ(ledger.Find({"d", "p", "gpu-0"})->Consumed("memory")->ToString(), "6656Mi");
  EXPECT_EQ(ledger.Find({"d", "p", "gpu-1"})->holds.size(), 1);
  EXPECT_EQ(ledger.Find({"d", "p", "gpu-2"}), nullptr);
  EXPECT_EQ(ledger.Find({"d", "q", "gpu-0"}), nullptr);
}

TEST(Ledger, BugAShareWithANegativeAmountMadeRoomForOthers) {
  Ledger ledger;
  ledger.Add(Claim("a", {Share("gpu-0", "6Gi")}));
  ledger.Add(Claim("b", {Share("gpu-0", "-9223372036854775808")}));
  const Usage* usage = ledger.Find({"d", "p", "gpu-0"});
  EXPECT_EQ(*usage->Consumed("memory"), *Quantity::Parse("6Gi"));
  EXPECT_EQ(usage->whole, 1);
  ledger.Remove("b");
  EXPECT_EQ(ledger.Find({"d", "p", "gpu-0"})->whole, 0);
}

TEST(Ledger, RemovingAClaimRestoresWhatWasBefore) {
  Ledger ledger;
  ledger.Add(Claim("a", {Share("gpu-0", "6Gi")}));
  ledger.Add(Claim("b", {Share("gpu-0", "100m"), Share("gpu-0", "3Gi")}));
  ledger.Remove("b");
  const Usage* usage = ledger.Find({"d", "p", "gpu-0"});
  EXPECT_EQ(*usage->Consumed("memory"), *Quantity::Parse("6Gi"));
  EXPECT_EQ(usage->shares, 1);
  EXPECT_EQ(usage->with_capacity, 1);
  ledger.Remove("b");
  ledger.Remove("a");
  EXPECT_TRUE(ledger.empty());
}

TEST(Ledger, AddingAClaimAgainReplacesIt) {
  Ledger ledger;
  ledger.Add(Claim("a", {Share("gpu-0", "6Gi")}));
  ledger.Add(Claim("a", {Share("gpu-1", "2Gi")}));
  EXPECT_EQ(ledger.Find({"d", "p", "gpu-0"}), nullptr);
  EXPECT_EQ(*ledger.Find({"d", "p", "gpu-1"})->Consumed("memory"), *Quantity::Parse("2Gi"));
}

TEST(Ledger, AdminAccessHoldsNothing) {
  Ledger ledger;
  model::DeviceResult result = Share("gpu-0", "6Gi");
  result.admin_access = true;
  ledger.Add(Claim("a", {result}));
  EXPECT_TRUE(ledger.empty());
}

TEST(Ledger, AWholeDeviceIsNotAShare) {
  Ledger ledger;
  model::DeviceResult result = Share("gpu-0", "6Gi");
  result.share_id.clear();
  ledger.Add(Claim("a", {result}));
  const Usage* usage = ledger.Find({"d", "p", "gpu-0"});
  EXPECT_EQ(usage->whole, 1);
  EXPECT_EQ(usage->shares, 0);
  EXPECT_EQ(usage->Consumed("memory"), nullptr);
}

}  // namespace
}  // namespace allot::alloc

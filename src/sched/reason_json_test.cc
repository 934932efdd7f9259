#include "sched/reason_json.h"

#include <gtest/gtest.h>

#include <memory>

#include "json/editor.h"
#include "json/json.h"
#include "json/yaml_write.h"

namespace allot::sched {
namespace {

template <typename Value>
std::string JsonOf(const Value& value) {
  json::Arena arena;
  json::Builder b(arena);
  b.StartObject();
  WriteReason(value, b);
  b.EndObject();
  return json::WriteSortedJson(b.Finish());
}

TEST(ReasonJson, ADeviceHasItsKindAndAmountsAsQuantities) {
  alloc::Reason reason;
  reason.kind = alloc::Reason::Kind::kNotEnough;
  reason.name = "memory";
  reason.asked = model::Quantity::FromInt64(int64_t{6} << 30, model::Quantity::Format::kBinarySI);
  reason.free = model::Quantity::FromInt64(int64_t{2} << 30, model::Quantity::Format::kBinarySI);
  reason.whole = model::Quantity::FromInt64(int64_t{24} << 30, model::Quantity::Format::kBinarySI);
  reason.holders = {{alloc::Holder::Kind::kPod, "lab/a"}};
  const Result<json::Document> made = json::Parse(JsonOf(reason));
  ASSERT_TRUE(made.ok());
  const json::Value& facts = made->root()["facts"];
  EXPECT_EQ(json::TextOf(made->root()["kind"]), "NotEnough");
  EXPECT_EQ(json::TextOf(facts["capacity"]), "memory");
  EXPECT_EQ(json::TextOf(facts["asked"]), "6Gi");
  EXPECT_EQ(json::TextOf(facts["free"]), "2Gi");
  EXPECT_EQ(json::TextOf(facts["whole"]), "24Gi");
  EXPECT_EQ(json::TextOf(facts["holders"].Items()[0]["name"]), "lab/a");
  EXPECT_TRUE(facts["selector"].IsNull());
}

TEST(ReasonJson, ANodeHasItsKindAndOnlyTheFactsOfTheKind) {
  const Result<json::Document> made =
      json::Parse(JsonOf(NodeReason{.kind = NodeReason::Kind::kResource, .key = "cpu", .asked = 4000, .free = 500, .whole = 8000}));
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(json::TextOf(made->root()["kind"]), "Resource");
  EXPECT_EQ(json::TextOf(made->root()["facts"]["resource"]), "cpu");
  EXPECT_EQ(made->root()["facts"]["free"].AsInt64().value_or(0), 500);
  EXPECT_TRUE(made->root()["facts"]["label"].IsNull());
}

// A node without devices that fit, for a claim of one request.
NodeReason Devices(alloc::Reasons::Kind kind) {
  NodeReason reason{.kind = NodeReason::Kind::kDevices};
  reason.devices.kind = kind;
  reason.devices.claim = "lab/c";
  reason.devices.request = "gpu";
  reason.devices.asked = 2;
  reason.devices.devices = 3;
  return reason;
}

std::string FactsOf(const NodeReason& reason) {
  const Result<json::Document> made = json::Parse(JsonOf(reason));
  return made.ok() ? json::Write(made->root()["facts"]) : made.status().message();
}

TEST(ReasonJson, BugTooManyDevicesLookedLikeNoneThatFits) {
  EXPECT_EQ(FactsOf(Devices(alloc::Reasons::Kind::kNoneFits)),
            R"({"asked":2,"claim":"lab/c","devices":3,"fit":0,"problem":"NoneFits","request":"gpu"})");
  NodeReason all = Devices(alloc::Reasons::Kind::kTooMany);
  all.devices.all = true;
  EXPECT_EQ(FactsOf(all), R"({"all":true,"asked":2,"claim":"lab/c","devices":3,"fit":0,"problem":"TooMany","request":"gpu"})");
}

TEST(ReasonJson, BugSeveralDevicesHadNoClaimAndDidNotSayWhetherTheyDiffer) {
  NodeReason several = Devices(alloc::Reasons::Kind::kNoneFits);
  several.kind = NodeReason::Kind::kSeveralDevices;
  several.devices.request.clear();
  several.asked = 4;
  several.fit_alone = 1;
  EXPECT_EQ(FactsOf(several), R"({"asked":4,"claim":"lab/c","devices":3,"each":"Share","fit":1})");
  several.differ = true;
  EXPECT_EQ(FactsOf(several), R"({"asked":4,"claim":"lab/c","devices":3,"each":"GPU","fit":1})");
}

TEST(ReasonJson, BugPoolsThatCannotBeUsedWereLeftOut) {
  NodeReason reason = Devices(alloc::Reasons::Kind::kNoneFits);
  alloc::Reason pool;
  pool.kind = alloc::Reason::Kind::kPoolIncomplete;
  pool.name = "n1", pool.driver = "gpu.example.com";
  reason.devices.ruled_out = {{{}, {"gpu-0"}}, {pool, {}}};
  const Result<json::Document> made = json::Parse(JsonOf(reason));
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(json::Write(made->root()["pools"]), R"([{"facts":{"driver":"gpu.example.com","pool":"n1"},"kind":"PoolIncomplete"}])");
}

TEST(ReasonJson, BugAVolumeWasASentence) {
  json::Arena arena;
  json::Builder b(arena);
  b.StartObject();
  WriteFacts(Obstacle{.kind = Obstacle::Kind::kVolume, .volume = {"data", "models"}}, b);
  b.EndObject();
  EXPECT_EQ(json::Write(b.Finish()), R"({"volume":"data","volumeClaim":"models"})");
}

}  // namespace
}  // namespace allot::sched

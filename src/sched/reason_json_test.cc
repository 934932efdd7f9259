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

}  // namespace
}  // namespace allot::sched

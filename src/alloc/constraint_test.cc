#include "alloc/constraint.h"

#include <gtest/gtest.h>

namespace allot::alloc {
namespace {

using model::AttributeValue;

model::Device Device(std::string_view attribute, std::string_view value) {
  model::Device device;
  AttributeValue text;
  text.kind = AttributeValue::Kind::kString;
  text.text = value;
  device.attributes = {{model::QualifiedName::Of(attribute), text}};
  return device;
}

model::Device ListDevice(std::vector<std::string_view> values) {
  model::Device device = Device("d/a", "");
  device.attributes[0].value.kind = AttributeValue::Kind::kStrings;
  AttributeValue::List list;
  list.texts = std::move(values);
  device.attributes[0].value.list = std::make_shared<const AttributeValue::List>(std::move(list));
  return device;
}

const Features kFeatures = Features::Defaults();

model::Constraint Match() { return {{}, "d/a", std::nullopt}; }
model::Constraint Distinct() { return {{}, std::nullopt, "d/a"}; }

TEST(Constraint, FindsAnAttributeWithoutItsDomainWhereThatIsTheDrivers) {
  const model::Device device = Device("a", "x");
  EXPECT_NE(FindAttribute(device, "d", "d/a"), nullptr);
  EXPECT_EQ(FindAttribute(device, "e", "d/a"), nullptr);
  EXPECT_EQ(FindAttribute(device, "d", "a/d"), nullptr);
}

TEST(Constraint, MatchTakesOnlyTheValueOfTheFirst) {
  const Quirks quirks;
  const model::Constraint spec = Match();
  Constraint constraint(spec, kFeatures, quirks);
  const model::Device x = Device("d/a", "x"), y = Device("d/a", "y"), none = Device("d/b", "x");
  EXPECT_TRUE(constraint.Add(0, x, "d"));
  EXPECT_FALSE(constraint.Add(0, y, "d"));
  EXPECT_FALSE(constraint.Add(0, none, "d"));
  constraint.Remove(0);
  EXPECT_TRUE(constraint.Add(0, y, "d"));
}

TEST(Constraint, DistinctForgetsAllButTheLatestOfARequestAsKubernetesDoes) {
  const model::Constraint spec = Distinct();
  const model::Device x = Device("d/a", "x"), y = Device("d/a", "y");
  Quirks quirks;
  Constraint quirky(spec, kFeatures, quirks);
  EXPECT_TRUE(quirky.Add(0, x, "d"));
  EXPECT_FALSE(quirky.Add(0, x, "d"));
  EXPECT_TRUE(quirky.Add(0, y, "d"));
  EXPECT_TRUE(quirky.Add(0, x, "d"));

  quirks.distinct_keeps_one_value_per_request = false;
  Constraint strict(spec, kFeatures, quirks);
  EXPECT_TRUE(strict.Add(0, x, "d"));
  EXPECT_TRUE(strict.Add(0, y, "d"));
  EXPECT_FALSE(strict.Add(0, x, "d"));
  strict.Remove(0);
  EXPECT_FALSE(strict.Add(0, x, "d"));
}

TEST(Constraint, MatchOfListsDoesNotGetBackWhatWasRuledOutAsInKubernetes) {
  Features features = kFeatures;
  features.list_type_attributes = true;
  const model::Constraint spec = Match();
  const model::Device ab = ListDevice({"a", "b"}), a = ListDevice({"a"}), b = ListDevice({"b"});
  Quirks quirks;
  for (const bool quirk : {true, false}) {
    quirks.match_keeps_narrowed_list = quirk;
    Constraint constraint(spec, features, quirks);
    EXPECT_TRUE(constraint.Add(0, ab, "d"));
    EXPECT_TRUE(constraint.Add(0, a, "d"));
    constraint.Remove(0);
    EXPECT_EQ(constraint.Add(0, b, "d"), !quirk);
  }
}

TEST(Constraint, ConcernsARequestAndItsAlternatives) {
  const Quirks quirks;
  model::Constraint spec = Match();
  spec.requests = {"gpu", "nic/fast"};
  const Constraint constraint(spec, kFeatures, quirks);
  EXPECT_TRUE(constraint.Concerns("gpu", ""));
  EXPECT_TRUE(constraint.Concerns("gpu", "large"));
  EXPECT_TRUE(constraint.Concerns("nic", "fast"));
  EXPECT_FALSE(constraint.Concerns("nic", "slow"));
  EXPECT_FALSE(constraint.Concerns("nic", ""));
}

TEST(Constraint, TheFingerprintTellsStatesApart) {
  const Quirks quirks;
  const model::Constraint spec = Match();
  const model::Device x = Device("d/a", "x"), y = Device("d/a", "y");
  Constraint one(spec, kFeatures, quirks), two(spec, kFeatures, quirks);
  EXPECT_EQ(one.Fingerprint(), two.Fingerprint());
  one.Add(0, x, "d");
  EXPECT_FALSE(one.Fingerprint() == two.Fingerprint());
  two.Add(0, y, "d");
  EXPECT_FALSE(one.Fingerprint() == two.Fingerprint());
  one.Remove(0);
  two.Remove(0);
  EXPECT_EQ(one.Fingerprint(), two.Fingerprint());
}

}  // namespace
}  // namespace allot::alloc

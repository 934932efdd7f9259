#include "json/value.h"

#include <limits>

#include "base/test_util.h"
#include "json/json.h"

namespace allot::json {
namespace {

Document J(std::string_view text) {
  auto document = Parse(text);
  EXPECT_OK(document) << text;
  return document.ok() ? *std::move(document) : Document();
}

TEST(Value, IsTwoWords) { EXPECT_EQ(sizeof(Value), 16u); }

TEST(Value, IntegersAreExactUpTo64Bits) {
  EXPECT_EQ(J("9223372036854775807").root().AsInt64(), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(J("-9223372036854775808").root().AsInt64(), std::numeric_limits<int64_t>::min());
  for (const std::string_view text : {"9223372036854775808", "1.0", "1e3", "0.5"})
    EXPECT_EQ(J(text).root().AsInt64(), std::nullopt) << text;
}

TEST(Value, DoublesAreTheNearest) {
  EXPECT_EQ(J("0.1").root().AsDouble(), 0.1);
  EXPECT_EQ(J("1.7976931348623157e308").root().AsDouble(), std::numeric_limits<double>::max());
  EXPECT_EQ(J("-1e999").root().AsDouble(), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(J("1e-999").root().AsDouble(), 0);
  EXPECT_EQ(J("5e-324").root().AsDouble(), std::numeric_limits<double>::denorm_min());
}

TEST(Value, MissingMembersReadAsNull) {
  const Document d = J(R"({"a":{"b":[1]}})");
  EXPECT_EQ(d.root()["a"]["b"].Items()[0].AsInt64(), 1);
  EXPECT_TRUE(d.root()["x"]["y"]["z"].IsNull());
  EXPECT_TRUE(d.root()["a"]["b"]["c"].IsNull());
  EXPECT_EQ(d.root().Find("x"), nullptr);
}

TEST(Value, MembersKeepTheirOrder) {
  const Document d = J(R"({"z":1,"a":2,"m":3})");
  std::string keys;
  for (const Member& member : d.root().Members()) keys += member.key;
  EXPECT_EQ(keys, "zam");
}

TEST(Value, EqualIgnoresTheOrderOfMembersAndTheSpellingOfNumbers) {
  EXPECT_TRUE(Equal(J(R"({"a":1,"b":[true,null,"x"]})").root(), J(R"({"b":[true,null,"x"],"a":1})").root()));
  EXPECT_TRUE(Equal(J("1.0").root(), J("1").root()));
  EXPECT_TRUE(Equal(J("-0").root(), J("0").root()));
  EXPECT_TRUE(Equal(J("[]").root(), J("[]").root()));
}

TEST(Value, EqualSeesEveryOtherDifference) {
  const std::string_view different[] = {
      "null", "false", "true",  "0",  "1",          "18446744073709551615", "18446744073709551614", R"("")",           R"("a")",
      "[]",   "[1]",   "[1,2]", "{}", R"({"a":1})", R"({"a":2})",           R"({"b":1})",           R"({"a":1,"b":1})"};
  for (const auto& a : different) {
    for (const auto& b : different) EXPECT_EQ(Equal(J(a).root(), J(b).root()), &a == &b) << a << " and " << b;
  }
}

TEST(Value, KindsHaveTheWordsOfErrorMessages) {
  EXPECT_EQ(KindName(Kind::kArray), "a list");
  EXPECT_EQ(KindName(Kind::kObject), "an object");
}

}  // namespace
}  // namespace allot::json

#include "json/yaml_scalar.h"

#include "base/test_util.h"

namespace allot::json {
namespace {

using Kind = Scalar::Kind;

void ExpectAll(Kind kind, std::initializer_list<std::pair<std::string_view, std::string_view>> cases) {
  for (const auto& [text, meaning] : cases) {
    const Scalar scalar = ResolveScalar(text);
    EXPECT_EQ(scalar.kind, kind) << text;
    EXPECT_EQ(scalar.text, meaning) << text;
  }
}

TEST(YamlScalar, WordsOfYaml11AreBoolsAndNulls) {
  ExpectAll(Kind::kBool, {{"true", "true"},
                          {"True", "true"},
                          {"yes", "true"},
                          {"y", "true"},
                          {"ON", "true"},
                          {"n", "false"},
                          {"No", "false"},
                          {"off", "false"}});
  ExpectAll(Kind::kNull, {{"", "null"}, {"~", "null"}, {"null", "null"}, {"Null", "null"}, {"NULL", "null"}});
  ExpectAll(Kind::kString, {{"tRue", "tRue"}, {"yEs", "yEs"}, {"nuLL", "nuLL"}});
}

TEST(YamlScalar, IntegersInFourBases) {
  ExpectAll(Kind::kInt, {{"0", "0"},
                         {"-0", "0"},
                         {"+12", "12"},
                         {"1_000", "1000"},
                         {"0777", "511"},
                         {"0o17", "15"},
                         {"0x1F", "31"},
                         {"-0x1f", "-31"},
                         {"0b101", "5"},
                         {"-0b11", "-3"},
                         {"0_", "0"},
                         {"00", "0"},
                         {"9223372036854775808", "9223372036854775808"},
                         {"-9223372036854775808", "-9223372036854775808"},
                         {"0xFFFFFFFFFFFFFFFF", "18446744073709551615"}});
}

TEST(YamlScalar, OtherNumbersBecomeTheShortestDouble) {
  ExpectAll(Kind::kFloat, {{"1.0", "1"},
                           {"1.50", "1.5"},
                           {".5", "0.5"},
                           {"+.5", "0.5"},
                           {"1.", "1"},
                           {"08", "8"},
                           {"1e3", "1000"},
                           {"1E-7", "1e-7"},
                           {"1e20", "100000000000000000000"},
                           {"1e21", "1e+21"},
                           {"-0.0", "-0"},
                           {".1_5", "0.15"},
                           {"0.000001", "0.000001"},
                           {"1e-400", "0"},
                           {"18446744073709551616", "18446744073709552000"},
                           {"+18446744073709551615", "18446744073709552000"},
                           {"-9223372036854775809", "-9223372036854776000"},
                           {"1.5e-10", "1.5e-10"}});
  ExpectAll(Kind::kNotFinite, {{".inf", ".inf"}, {"+.Inf", ".inf"}, {"-.INF", "-.inf"}, {".NaN", ".nan"}});
}

TEST(YamlScalar, WhatOnlyLooksLikeANumberStaysText) {
  for (const std::string_view text : {"1:30",  "12:30:45", "2001-01-01", "2001-12-14T21:59:43Z",
                                      "1e999", "6Gi",      "0x",         "0b12",
                                      "_1",    "+",        "-",          ".",
                                      "1.2.3", "0x1p4",    "._1",        ".1_",
                                      "1,000", "inf",      "NaN",        "+.nan",
                                      "<<",    "="}) {
    EXPECT_EQ(ResolveScalar(text).kind, Kind::kString) << text;
    EXPECT_EQ(ResolveScalar(text).text, text);
  }
}

TEST(YamlScalar, KeysAreWhatKubectlMakesOfThem) {
  const std::pair<std::string_view, std::optional<std::string>> cases[] = {{"a", "a"},
                                                                           {"0x10", "16"},
                                                                           {"yes", "true"},
                                                                           {"1.50", "1.5"},
                                                                           {"1e6", "1e+06"},
                                                                           {"100000.0", "100000"},
                                                                           {"16777217.0", "1.6777216e+07"},
                                                                           {"0.00001", "1e-05"},
                                                                           {"1e39", ".inf"},
                                                                           {".nan", ".nan"},
                                                                           {"~", std::nullopt},
                                                                           {"", std::nullopt},
                                                                           {"9223372036854775808", std::nullopt},
                                                                           {"-5", "-5"}};
  for (const auto& [text, key] : cases) EXPECT_EQ(ResolveScalar(text).Key(), key) << text;
}

}  // namespace
}  // namespace allot::json

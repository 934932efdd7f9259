#include "model/version.h"

#include "base/test_util.h"

namespace allot::model {
namespace {

using testing::HasSubstr;

Version V(std::string_view text) {
  auto version = Version::Parse(text);
  EXPECT_OK(version) << text;
  return version.ok() ? *version : Version();
}

TEST(Version, PrintsWhatItRead) {
  for (const std::string_view text : {"0.0.0", "1.2.3", "18446744073709551615.0.1", "1.0.0-alpha.1", "1.0.0-x-y.7", "1.0.0+build.007",
                                      "1.0.0-rc.1+a.b", "1.0.0--1", "1.0.0+-"}) {
    EXPECT_EQ(V(text).ToString(), text);
  }
}

TEST(Version, RefusesWhatIsNotStrictSemver) {
  for (const std::string_view text : {"",           "1",        "1.2",    "v1.2.3",     "1.2.3.4",   "01.2.3",  "1.02.3",
                                      "1.2.03",     "1.2.x",    "1.2.",   "1..3",       ".2.3",      " 1.2.3",  "1.2.3-",
                                      "1.2.3-a..b", "1.2.3-01", "1.2.3+", "1.2.3+a..b", "1.2.3+a+b", "1.2.3-é", "18446744073709551616.0.0",
                                      "+1.2.3",     "1-a.2.3"}) {
    EXPECT_THAT(Version::Parse(text), IsStatus(Code::kInvalid, HasSubstr("version"))) << text;
  }
}

TEST(Version, ErrorSaysWhichPartIsWrong) {
  EXPECT_THAT(Version::Parse("1.x.3"), IsStatus(Code::kInvalid, HasSubstr("minor number and not \"x\"")));
  EXPECT_THAT(Version::Parse("1.2"), IsStatus(Code::kInvalid, HasSubstr("such as 1.2.3")));
}

TEST(Version, OrdersByPrecedence) {
  const std::string_view ascending[] = {
      "0.9.9",        "1.0.0-1",       "1.0.0-2",    "1.0.0-10", "1.0.0--", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta",
      "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0",    "1.0.1",   "1.2.0",       "10.0.0",        "18446744073709551615.0.0"};
  for (size_t i = 0; i < std::size(ascending); ++i) {
    for (size_t k = 0; k < std::size(ascending); ++k) {
      EXPECT_EQ(V(ascending[i]) <=> V(ascending[k]), i <=> k) << ascending[i] << " and " << ascending[k];
    }
  }
}

TEST(Version, BuildDoesNotCount) { EXPECT_EQ(V("1.0.0+a"), V("1.0.0+b.c")); }

TEST(Version, NormalizedAcceptsPrefixZerosAndMissingNumbers) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"1.2.3", "1.2.3"},    {"v1.2.3", "1.2.3"},      {"v1", "1.0.0"},
      {"1.2", "1.2.0"},      {"01.002.0003", "1.2.3"}, {"00", "0.0.0"},
      {"1.2.00", "1.2.0"},   {"v1.02", "1.2.0"},       {"1.2.03-rc.1", "1.2.3-rc.1"},
      {"1.2.0-a", "1.2.0-a"}};
  for (const auto& [text, printed] : cases) {
    const auto version = Version::ParseNormalized(text);
    ASSERT_OK(version) << text;
    EXPECT_EQ(version->ToString(), printed);
  }
}

TEST(Version, NormalizedStillRefusesTheRest) {
  for (const std::string_view text : {"", "v", "vv1", "V1", "1.", "1..2", " 1", "1-a", "1.2+b", "1.2.3-01", "1.2.3.4", "x"}) {
    EXPECT_THAT(Version::ParseNormalized(text), IsStatus(Code::kInvalid)) << text;
  }
}

}  // namespace
}  // namespace allot::model

#include "apiserver/kinds/core_checks.h"

#include "apiserver/kinds/core_test_util.h"

namespace allot::apiserver {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

TEST(CoreChecks, PortNamesHaveALetterAndNoStrayHyphens) {
  EXPECT_THAT(PortNameProblems("http-2"), IsEmpty());
  EXPECT_THAT(PortNameProblems("80"), SizeIs(1));
  EXPECT_THAT(PortNameProblems("-a--b-"), SizeIs(2));
  EXPECT_THAT(PortNameProblems("a-name-of-16-byt"), SizeIs(1));
  EXPECT_THAT(PortNameProblems(""), SizeIs(2));
}

TEST(CoreChecks, ConfigKeysAreNamesOfFiles) {
  for (const char* good : {"a", ".a", "A_b-c.d", "..."}) {
    EXPECT_THAT(ConfigKeyProblems(good), SizeIs(std::string_view(good) == "..." ? 1 : 0)) << good;
  }
  for (const char* bad : {"", ".", "..", "..a", "a/b", "a b"}) EXPECT_THAT(ConfigKeyProblems(bad), SizeIs(1)) << bad;
}

TEST(CoreChecks, EnvironmentNamesMayHaveAnythingThatPrintsButEquals) {
  EXPECT_THAT(EnvironmentNameProblems("a b:1"), IsEmpty());
  EXPECT_THAT(EnvironmentNameProblems("a=b"), SizeIs(1));
  EXPECT_THAT(EnvironmentNameProblems("\x01"), SizeIs(1));
  EXPECT_THAT(EnvironmentNameProblems("\xc3\xa4"), SizeIs(1));
}

TEST(CoreChecks, PathsStayBelow) {
  const auto causes = [](void (*check)(const FieldPath&, std::string_view, FieldErrors&), std::string_view path) {
    FieldErrors errors;
    check(FieldPath("x"), path, errors);
    return errors.size();
  };
  EXPECT_EQ(causes(CheckRelativePath, "a/..b"), 0U);
  EXPECT_EQ(causes(CheckRelativePath, "/a/../b"), 2U);
  EXPECT_EQ(causes(CheckProjectedPath, "..data"), 1U);
  EXPECT_EQ(causes(CheckProjectedPath, "../x"), 1U);
}

TEST(CoreChecks, SelectorsMatchLabels) {
  Trees trees;
  const json::Value labels = trees.Read("{app: a, tier: web}");
  const auto matches = [&](std::string_view selector) { return SelectorMatches(trees.Read(selector), labels); };
  EXPECT_TRUE(matches("{}"));
  EXPECT_TRUE(matches("{matchLabels: {app: a}}"));
  EXPECT_FALSE(matches("{matchLabels: {app: b}}"));
  EXPECT_TRUE(matches("{matchExpressions: [{key: app, operator: In, values: [b, a]}, {key: x, operator: DoesNotExist}]}"));
  EXPECT_TRUE(matches("{matchExpressions: [{key: x, operator: NotIn, values: [a]}, {key: tier, operator: Exists}]}"));
  EXPECT_FALSE(matches("{matchExpressions: [{key: app, operator: Like}]}"));
  EXPECT_FALSE(SelectorMatches(json::Value(), labels));
}

TEST(CoreChecks, SelectorErrorsNameTheRequirement) {
  Trees trees;
  FieldErrors errors;
  CheckLabelSelector(FieldPath("s"), trees.Read("{matchExpressions: [{key: a, operator: In}, {key: a, operator: Exists, values: [b]}]}"),
                     errors);
  EXPECT_THAT(CausesOf(errors),
              ElementsAre("s.matchExpressions[0].values FieldValueRequired", "s.matchExpressions[1].values FieldValueForbidden"));
}

}  // namespace
}  // namespace allot::apiserver

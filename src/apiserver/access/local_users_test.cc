#include "apiserver/access/local_users.h"

#include <unistd.h>

#include <set>

#include "base/test_util.h"

namespace allot::apiserver {
namespace {

using ::testing::MatchesRegex;
using ::testing::Optional;

TEST(UserName, IsThatOfTheSystem) {
  EXPECT_THAT(UserName(0), Optional(std::string("root")));
  EXPECT_EQ(UserName(1000, "alice"), "alice");
  EXPECT_EQ(UserName(1000, "Jane.Doe"), "Jane.Doe");
  EXPECT_EQ(UserName(1000, "CORP\\jane"), "CORP\\jane");
}

TEST(UserName, OfAUserWithoutAnEntryIsTheNumber) {
  EXPECT_THAT(UserName(3'999'999'999), Optional(std::string("uid-3999999999")));
  EXPECT_EQ(UserName(7, ""), "uid-7");
}

TEST(UserName, NoUserGetsTheNameOfAnotherUserOrOfTheSystem) {
  EXPECT_EQ(UserName(1000, "uid-7"), "uid-1000");
  EXPECT_EQ(UserName(1000, "system:masters"), "uid-1000");
  EXPECT_EQ(UserName(1000, "system:serviceaccount:kube-system:x"), "uid-1000");
  for (const char* name : {"a b", "a,b", "a\"b", "a\nb", "j\xc3\xb6rg"}) EXPECT_EQ(UserName(1000, name), "uid-1000");
}

TEST(SpaceOf, IsTheNameWhereThatIsANamespace) {
  for (const std::string& name : {std::string("alice"), std::string("a"), std::string("uid-1000"), std::string("0"), std::string(63, 'a')})
    EXPECT_EQ(SpaceOf(name), name);
}

TEST(SpaceOf, ANameThatIsNotAValidNamespaceIsMappedToAReadableOne) {
  EXPECT_THAT(SpaceOf("Jane.Doe"), MatchesRegex("user-jane-doe-[0-9a-f]{20}"));
  EXPECT_THAT(SpaceOf("CORP\\jane"), MatchesRegex("user-corp-jane-[0-9a-f]{20}"));
  EXPECT_THAT(SpaceOf(std::string(300, 'x')), MatchesRegex("user-x{37}-[0-9a-f]{20}"));
  EXPECT_EQ(SpaceOf(std::string(300, 'x')).size(), 63u);
  EXPECT_THAT(SpaceOf("-"), MatchesRegex("user---[0-9a-f]{20}"));
}

TEST(SpaceOf, NoUserGetsASystemNamespace) {
  for (const char* name : {"default", "kube-system", "kube-public", "kube-node-lease", "allot", "allot-system"}) {
    EXPECT_THAT(SpaceOf(name), MatchesRegex("user-.*-[0-9a-f]{20}")) << name;
  }
}

TEST(SpaceOf, NoTwoUsersShareOne) {
  const std::string mapped = SpaceOf("Jane.Doe");
  const std::set<std::string> spaces = {mapped,         SpaceOf("jane.doe"), SpaceOf("jane-doe"), SpaceOf("jane_doe"), SpaceOf("Jane-Doe"),
                                        SpaceOf(mapped)};
  EXPECT_EQ(spaces.size(), 6u);
  EXPECT_NE(SpaceOf(std::string(64, 'x')), SpaceOf(std::string(65, 'x')));
}

TEST(HasEntry, IsFalseOnlyOfANumberThatTheSystemDoesNotKnow) {
  EXPECT_TRUE(HasEntry("alice"));
  EXPECT_TRUE(HasEntry("uid-0"));
  EXPECT_FALSE(HasEntry("uid-3999999999"));
}

}  // namespace
}  // namespace allot::apiserver

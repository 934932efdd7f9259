#include "base/strings.h"

#include <limits>

#include "base/test_util.h"

namespace allot {
namespace {

using testing::ElementsAre;

TEST(StrCat, TakesTextsCharactersBoolsAndNumbers) {
  const char* pointer = "pointer ";
  EXPECT_EQ(StrCat("literal ", std::string("string "), std::string_view("view "), pointer, 'c', ' ', true, ' ', -5, ' ', uint8_t{200}),
            "literal string view pointer c true -5 200");
  EXPECT_EQ(StrCat(std::numeric_limits<uint64_t>::max(), std::numeric_limits<int64_t>::min()), "18446744073709551615-9223372036854775808");
  EXPECT_EQ(StrCat(), "");
}

TEST(StrCat, DoesNotTakeALiteralForABool) { EXPECT_EQ(StrCat("a"), "a"); }

TEST(Quoted, EscapesAsJsonDoes) { EXPECT_EQ(Quoted("a\"b\\c\n\x01é"), "\"a\\\"b\\\\c\\n\\u0001é\""); }

TEST(Quoted, CutsLongTextsBetweenCharacters) {
  EXPECT_EQ(Quoted("abcdef", 3), "\"abc...\"");
  EXPECT_EQ(Quoted("aé€", 4), "\"aé...\"");
  EXPECT_EQ(Quoted("€", 1), "\"...\"");
  EXPECT_EQ(Quoted("abc", 3), "\"abc\"");
}

TEST(Split, KeepsEmptyParts) {
  EXPECT_THAT(Split("a,,b,", ','), ElementsAre("a", "", "b", ""));
  EXPECT_THAT(Split("", ','), ElementsAre(""));
}

TEST(Join, IsTheOppositeOfSplit) {
  EXPECT_EQ(Join({"a", "", "b"}, ", "), "a, , b");
  EXPECT_EQ(Join({}, ","), "");
}

TEST(Trim, TakesSpaceOffBothEnds) {
  EXPECT_EQ(Trim(" \t a b \r\n"), "a b");
  EXPECT_EQ(Trim("   "), "");
  EXPECT_EQ(Trim(""), "");
}

}  // namespace
}  // namespace allot

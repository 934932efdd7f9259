#include "json/place.h"

#include "base/test_util.h"

namespace allot::json {
namespace {

TEST(PlaceOf, CountLinesAndCharacters) {
  EXPECT_EQ(PlaceOf("abc", 0), "line 1, column 1");
  EXPECT_EQ(PlaceOf("a\n\u00e9\u20acx", 7), "line 2, column 3");
  EXPECT_EQ(PlaceOf("a\n", 2), "line 2, column 1");
}

}  // namespace
}  // namespace allot::json

#include "json/utf8.h"

#include "base/test_util.h"

namespace allot::json {
namespace {

TEST(Utf8, EveryCharacterIsReadBackInItsLength) {
  for (uint32_t c = 0; c <= 0x10FFFF; c += c < 0x3000 ? 1 : 0x3FF) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    std::string text;
    AppendUtf8(text, c);
    EXPECT_EQ(Utf8Length(text), text.size()) << c;
    EXPECT_EQ(text.size(), c < 0x80 ? 1u : c < 0x800 ? 2u : c < 0x10000 ? 3u : 4u) << c;
    if (text.size() > 1) {
      EXPECT_EQ(Utf8Length(text.substr(0, text.size() - 1)), 0u) << c;
      EXPECT_EQ(Utf8Length(text.substr(1)), 0u) << c;
    }
  }
}

TEST(Utf8, PlacesCountLinesAndCharacters) {
  EXPECT_EQ(PlaceOf("abc", 0), "line 1, column 1");
  EXPECT_EQ(PlaceOf("a\n\u00e9\u20acx", 7), "line 2, column 3");
  EXPECT_EQ(PlaceOf("a\n", 2), "line 2, column 1");
}

}  // namespace
}  // namespace allot::json

#include "base/utf8.h"

#include "base/test_util.h"

namespace allot {
namespace {

TEST(Utf8, CountsCharacters) {
  EXPECT_EQ(CountCharacters(""), 0u);
  EXPECT_EQ(CountCharacters("h\u00e9llo w\u00f6rld \u2713 \U0001F600"), 15u);
  std::string text;
  for (uint64_t i = 0; i < 40; ++i) {
    EXPECT_EQ(CountCharacters(text), i);
    text += i % 3 == 0 ? "a" : i % 3 == 1 ? "\u00e9" : "\u20ac";
  }
}

TEST(Utf8, RepairsBrokenBytes) {
  EXPECT_EQ(RepairedUtf8("a\xff"
                         "b"),
            "a\uFFFD"
            "b");
  EXPECT_EQ(RepairedUtf8("\xc0\x80\xed\xa0\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD");
  EXPECT_TRUE(IsValidUtf8("\uFFFD"));
  EXPECT_FALSE(IsValidUtf8("\xe2\x82"));
}

TEST(Utf8, WritesWhatItReads) {
  for (const uint32_t c : {0x41u, 0xE9u, 0x20ACu, 0x1F600u}) {
    std::string text;
    AppendCharacter(text, c);
    size_t at = 0;
    EXPECT_EQ(DecodeCharacter(text, &at), c);
    EXPECT_EQ(at, text.size());
  }
}

TEST(Utf8, EveryCharacterIsReadBackInItsLength) {
  for (uint32_t c = 0; c <= 0x10FFFF; c += c < 0x3000 ? 1 : 0x3FF) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    std::string text;
    AppendCharacter(text, c);
    EXPECT_EQ(Utf8Length(text), text.size()) << c;
    EXPECT_EQ(text.size(), c < 0x80 ? 1u : c < 0x800 ? 2u : c < 0x10000 ? 3u : 4u) << c;
    if (text.size() > 1) {
      EXPECT_EQ(Utf8Length(text.substr(0, text.size() - 1)), 0u) << c;
      EXPECT_EQ(Utf8Length(text.substr(1)), 0u) << c;
    }
  }
}

}  // namespace
}  // namespace allot

#include "apiserver/go_text.h"

#include "apiserver/field_errors.h"
#include "base/test_util.h"

namespace allot::apiserver {
namespace {

TEST(GoQuoted, EscapesWhatCannotBeSeen) {
  EXPECT_EQ(GoQuoted("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(GoQuoted(std::string_view("\n\t\a\v\0\x1f\x7f", 7)), R"("\n\t\a\v\x00\x1f\x7f")");
  EXPECT_EQ(GoQuoted("é€ \u00ad\u2028\U0001F600\U000E0001"), "\"é€ \\u00ad\\u2028\U0001F600\\U000e0001\"");
  EXPECT_EQ(GoQuoted("\xff\xc3(\uFFFD"), "\"\\xff\\xc3(\uFFFD\"");
}

TEST(IsPrintable, IsWhatGoThinks) {
  for (const uint32_t character : {0x20u, 0x7Eu, 0xA1u, 0xE9u, 0xFFFDu, 0x1F600u}) EXPECT_TRUE(IsPrintable(character)) << character;
  for (const uint32_t character : {0x00u, 0x1Fu, 0x7Fu, 0x85u, 0xA0u, 0x200Bu, 0x3000u, 0xE000u, 0xFEFFu, 0xFFFFu, 0x10FFFFu}) {
    EXPECT_FALSE(IsPrintable(character)) << character;
  }
}

TEST(FieldErrors, AreWordedAsGoWordsThem) {
  FieldErrors errors;
  errors.Invalid(FieldPath("a"), "x\ny", "no");
  errors.TooLong(FieldPath("a"), 1);
  errors.TooLong(FieldPath("a"), 63);
  errors.TooMany(FieldPath("a"), 2, 1);
  errors.TooMany(FieldPath("a"), 9, 8);
  std::vector<std::string> messages;
  for (const FieldError& error : errors.all()) messages.push_back(error.message);
  EXPECT_THAT(messages, testing::ElementsAre(R"(Invalid value: "x\ny": no)", "Too long: may not be more than 1 byte",
                                             "Too long: may not be more than 63 bytes", "Too many: 2: must have at most 1 item",
                                             "Too many: 9: must have at most 8 items"));
}

}  // namespace
}  // namespace allot::apiserver

#include "cel/compile/lexer.h"

#include "base/test_util.h"

namespace allot::cel {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<Tok> Kinds(std::string_view text) {
  std::vector<Tok> kinds;
  const auto tokens = Lex(Source(text));
  EXPECT_OK(tokens) << text;
  if (tokens.ok()) {
    for (const Token& token : *tokens) kinds.push_back(token.kind);
  }
  return kinds;
}

TEST(Lexer, TakesTheLongestToken) {
  EXPECT_THAT(Kinds("<= < == != !"), ElementsAre(Tok::kLessEqual, Tok::kLess, Tok::kEqual, Tok::kNotEqual, Tok::kNot, Tok::kEnd));
  EXPECT_THAT(Kinds("in inner true trues"), ElementsAre(Tok::kIn, Tok::kIdentifier, Tok::kTrue, Tok::kIdentifier, Tok::kEnd));
}

TEST(Lexer, TellsNumbersApart) {
  EXPECT_THAT(Kinds("1 0x1F 1u 0x1fU 1.5 .5 1e5 1.5e-3"),
              ElementsAre(Tok::kInt, Tok::kInt, Tok::kUint, Tok::kUint, Tok::kDouble, Tok::kDouble, Tok::kDouble, Tok::kDouble, Tok::kEnd));
  EXPECT_THAT(Kinds("1.size"), ElementsAre(Tok::kInt, Tok::kDot, Tok::kIdentifier, Tok::kEnd));
}

TEST(Lexer, ReadsQuotedTexts) {
  EXPECT_THAT(Kinds(R"x("a" 'b' """c"d""" r"\q" b"e" br'f')x"),
              ElementsAre(Tok::kString, Tok::kString, Tok::kString, Tok::kString, Tok::kBytes, Tok::kBytes, Tok::kEnd));
}

TEST(Lexer, SkipsCommentsAndBlanks) { EXPECT_THAT(Kinds(" \t1 // one\n // two"), ElementsAre(Tok::kInt, Tok::kEnd)); }

TEST(Lexer, SaysWhereItFails) {
  EXPECT_THAT(Lex(Source("true &&\n a = 1")), IsStatus(Code::kInvalid, HasSubstr("2:4: '=' is not an operator")));
  EXPECT_THAT(Lex(Source("\"abc")), IsStatus(Code::kInvalid, HasSubstr("not closed")));
  EXPECT_THAT(Lex(Source("\"\\q\"")), IsStatus(Code::kInvalid, HasSubstr("escape")));
  EXPECT_THAT(Lex(Source("a # b")), IsStatus(Code::kInvalid, HasSubstr("\"#\"")));
}

}  // namespace
}  // namespace allot::cel

#include "cel/compile/parser.h"

#include "base/strings.h"
#include "base/test_util.h"

namespace allot::cel {
namespace {

using testing::HasSubstr;

// The tree in a few letters: calls as name(args), comprehensions as fold.
std::string Show(const Expr& expr) {
  std::vector<std::string> parts;
  if (expr.target != nullptr) parts.push_back(Show(*expr.target));
  for (const Expr* const arg : expr.args) parts.push_back(Show(*arg));
  switch (expr.kind) {
    case Expr::Kind::kLiteral:
      if (expr.literal.kind == Literal::Kind::kInt) return StrCat(expr.literal.int_value);
      if (expr.literal.kind == Literal::Kind::kString) return Quoted(expr.literal.text);
      return "literal";
    case Expr::Kind::kIdent: return std::string(expr.name);
    case Expr::Kind::kSelect: return StrCat(expr.test_only ? "has:" : "", parts[0], ".", expr.name);
    case Expr::Kind::kComprehension: return StrCat("fold(", Show(*expr.fold.range), ")");
    default: return StrCat(expr.name, "(", Join(parts, " "), ")");
  }
}

std::string Parsed(std::string_view text) {
  const Source source(text);
  Ast ast;
  const Status status = Parse(source, ast);
  return status.ok() ? Show(*ast.root) : status.message();
}

TEST(Parser, BindsOperatorsLikeCel) {
  EXPECT_EQ(Parsed("a + b * c"), "_+_(a _*_(b c))");
  EXPECT_EQ(Parsed("a - b - c"), "_-_(_-_(a b) c)");
  EXPECT_EQ(Parsed("a < b == c"), "_==_(_<_(a b) c)");
  EXPECT_EQ(Parsed("a || b && c"), "_||_(a _&&_(b c))");
  EXPECT_EQ(Parsed("a ? b : c ? d : e"), "_?_:_(a b _?_:_(c d e))");
}

TEST(Parser, BalancesLongChains) { EXPECT_EQ(Parsed("a && b && c && d"), "_&&_(_&&_(a b) _&&_(c d))"); }

TEST(Parser, GivesOneMinusToTheNumber) {
  EXPECT_EQ(Parsed("-1"), "-1");
  EXPECT_EQ(Parsed("--1"), "1");
  EXPECT_EQ(Parsed("-a"), "-_(a)");
  EXPECT_EQ(Parsed("a -1"), "_-_(a 1)");
}

TEST(Parser, ReadsSelectionsAndOptionals) {
  EXPECT_EQ(Parsed("a.b[0]"), "_[_](a.b 0)");
  EXPECT_EQ(Parsed("a.?b[?0]"), "_[?_](_?._(a \"b\") 0)");
  EXPECT_EQ(Parsed("has(a.b)"), "has:a.b");
  EXPECT_EQ(Parsed("a.all(x, true)"), "fold(a)");
}

TEST(Parser, RefusesWithPlaceAndWhatWasExpected) {
  EXPECT_THAT(Parsed("a &&"), HasSubstr("1:5: the expression ends, expected a value"));
  EXPECT_THAT(Parsed("(a"), HasSubstr("expected ')'"));
  EXPECT_THAT(Parsed("a b"), HasSubstr("unexpected \"b\""));
  EXPECT_THAT(Parsed("for"), HasSubstr("reserved"));
  EXPECT_THAT(Parsed("has(a)"), HasSubstr("has() needs a field selection"));
  EXPECT_THAT(Parsed("9223372036854775808"), HasSubstr("64 bits"));
  EXPECT_EQ(Parsed("x +\n  )"), "2:3: unexpected \")\", expected a value, a name, '(', '[' or '{'\n |   )\n |   ^");
}

TEST(Parser, LimitsDepthLikeKubernetes) {
  const auto nested = [](size_t depth) { return std::string(depth, '(') + "a" + std::string(depth, ')'); };
  EXPECT_EQ(Parsed(nested(249)), "a");
  EXPECT_THAT(Parsed(nested(250)), HasSubstr("nested deeper"));
  std::string chain = "a";
  for (int i = 0; i < 250; ++i) chain += ".b";
  EXPECT_THAT(Parsed(chain), HasSubstr("a.b.b"));
  EXPECT_THAT(Parsed(chain + ".b"), HasSubstr("nested deeper"));
}

TEST(Parser, LimitsLength) { EXPECT_THAT(Parsed("a" + std::string(100'000, ' ')), HasSubstr("characters")); }

TEST(Parser, RefusesMacrosThatGrowWithoutBound) {
  std::string chain = "a";
  for (int i = 0; i < 60; ++i) chain += ".optMap(x, x)";
  EXPECT_THAT(Parsed(chain), HasSubstr("too large"));
}

}  // namespace
}  // namespace allot::cel

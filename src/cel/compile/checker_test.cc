#include "cel/compile/checker.h"

#include "base/test_util.h"
#include "cel/compile/parser.h"

namespace allot::cel {
namespace {

using testing::HasSubstr;

// The type of the whole, or what is wrong.
std::string TypeOf(std::string_view text) {
  const Source source(text);
  Ast ast;
  TypePool pool;
  if (const Status status = Parse(source, ast); !status.ok()) return status.message();
  if (const Status status = Check(source, ast, pool, false); !status.ok()) return status.message();
  return ast.root->type->ToString();
}

TEST(Checker, KnowsTheDevice) {
  EXPECT_EQ(TypeOf("device.driver"), "string");
  EXPECT_EQ(TypeOf("device.attributes"), "map(string, map(string, any))");
  EXPECT_EQ(TypeOf("device.attributes['d'].x"), "any");
  EXPECT_EQ(TypeOf("device.capacity['d'].x"), "kubernetes.Quantity");
  EXPECT_THAT(TypeOf("device.bogus"), HasSubstr("has no field \"bogus\""));
  EXPECT_THAT(TypeOf("nothing"), HasSubstr("undeclared name \"nothing\""));
}

TEST(Checker, InfersElementTypes) {
  EXPECT_EQ(TypeOf("[1, 2].map(x, [string(x)])"), "list(list(string))");
  EXPECT_EQ(TypeOf("[]"), "list(dyn)");
  EXPECT_EQ(TypeOf("[1][?0]"), "optional_type(int)");
  EXPECT_EQ(TypeOf("{'a': 1}.?b.orValue(2)"), "int");
  EXPECT_EQ(TypeOf("{'a': 1}.transformList(k, v, v)"), "list(int)");
}

TEST(Checker, ChoosesOverloads) {
  EXPECT_EQ(TypeOf("1 + 2"), "int");
  EXPECT_EQ(TypeOf("1 < 2.0"), "bool");
  EXPECT_EQ(TypeOf("dyn(1) + dyn(2)"), "dyn");
  EXPECT_EQ(TypeOf("true ? device.attributes['d'].x : true"), "any");
  EXPECT_THAT(TypeOf("1 + 'a'"), HasSubstr("\"+\" cannot be applied to (int, string)"));
  EXPECT_THAT(TypeOf("1 == 'a'"), HasSubstr("\"==\" cannot be applied"));
  EXPECT_THAT(TypeOf("'a' && true"), HasSubstr("expected bool"));
}

TEST(Checker, FindsNamespacedFunctions) {
  EXPECT_EQ(TypeOf("sets.contains([1], [2])"), "bool");
  EXPECT_EQ(TypeOf("optional.of(1)"), "optional_type(int)");
  EXPECT_THAT(TypeOf("sets.nothing([1])"), HasSubstr("undeclared name \"sets\""));
}

TEST(Checker, RefusesTypesThatDoubleWithEveryBinding) {
  std::string text = "{1: 1}";
  for (int i = 0; i < 40; ++i) text = "cel.bind(v, " + text + ", {v: v})";
  EXPECT_THAT(TypeOf(text), HasSubstr("too complex"));
}

}  // namespace
}  // namespace allot::cel

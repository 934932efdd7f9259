#include "apiserver/patch/field_set.h"

#include "apiserver/patch/test_objects.h"

namespace allot::apiserver {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class FieldSetTest : public testing::Test {
 protected:
  FieldSet Read(std::string_view text) {
    const auto set = ReadFields(shop_.edit(), shop_.Parse(text));
    CHECK(set.ok());
    return *set;
  }
  std::string Text(const FieldSet& set) { return json::Write(WriteFields(shop_.edit(), set)); }

  Workshop shop_;
};

TEST_F(FieldSetTest, IsWrittenAsItWasReadInTheOrderOfKubernetes) {
  struct {
    std::string_view in, out;
  } const cases[] = {
      {R"({})", R"({})"},
      {R"({"f:b":{},"f:a":{}})", R"({"f:a":{},"f:b":{}})"},
      {R"({"f:a":{"f:c":{},".":{}}})", R"({"f:a":{".":{},"f:c":{}}})"},
      {R"({"i:1":{},"v:\"x\"":{},"k:{\"name\":\"x\"}":{},"f:x":{}})", R"({"f:x":{},"k:{\"name\":\"x\"}":{},"v:\"x\"":{},"i:1":{}})"},
      {R"({"v:10":{},"v:9":{},"v:\"1\"":{},"v:true":{},"v:false":{},"v:1.5":{}})",
       R"({"v:1.5":{},"v:9":{},"v:10":{},"v:\"1\"":{},"v:false":{},"v:true":{}})"},
      {R"({"k:{\"port\":443,\"a\":\"x\"}":{},"k:{\"port\":80,\"a\":\"x\"}":{}})",
       R"({"k:{\"a\":\"x\",\"port\":80}":{},"k:{\"a\":\"x\",\"port\":443}":{}})"},
      {R"({"f:a":{".":{}}})", R"({"f:a":{}})"},
      {R"({"f:a":null})", R"({"f:a":{}})"},
      {R"({"f:a":{"x:future":{}},"y:future":{}})", R"({"f:a":{}})"},
      {R"({"v:1":{},"v:1.0":{}})", R"({"v:1":{}})"},
      {R"({"k:{\"name\":\"a<b\\\"c\"}":{}})", R"({"k:{\"name\":\"a\\u003cb\\\"c\"}":{}})"},
      {R"({"f:":{}})", R"({"f:":{}})"},
  };
  for (const auto& c : cases) EXPECT_EQ(Text(Read(c.in)), c.out);
}

TEST_F(FieldSetTest, BrokenFieldsAreRefused) {
  for (const std::string_view text : {R"({"f":{}})", R"({"":{}})", R"({"fx:a":{}})", R"({"v:{":{}})", R"({"k:1":{}})",
                                      R"({"k:{\"a\":}":{}})", R"({"i:x":{}})", R"({"f:a":1})", R"([])", R"({"f:a":{"f:b":[]}})"}) {
    EXPECT_THAT(ReadFields(shop_.edit(), shop_.Parse(text)), IsStatus(Code::kInvalid)) << text;
  }
}

TEST_F(FieldSetTest, UnionHasTheMembersOfBoth) {
  const FieldSet a = Read(R"({"f:a":{"f:x":{}},"f:b":{}})"), b = Read(R"({"f:a":{".":{},"f:y":{}},"f:c":{}})");
  EXPECT_EQ(Text(Union(shop_.edit(), a, b)), R"({"f:a":{".":{},"f:x":{},"f:y":{}},"f:b":{},"f:c":{}})");
  EXPECT_EQ(Text(UnionOf(shop_.edit(), {a, FieldSet(), b, a, Read(R"({"f:z":{}})")})),
            R"({"f:a":{".":{},"f:x":{},"f:y":{}},"f:b":{},"f:c":{},"f:z":{}})");
  EXPECT_TRUE(UnionOf(shop_.edit(), {}).empty());
}

TEST_F(FieldSetTest, DifferenceTakesEachMemberOnItsOwn) {
  struct {
    std::string_view a, b, difference, recursive;
  } const cases[] = {
      {R"({"f:a":{},"f:b":{}})", R"({"f:a":{}})", R"({"f:b":{}})", R"({"f:b":{}})"},
      {R"({"f:a":{".":{},"f:x":{}}})", R"({"f:a":{}})", R"({"f:a":{"f:x":{}}})", R"({})"},
      {R"({"f:a":{"f:x":{}}})", R"({"f:a":{}})", R"({"f:a":{"f:x":{}}})", R"({})"},
      {R"({"f:a":{".":{},"f:x":{}}})", R"({"f:a":{"f:x":{}}})", R"({"f:a":{}})", R"({"f:a":{}})"},
      {R"({"f:a":{"f:x":{}}})", R"({"f:a":{"f:x":{}}})", R"({})", R"({})"},
      {R"({"f:a":{}})", R"({})", R"({"f:a":{}})", R"({"f:a":{}})"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(Text(Difference(shop_.edit(), Read(c.a), Read(c.b))), c.difference) << c.a << " - " << c.b;
    EXPECT_EQ(Text(RecursiveDifference(shop_.edit(), Read(c.a), Read(c.b))), c.recursive) << c.a << " - " << c.b;
  }
}

TEST_F(FieldSetTest, IntersectionIsTheSameForSmallAndLargeSets) {
  std::string many = "{";
  for (int i = 0; i < 500; ++i) many += StrCat("\"f:k", i, "\":{},");
  many.back() = '}';
  const FieldSet large = Read(many), small = Read(R"({"f:k7":{},"f:none":{},"f:k77":{"f:x":{}}})");
  EXPECT_EQ(Text(Intersection(shop_.edit(), large, small)), R"({"f:k7":{}})");
  EXPECT_EQ(Text(Intersection(shop_.edit(), small, large)), R"({"f:k7":{}})");
  EXPECT_EQ(Text(Difference(shop_.edit(), small, large)), R"({"f:k77":{"f:x":{}},"f:none":{}})");
}

TEST_F(FieldSetTest, MembersAreNamedForPeopleOneLevelAfterTheOther) {
  const FieldSet set = Read(R"({"f:a":{"f:b":{},"k:{\"n\":\"x\",\"p\":80}":{".":{},"f:c":{}},"v:\"y\"":{},"v:2":{},"i:3":{}},"f:z":{}})");
  std::vector<std::string> members;
  std::vector<PathElement> path;
  ForEachMember(set, path, [&](std::span<const PathElement> at) {
    members.push_back(ToText(at));
    EXPECT_TRUE(set.Has(at));
  });
  EXPECT_THAT(members, ElementsAre(".z", ".a.b", R"(.a[n="x",p=80])", ".a[=2]", R"(.a[="y"])", ".a[3]", R"(.a[n="x",p=80].c)"));
  EXPECT_FALSE(set.Has(std::vector<PathElement>{PathElement::Field(shop_.edit(), "a")}));
  EXPECT_FALSE(set.Has({}));
}

TEST_F(FieldSetTest, EqualComparesMembersAndTheirContent) {
  EXPECT_TRUE(Equal(Read(R"({"f:a":{".":{},"f:b":{}}})"), Read(R"({"f:a":{"f:b":{},".":{}}})")));
  EXPECT_FALSE(Equal(Read(R"({"f:a":{".":{},"f:b":{}}})"), Read(R"({"f:a":{"f:b":{}}})")));
}

}  // namespace
}  // namespace allot::apiserver

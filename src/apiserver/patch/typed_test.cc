#include "apiserver/patch/typed.h"

#include "apiserver/patch/compare.h"
#include "apiserver/patch/merge.h"
#include "apiserver/patch/test_objects.h"

namespace allot::apiserver {
namespace {

class TypedTest : public testing::Test {
 protected:
  std::string Text(const FieldSet& set) { return json::Write(WriteFields(shop_.edit(), set)); }
  FieldSet Read(std::string_view text) { return *ReadFields(shop_.edit(), shop_.Parse(text)); }
  std::string Fields(const Type& type, std::string_view value) { return Text(FieldsOf(shop_.edit(), {&type}, shop_.Parse(value))); }
  // "changed removed"
  std::string Compared(const Type& type, std::string_view before, std::string_view after) {
    const Comparison comparison = CompareObjects(shop_.edit(), {&type}, shop_.Parse(before), shop_.Parse(after));
    return StrCat(Text(comparison.changed), " ", Text(comparison.removed));
  }

  Workshop shop_;
  const Type any_;
  const Type& pod_ = BuiltInType("", "v1", "Pod");
};

TEST_F(TypedTest, FieldsOfStructsAreTheirLeavesThoseOfMapsAndListsThemselvesToo) {
  EXPECT_EQ(Fields(pod_, R"({"metadata":{"labels":{"a":"b"},"finalizers":["x"]},"spec":{"containers":[{"name":"c"}],"tolerations":[]}})"),
            R"({"f:metadata":{"f:finalizers":{"v:\"x\"":{}},"f:labels":{"f:a":{}}},)"
            R"("f:spec":{"f:containers":{"k:{\"name\":\"c\"}":{".":{},"f:name":{}}},"f:tolerations":{}}})");
  EXPECT_EQ(Fields(pod_, R"({"spec":{},"status":null,"metadata":{"finalizers":[]}})"), R"({"f:spec":{},"f:status":{}})");
}

TEST_F(TypedTest, UntypedValuesAreDeduced) {
  EXPECT_EQ(Fields(any_, R"({"a":{"b":1,"c":{}},"l":[{"x":1}],"n":null})"), R"({"f:a":{".":{},"f:b":{},"f:c":{}},"f:l":{},"f:n":{}})");
}

TEST_F(TypedTest, ComparingTellsChangedFromRemoved) {
  EXPECT_EQ(Compared(pod_, R"({"spec":{"nodeName":"a","hostIPC":true}})", R"({"spec":{"nodeName":"b","hostPID":true}})"),
            R"({"f:spec":{"f:hostPID":{},"f:nodeName":{}}} {"f:spec":{"f:hostIPC":{}}})");
  EXPECT_EQ(Compared(pod_, R"({"metadata":{"finalizers":["a","b"]}})", R"({"metadata":{"finalizers":["b","c"]}})"),
            R"({"f:metadata":{"f:finalizers":{"v:\"c\"":{}}}} {"f:metadata":{"f:finalizers":{"v:\"a\"":{}}}})");
  EXPECT_EQ(Compared(pod_, R"({"metadata":{"finalizers":["a","b"]}})", R"({"metadata":{"finalizers":["b","a"]}})"), "{} {}");
  EXPECT_EQ(Compared(pod_, R"({"spec":{"tolerations":[{"key":"a"}]}})", R"({"spec":{"tolerations":[{"key":"b"}]}})"),
            R"({"f:spec":{"f:tolerations":{}}} {})");
}

TEST_F(TypedTest, AValueThatBecomesAnotherKindIsChangedAndItsContentIsRemoved) {
  EXPECT_EQ(Compared(any_, R"({"a":{"x":1}})", R"({"a":1})"), R"({"f:a":{}} {"f:a":{"f:x":{}}})");
  EXPECT_EQ(Compared(any_, R"({"a":[1]})", R"({"a":{"x":1}})"), R"({"f:a":{".":{},"f:x":{}}} {})");
  EXPECT_EQ(Compared(any_, R"({"a":null})", R"({"a":{}})"), R"({"f:a":{}} {})");
  EXPECT_EQ(Compared(any_, R"({"a":1})", R"({"a":1.0})"), "{} {}");
}

TEST_F(TypedTest, MembersInAnotherOrderAreTheSame) {
  std::vector<std::string> members;
  for (int i = 0; i < 50; ++i) members.push_back(StrCat("\"k", i, "\":1"));
  const std::string before = StrCat("{", Join(members, ","), "}");
  std::reverse(members.begin(), members.end());
  EXPECT_EQ(Compared(any_, before, StrCat("{", Join(members, ","), "}")), "{} {}");
}

TEST_F(TypedTest, WithoutFieldsLeavesNullForAnEmptiedValue) {
  const auto without = [&](std::string_view value, std::string_view fields) {
    return json::Write(WithoutFields(shop_.edit(), {&pod_}, shop_.Parse(value), Read(fields)));
  };
  EXPECT_EQ(without(R"({"metadata":{"labels":{"a":"b"},"name":"n"}})", R"({"f:metadata":{"f:labels":{"f:a":{}}}})"),
            R"({"metadata":{"labels":null,"name":"n"}})");
  EXPECT_EQ(without(R"({"metadata":{"finalizers":["a","b"]}})", R"({"f:metadata":{"f:finalizers":{"v:\"a\"":{}}}})"),
            R"({"metadata":{"finalizers":["b"]}})");
  EXPECT_EQ(without(R"({"kind":"Pod","spec":{"nodeName":"n"}})", R"({"f:spec":{}})"), R"({"kind":"Pod"})");
}

TEST_F(TypedTest, NamedFieldsWithMembersInThemBecomeMembersThoseOfMapsDoNot) {
  EXPECT_EQ(Text(WithNamedFields(shop_.edit(), {&pod_}, Read(R"({"f:metadata":{"f:labels":{"f:a":{"f:x":{}}}}})"))),
            R"({"f:metadata":{".":{},"f:labels":{".":{},"f:a":{"f:x":{}}}}})");
}

TEST_F(TypedTest, AFieldThatHasBecomeAtomicIsOwnedWhole) {
  EXPECT_EQ(Text(Reconciled(shop_.edit(), {&pod_}, Read(R"({"f:spec":{"f:nodeSelector":{".":{},"f:a":{}},"f:nodeName":{}}})"))),
            R"({"f:spec":{"f:nodeName":{},"f:nodeSelector":{}}})");
}

TEST_F(TypedTest, AnEmptyObjectHasWhatGoAlwaysWrites) {
  EXPECT_EQ(json::Write(ObjectBeforeCreate(shop_.edit(), BuiltInType("resource.k8s.io", "v1", "ResourceSlice"))),
            R"({"metadata":{},"spec":{"driver":"","pool":{"name":"","generation":0,"resourceSliceCount":0}}})");
}

}  // namespace
}  // namespace allot::apiserver

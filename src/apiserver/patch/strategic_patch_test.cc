#include "apiserver/patch/strategic_patch.h"

#include "apiserver/patch/test_objects.h"

namespace allot::apiserver {
namespace {

using testing::HasSubstr;

std::string Patched(const Type& type, std::string_view object, std::string_view patch) {
  Workshop shop;
  const auto patched = ApplyStrategicPatch(shop.edit(), type, shop.Parse(object), shop.Parse(patch));
  return patched.ok() ? json::Write(*patched) : StrCat(CodeOf(patched.status()), ": ", patched.status().message());
}

std::string PatchedSpec(std::string_view spec, std::string_view patch) {
  const std::string patched = Patched(BuiltInType("", "v1", "Pod"), StrCat(R"({"spec":)", spec, "}"), StrCat(R"({"spec":)", patch, "}"));
  return patched.starts_with(R"({"spec":)") ? patched.substr(8, patched.size() - 9) : patched;
}

std::string PatchedMap(std::string_view object, std::string_view patch) {
  return Patched(BuiltInType("", "v1", "ConfigMap"), object, patch);
}

TEST(StrategicPatch, MapsAreMergedAndNullRemoves) {
  EXPECT_EQ(PatchedMap(R"({"data":{"k":"v","l":"w"}})", R"({"data":{"k":null,"m":"x"}})"), R"({"data":{"l":"w","m":"x"}})");
  EXPECT_EQ(PatchedMap(R"({"data":{"k":"v"}})", R"({"data":null,"metadata":{"labels":null}})"), R"({"metadata":{}})");
}

TEST(StrategicPatch, DirectivesReplaceAndDeleteMaps) {
  EXPECT_EQ(PatchedMap(R"({"data":{"k":"v"},"kind":"x"})", R"({"data":{"$patch":"replace","only":"this"}})"),
            R"({"data":{"only":"this"},"kind":"x"})");
  EXPECT_EQ(PatchedMap(R"({"data":{"k":"v"}})", R"({"data":{"$patch":"delete"}})"), R"({"data":{}})");
  EXPECT_EQ(PatchedMap(R"({})", R"({"data":{"$patch":"delete"}})"), R"({})");
  EXPECT_THAT(PatchedMap(R"({"data":{"k":"v"}})", R"({"data":{"$patch":"nonsense"}})"), HasSubstr("500: unknown patch type"));
}

TEST(StrategicPatch, ListsWithAKeyAreMergedByIt) {
  constexpr std::string_view kSpec = R"({"containers":[{"name":"a","image":"a:1"},{"name":"b","image":"b:1"}]})";
  EXPECT_EQ(PatchedSpec(kSpec, R"({"containers":[{"name":"b","image":"b:2"}]})"),
            R"({"containers":[{"name":"a","image":"a:1"},{"name":"b","image":"b:2"}]})");
  EXPECT_EQ(PatchedSpec(kSpec, R"({"containers":[{"name":"a","$patch":"delete"},{"name":"c"}]})"),
            R"({"containers":[{"name":"c"},{"name":"b","image":"b:1"}]})");
  EXPECT_EQ(PatchedSpec(kSpec, R"({"containers":[{"$patch":"replace"},{"name":"z"}]})"), R"({"containers":[{"name":"z"}]})");
  EXPECT_EQ(PatchedSpec(R"({})", R"({"containers":[{"name":"a","$patch":"delete"},{"name":"z","image":null}]})"),
            R"({"containers":[{"name":"z"}]})");
}

TEST(StrategicPatch, OtherListsAreReplaced) {
  EXPECT_EQ(PatchedSpec(R"({"tolerations":[{"key":"a"},{"key":"b"}]})", R"({"tolerations":[{"key":"c"}]})"),
            R"({"tolerations":[{"key":"c"}]})");
}

TEST(StrategicPatch, WhatThePatchListsComesInItsOrderTheRestWhereItWas) {
  const auto items = [](std::string_view names) {
    std::string list;
    for (const char name : names) list += StrCat(list.empty() ? "" : ",", R"({"name":")", name, R"("})");
    return StrCat(R"({"containers":[)", list, "]}");
  };
  EXPECT_EQ(PatchedSpec(items("abcd"), items("dz")), items("abcdz"));
  EXPECT_EQ(PatchedSpec(items("abcd"), items("zb")), items("zabcd"));
  EXPECT_EQ(PatchedSpec(items("abcd"), items("ca")), items("bcad"));
  EXPECT_EQ(
      PatchedSpec(items("abc"), R"({"$setElementOrder/containers":[{"name":"c"},{"name":"n"},{"name":"a"}],"containers":[{"name":"n"}]})"),
      items("bcna"));
  EXPECT_EQ(PatchedSpec(items("abc"), R"({"$setElementOrder/containers":[{"name":"c"},{"name":"a"}]})"), items("bca"));
  // A new item takes the place of one that was deleted.
  EXPECT_EQ(PatchedSpec(items("ca"), R"({"$setElementOrder/containers":[{"name":"d"}],)"
                                     R"("containers":[{"name":"c","$patch":"delete"},{"name":"d"}]})"),
            items("ad"));
  EXPECT_EQ(PatchedSpec(items("ca"), R"({"$setElementOrder/containers":[{"name":"d"}],"containers":[{"name":"d"}]})"), items("dca"));
}

TEST(StrategicPatch, AnOrderMustFitThePatch) {
  EXPECT_THAT(
      PatchedSpec(R"({"containers":[{"name":"a"}]})", R"({"$setElementOrder/containers":[{"name":"a"}],"containers":[{"name":"x"}]})"),
      HasSubstr("500: The order in patch list"));
  constexpr std::string_view kDirective = R"({"$setElementOrder/containers":[{"name":"a"}],"containers":[{"name":"a"},{"$patch":)";
  EXPECT_THAT(PatchedSpec(R"({"containers":[{"name":"a"}]})", StrCat(kDirective, R"("replace"}]})")), HasSubstr("500: The order"));
  EXPECT_EQ(PatchedSpec(R"({"containers":[{"name":"a"}]})", StrCat(kDirective, R"("delete","name":"b"}]})")),
            R"({"containers":[{"name":"a"}]})");
  EXPECT_THAT(PatchedSpec("{}", R"({"$setElementOrder":[]})"), HasSubstr("400: invalid patch format of setElementOrder list"));
  EXPECT_THAT(PatchedSpec("{}", R"({"$setElementOrder/containers":{}})"), HasSubstr("500: "));
}

TEST(StrategicPatch, ScalarsMergeAsASetAndAreDeletedByName) {
  EXPECT_EQ(PatchedMap(R"({"metadata":{"finalizers":["a","b"]}})", R"({"metadata":{"finalizers":["c","a"]}})"),
            R"({"metadata":{"finalizers":["c","a","b"]}})");
  EXPECT_EQ(PatchedMap(R"({"metadata":{"finalizers":["a","b"]}})", R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["a","x"]}})"),
            R"({"metadata":{"finalizers":["b"]}})");
  EXPECT_EQ(PatchedMap(R"({"metadata":{}})", R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["a"]}})"), R"({"metadata":{}})");
  EXPECT_THAT(PatchedMap(R"({"metadata":{}})", R"({"metadata":{"$deleteFromPrimitiveList":["a"]}})"), HasSubstr("400: "));
}

TEST(StrategicPatch, RetainKeysClearsTheRest) {
  const Type& type = BuiltInType("apps", "v1", "Deployment");
  constexpr std::string_view kObject = R"({"spec":{"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":1}}}})";
  EXPECT_EQ(Patched(type, kObject, R"({"spec":{"strategy":{"$retainKeys":["type"],"type":"Recreate"}}})"),
            R"({"spec":{"strategy":{"type":"Recreate"}}})");
  EXPECT_THAT(Patched(type, kObject, R"({"spec":{"strategy":{"$retainKeys":["rollingUpdate"],"type":"Recreate"}}})"),
              HasSubstr("400: invalid patch format of retainKeys"));
}

TEST(StrategicPatch, ItemsMustBeOfOneKindAndHaveTheirKey) {
  EXPECT_THAT(PatchedSpec(R"({"containers":[{"name":"a"}]})", R"({"containers":[{"image":"x"}]})"),
              HasSubstr("does not contain declared merge key: name"));
  EXPECT_THAT(PatchedSpec(R"({"containers":[{"name":"a"}]})", R"({"containers":["x"]})"),
              HasSubstr("500: list element types are not identical"));
  EXPECT_THAT(PatchedSpec(R"({"containers":[]})", R"({"containers":["x"]})"), HasSubstr("500: expected objects in containers"));
  EXPECT_THAT(PatchedSpec(R"({"containers":[{"name":"a"}]})", R"({"containers":[[]]})"), HasSubstr("422: lists of lists"));
  EXPECT_THAT(PatchedSpec(R"({"containers":[{"name":"a"}]})", R"({"containers":[{"name":"a","$patch":"merge"}]})"),
              HasSubstr("500: merging lists"));
  EXPECT_THAT(PatchedSpec(R"({"containers":[{"name":"a"}]})", R"({"containers":[{"name":{}}]})"), HasSubstr("500: "));
}

TEST(StrategicPatch, APatchThatIsNotAnObjectIsABadRequest) {
  for (const std::string_view patch : {"[]", "null", "1"}) EXPECT_THAT(PatchedMap("{}", patch), HasSubstr("400: ")) << patch;
}

}  // namespace
}  // namespace allot::apiserver

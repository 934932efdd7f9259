// ApplyManaged: server-side apply as its users see it.

#include "apiserver/kinds/custom/type.h"
#include "apiserver/patch/managed_fields.h"
#include "apiserver/patch/test_objects.h"

namespace allot::apiserver {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;

WrittenObject ConfigMap() { return {"", "v1", "ConfigMap"}; }

TEST(ApplyManaged, CreatesWhatIsNotThereAndOwnsItsFields) {
  WrittenObject map = ConfigMap();
  ASSERT_OK(map.Apply("one", R"({"data":{"k":"v"}})"));
  EXPECT_EQ(map.At({"data"}), R"({"k":"v"})");
  EXPECT_EQ(map.Managers(), R"(one Apply v1 11 {"f:data":{"f:k":{}}})");
}

TEST(ApplyManaged, AgainChangesNothingNotEvenTheTime) {
  WrittenObject map = ConfigMap();
  ASSERT_OK(map.Apply("one", R"({"metadata":{"labels":{"a":"b"}},"data":{"k":"v"}})"));
  const json::Value before = map.live();
  ASSERT_OK(map.Apply("one", R"({"metadata":{"labels":{"a":"b"}},"data":{"k":"v"}})"));
  EXPECT_TRUE(json::Equal(map.live(), before)) << map.Managers();
}

TEST(ApplyManaged, AConflictNamesManagerAndField) {
  WrittenObject map = ConfigMap();
  ASSERT_OK(map.Apply("one", R"({"data":{"k":"v","l":"w"}})"));
  const Status status = map.Apply("two", R"({"data":{"k":"other"}})");
  EXPECT_EQ(status.message(), R"(Apply failed with 1 conflict: conflict with "one": .data.k)");
  const Refusal* const refusal = RefusalOf(status);
  ASSERT_NE(refusal, nullptr);
  EXPECT_EQ(refusal->code, 409);
  EXPECT_EQ(refusal->reason, "Conflict");
  EXPECT_THAT(refusal->causes, ElementsAre(AllOf(Field(&FieldError::reason, "FieldManagerConflict"), Field(&FieldError::field, ".data.k"),
                                                 Field(&FieldError::message, R"(conflict with "one")"))));
}

TEST(ApplyManaged, SeveralConflictsAreListedByManager) {
  WrittenObject map = ConfigMap();
  ASSERT_OK(map.Apply("one", R"({"data":{"k":"v","l":"w"}})"));
  map.Update("two", R"({"data":{"k":"v","l":"w","m":"x"}})");
  EXPECT_EQ(map.Apply("three", R"({"data":{"k":"1","l":"1","m":"1"}})").message(),
            "Apply failed with 3 conflicts: conflicts with \"one\":\n- .data.k\n- .data.l\nconflicts with \"two\" using v1:\n- .data.m");
}

TEST(ApplyManaged, ForceTakesTheFieldOver) {
  WrittenObject map = ConfigMap();
  ASSERT_OK(map.Apply("one", R"({"data":{"k":"v","l":"w"}})"));
  ASSERT_OK(map.Apply("two", R"({"data":{"k":"other"}})", true));
  EXPECT_EQ(map.At({"data"}), R"({"k":"other","l":"w"})");
  EXPECT_EQ(map.Managers(), "one Apply v1 11 {\"f:data\":{\"f:l\":{}}}\ntwo Apply v1 12 {\"f:data\":{\"f:k\":{}}}");
}

TEST(ApplyManaged, ASharedFieldStaysUntilItsLastOwnerDropsIt) {
  WrittenObject map = ConfigMap();
  ASSERT_OK(map.Apply("one", R"({"data":{"k":"v"}})"));
  ASSERT_OK(map.Apply("two", R"({"data":{"k":"v"}})"));
  EXPECT_EQ(map.Managers(), "two Apply v1 - {\"f:data\":{\"f:k\":{}}}\none Apply v1 11 {\"f:data\":{\"f:k\":{}}}");
  ASSERT_OK(map.Apply("one", "{}"));
  EXPECT_EQ(map.At({"data"}), R"({"k":"v"})");
  EXPECT_EQ(map.Managers(), R"(two Apply v1 - {"f:data":{"f:k":{}}})");
  ASSERT_OK(map.Apply("two", "{}"));
  EXPECT_EQ(map.At({"data"}), "");
  EXPECT_EQ(map.Managers(), "");
}

TEST(ApplyManaged, FieldsOfUpdatersStayWhenAnApplierDropsItsOwn) {
  WrittenObject map = ConfigMap();
  map.Update("creator", R"({"data":{"theirs":"t"}})");
  ASSERT_OK(map.Apply("one", R"({"data":{"mine":"m"}})"));
  EXPECT_EQ(map.At({"data"}), R"({"theirs":"t","mine":"m"})");
  ASSERT_OK(map.Apply("one", "{}"));
  EXPECT_EQ(map.At({"data"}), R"({"theirs":"t"})");
}

TEST(ApplyManaged, WhatHadNoManagersBelongsToBeforeFirstApply) {
  WrittenObject map = ConfigMap();
  map.Update("creator", R"({"data":{"k":"v"}})");
  map.Update("creator", R"({"metadata":{"managedFields":[{}]},"data":{"k":"v"}})");
  ASSERT_OK(map.Apply("one", R"({"data":{"l":"w"}})"));
  EXPECT_EQ(map.Managers(),
            "one Apply v1 13 {\"f:data\":{\"f:l\":{}}}\nbefore-first-apply Update v1 13 {\"f:data\":{\".\":{},\"f:k\":{}}}");
  EXPECT_THAT(map.Apply("one", R"({"data":{"k":"w"}})").message(), HasSubstr("before-first-apply"));
}

TEST(ApplyManaged, ItemsAreMergedByTheirKeys) {
  WrittenObject pod("", "v1", "Pod");
  ASSERT_OK(pod.Apply("one", R"({"spec":{"containers":[{"name":"a","image":"a:1","ports":[{"containerPort":80}]}]}})"));
  EXPECT_THAT(pod.Managers(), HasSubstr(R"("f:ports":{"k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{}}})"));
  ASSERT_OK(pod.Apply("two", R"({"spec":{"containers":[{"name":"b","image":"b:1"}]}})"));
  EXPECT_EQ(pod.At({"spec", "containers"}), R"([{"name":"a","image":"a:1","ports":[{"containerPort":80}]},{"name":"b","image":"b:1"}])");
  EXPECT_THAT(pod.Apply("three", R"({"spec":{"containers":[{"name":"a","image":"a:2"}]}})").message(),
              HasSubstr(R"(.spec.containers[name="a"].image)"));
  ASSERT_OK(pod.Apply("two", "{}"));
  EXPECT_EQ(pod.At({"spec", "containers"}), R"([{"name":"a","image":"a:1","ports":[{"containerPort":80}]}])");
}

TEST(ApplyManaged, ItemsComeInTheOrderOfTheConfigBetweenThoseOfOthers) {
  const auto finalizers = [](std::string_view names) {
    std::string list;
    for (const char name : names) list += StrCat(list.empty() ? "" : ",", "\"", name, "\"");
    return StrCat("[", list, "]");
  };
  struct {
    std::string_view live, config, merged;
  } const cases[] = {{"ab", "c", "abc"},    {"abc", "ca", "bca"}, {"abcd", "db", "acdb"}, {"abc", "xay", "xabcy"},  {"abc", "abc", "abc"},
                     {"abc", "cba", "cba"}, {"", "ba", "ba"},     {"ab", "", "ab"},       {"abcde", "eca", "bdeca"}};
  for (const auto& c : cases) {
    WrittenObject map = ConfigMap();
    map.Update("other", StrCat(R"({"metadata":{"finalizers":)", finalizers(c.live), "}}"));
    ASSERT_OK(map.Apply("me", StrCat(R"({"metadata":{"finalizers":)", finalizers(c.config), "}}")));
    EXPECT_EQ(map.At({"metadata", "finalizers"}), finalizers(c.merged)) << c.live << " and " << c.config;
  }
}

TEST(ApplyManaged, ListsInMapsAndListsAreMergedAsTheirSchemaSays) {
  Workshop shop;
  const auto schema = ReadCustomSchema(shop.Parse(R"({"type":"object","properties":{
    "rules":{"type":"object","additionalProperties":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],
      "items":{"type":"object","properties":{"name":{"type":"string"},"size":{"type":"integer"}}}}},
    "tags":{"type":"object","additionalProperties":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}}},
    "rows":{"type":"object","additionalProperties":{"type":"array","items":{"type":"string"}}}}})"));
  const CustomType type = MakeCustomType(*schema, "com.example.v1.Thing");
  WrittenObject thing(*type.type);
  ASSERT_OK(thing.Apply("one", R"({"rules":{"x":[{"name":"a","size":1}]},"tags":{"x":["a"]},"rows":{"x":["a"]}})"));
  EXPECT_THAT(thing.Managers(), HasSubstr(R"({"f:rows":{"f:x":{}},"f:rules":{"f:x":{".":{},"k:{\"name\":\"a\"}":)"
                                          R"({".":{},"f:name":{},"f:size":{}}}},"f:tags":{"f:x":{".":{},"v:\"a\"":{}}}})"));
  ASSERT_OK(thing.Apply("two", R"({"rules":{"x":[{"name":"b"}]},"tags":{"x":["b"]}})"));
  EXPECT_EQ(thing.At({"rules", "x"}), R"([{"name":"a","size":1},{"name":"b"}])");
  EXPECT_EQ(thing.At({"tags", "x"}), R"(["a","b"])");
  EXPECT_THAT(thing.Apply("two", R"({"rules":{"x":[{"name":"a","size":2}]}})").message(), HasSubstr(R"(.rules.x[name="a"].size)"));
  EXPECT_THAT(thing.Apply("two", R"({"rows":{"x":["b"]}})").message(), HasSubstr(".rows.x"));
  EXPECT_THAT(thing.Apply("two", R"({"rules":{"x":[{"size":1}]}})").message(), HasSubstr(R"(omits all key fields ["name"])"));
  EXPECT_THAT(thing.Apply("two", R"({"tags":{"x":[{}]}})").message(), HasSubstr("associative list without keys"));
  ASSERT_OK(thing.Apply("one", "{}"));
  EXPECT_EQ(thing.At({"rules"}), R"({"x":[{"name":"b"}]})");
  EXPECT_EQ(thing.At({"tags"}), R"({"x":["b"]})");
  EXPECT_EQ(thing.At({"rows"}), "");
}

TEST(ApplyManaged, AtomicListsAndStructsHaveOneOwner) {
  WrittenObject pod("", "v1", "Pod");
  ASSERT_OK(pod.Apply("one", R"({"spec":{"tolerations":[{"key":"a"}],"nodeSelector":{"x":"y"}}})"));
  EXPECT_THAT(pod.Managers(), HasSubstr(R"({"f:spec":{"f:nodeSelector":{},"f:tolerations":{}}})"));
  EXPECT_THAT(pod.Apply("two", R"({"spec":{"nodeSelector":{"z":"y"}}})").message(), HasSubstr(".spec.nodeSelector"));
  ASSERT_OK(pod.Apply("two", R"({"spec":{"tolerations":[{"key":"b"}]}})", true));
  EXPECT_EQ(pod.At({"spec", "tolerations"}), R"([{"key":"b"}])");
}

TEST(ApplyManaged, OwnersOfItemsWithAtomicFieldsOwnThemWhole) {
  WrittenObject map = ConfigMap();
  ASSERT_OK(map.Apply("one", R"({"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p","uid":"x"}]}})"));
  EXPECT_EQ(map.Managers(), R"(one Apply v1 11 {"f:metadata":{"f:ownerReferences":{"k:{\"uid\":\"x\"}":{}}}})");
}

TEST(ApplyManaged, AStatusHasItsOwnEntryAndOwnsNothingElse) {
  WrittenObject claim("resource.k8s.io", "v1", "ResourceClaim");
  json::Editor& edit = claim.shop().edit();
  claim.SetReset(ResetFields(edit, "resourceclaims.resource.k8s.io", "", true, false));
  ASSERT_OK(claim.Apply("one", R"({"spec":{"devices":{}},"status":{"reservedFor":[{"resource":"pods","name":"p","uid":"u"}]}})"));
  EXPECT_EQ(claim.Managers(), R"(one Apply resource.k8s.io/v1 11 {"f:spec":{"f:devices":{}}})");
  claim.SetSubresource("status");
  claim.SetReset(ResetFields(edit, "resourceclaims.resource.k8s.io", "status", true, false));
  ASSERT_OK(claim.Apply(
      "one", R"({"metadata":{"labels":{"a":"b"}},"status":{"devices":[{"driver":"d","pool":"p","device":"x","data":{"a":{"b":1}}}]}})"));
  EXPECT_THAT(claim.Managers(), HasSubstr("\none Apply resource.k8s.io/v1 12 "
                                          R"({"f:status":{"f:devices":{"k:{\"device\":\"x\",\"driver\":\"d\",\"pool\":\"p\"}":)"
                                          R"({".":{},"f:data":{},"f:device":{},"f:driver":{},"f:pool":{}}}}} status)"));
}

TEST(ApplyManaged, AConfigThatIsWrongIsRefusedAsKubernetesDoes) {
  Workshop shop;
  const Type& type = BuiltInType("", "v1", "Pod");
  const FieldWrite write{type, "v1", "Pod", "", "me", "2026-01-01T00:00:00Z", false, {}, nullptr};
  struct {
    std::string_view config;
    int code;
    std::string_view message;
  } const cases[] = {
      {R"({"metadata":{"name":"a"}})", 400, "invalid object type: /, Kind="},
      {R"({"apiVersion":"apps/v1","kind":"Pod"})", 400, "invalid object type: apps/v1, Kind=Pod"},
      {R"({"apiVersion":"v1","kind":"Pod","metadata":{"managedFields":[]}})", 400, "metadata.managedFields must be nil"},
      {R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"nonsense":1})", 500,
       "failed to create typed patch object (/a; /v1, Kind=Pod): .nonsense: field not declared in schema"},
      {R"({"apiVersion":"v1","kind":"Pod","spec":{"containers":[{"name":"a","x":1}]}})", 500,
       R"(.spec.containers[name="a"].x: field not declared)"},
      {R"({"apiVersion":"v1","kind":"Pod","spec":{"containers":[{"name":"a"},{"name":"a"}]}})", 500,
       R"(.spec.containers: duplicate entries for key [name="a"])"},
      {R"({"apiVersion":"v1","kind":"Pod","spec":{"containers":[null]}})", 500, ".spec.containers: element 0: "},
      {R"({"apiVersion":"v1","kind":"Pod","spec":{"containers":{}}})", 500, ".spec.containers: expected list"},
      {R"({"apiVersion":"v1","kind":"Pod","spec":[]})", 500, ".spec: expected map"},
      {R"({"apiVersion":"v1","kind":"Pod","spec":{"nodeName":1}})", 500, ".spec.nodeName: expected string"},
      {R"({"apiVersion":"v1","kind":"Pod","spec":{"priority":"1"}})", 500, ".spec.priority: expected numeric"},
      {R"({"apiVersion":"v1","kind":"Pod","spec":{"hostIPC":"x"}})", 500, ".spec.hostIPC: expected boolean"},
  };
  for (const auto& c : cases) {
    const auto applied = ApplyManaged(shop.edit(), write, json::Value(), shop.Parse(c.config), false);
    ASSERT_FALSE(applied.ok()) << c.config;
    EXPECT_EQ(CodeOf(applied.status()), c.code) << c.config;
    EXPECT_THAT(applied.status().message(), HasSubstr(c.message)) << c.config;
  }
}

TEST(ApplyManaged, KubectlTakesOverWhatItsOldApplyHadSet) {
  constexpr std::string_view kLast = R"({\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"data\":{\"k\":\"v\",\"l\":\"w\"}})";
  const std::string body = StrCat(R"({"metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":")", kLast, R"("}},)",
                                  R"("data":{"k":"v","l":"w","m":"x"}})");
  WrittenObject map = ConfigMap();
  map.Update("kubectl-client-side-apply", body);
  EXPECT_THAT(map.Apply("somebody", R"({"data":{"k":"new"}})"), IsStatus(Code::kConflict));
  EXPECT_THAT(map.Apply("kubectl", R"({"data":{"m":"new","k":"new"}})").message(), AllOf(HasSubstr("1 conflict"), HasSubstr(".data.m")));
  ASSERT_OK(map.Apply("kubectl", R"({"data":{"k":"new"}})"));
  EXPECT_EQ(map.At({"data"}), R"({"k":"new","l":"w","m":"x"})");
  EXPECT_EQ(map.live()["metadata"]["annotations"]["kubectl.kubernetes.io/last-applied-configuration"].AsString(),
            "{\"apiVersion\":\"v1\",\"data\":{\"k\":\"new\"},\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"}}\n");
}

TEST(ApplyManaged, AVersionWithAnotherTypeIsUsedForItsManagers) {
  // The map is atomic in the new version; a manager of the old version still owns single members of it.
  Type old_type, new_type, any;
  new_type.shape = old_type.shape = Shape::kStruct;
  for (const char* name : {"apiVersion", "kind", "metadata"}) {
    allot::apiserver::Field field;
    field.name = name;
    field.type = &any;
    old_type.fields.push_back(field);
    new_type.fields.push_back(field);
  }
  Type map;
  map.shape = Shape::kMap;
  map.element = &any;
  allot::apiserver::Field spec;
  spec.name = "spec";
  spec.type = &map;
  spec.merge = Merge::kGranular;
  old_type.fields.push_back(spec);
  spec.merge = Merge::kAtomic;
  new_type.fields.push_back(spec);
  old_type.Index();
  new_type.Index();

  Workshop shop;
  json::Editor& edit = shop.edit();
  FieldWrite write{old_type, "e/v1", "Thing", "", "one", "2026-01-01T00:00:01Z", true, {}, nullptr};
  auto live = ApplyManaged(edit, write, json::Value(), shop.Parse(R"({"apiVersion":"e/v1","kind":"Thing","spec":{"a":1,"b":1}})"), false);
  ASSERT_OK(live);
  FieldWrite newer{
      new_type, "e/v2", "Thing",
      "",       "two",  "2026-01-01T00:00:02Z",
      true,     {},     [&](std::string_view version) {
                     return version == "e/v1" ? &old_type : version == "e/v2" ? &new_type : nullptr; }};
  const auto config = shop.Parse(R"({"apiVersion":"e/v2","kind":"Thing","spec":{"a":2,"b":1}})");
  EXPECT_THAT(ApplyManaged(edit, newer, *live, config, false), IsStatus(Code::kConflict, HasSubstr(R"("one": .spec.a)")));
  const auto forced = ApplyManaged(edit, newer, *live, config, true);
  ASSERT_OK(forced);
  EXPECT_EQ(json::Write((*forced)["metadata"]["managedFields"].Items()[0]["fieldsV1"]), R"({"f:spec":{"f:b":{}}})");
  EXPECT_EQ(json::Write((*forced)["metadata"]["managedFields"].Items()[1]["fieldsV1"]), R"({"f:spec":{}})");
}

}  // namespace
}  // namespace allot::apiserver

#include "apiserver/patch/managed_fields.h"

#include "apiserver/patch/test_objects.h"

namespace allot::apiserver {
namespace {

using testing::HasSubstr;

WrittenObject ConfigMap() { return {"", "v1", "ConfigMap"}; }

TEST(UpdateManaged, ACreateOwnsWhatItSets) {
  WrittenObject map = ConfigMap();
  map.Update("creator", R"({"metadata":{"namespace":"n","labels":{"x":"1"}},"data":{"k":"v"}})");
  EXPECT_EQ(map.Managers(), R"(creator Update v1 11 {"f:data":{".":{},"f:k":{}},"f:metadata":{"f:labels":{".":{},"f:x":{}}}})");
}

TEST(UpdateManaged, ACreateDoesNotOwnTheFieldsOfAnEmptyObject) {
  WrittenObject pod("", "v1", "Pod");
  pod.Update("creator", R"({"spec":{"containers":[{"name":"a","resources":{}}],"hostNetwork":true},"status":{}})");
  EXPECT_EQ(
      pod.Managers(),
      R"(creator Update v1 11 {"f:spec":{"f:containers":{"k:{\"name\":\"a\"}":{".":{},"f:name":{},"f:resources":{}}},"f:hostNetwork":{}}})");
}

TEST(UpdateManaged, OfACustomKindThePartsThemselvesAreOwned) {
  const Type any;
  WrittenObject thing(any);
  thing.Update("creator", R"({"spec":{"list":[{"a":1}],"map":{"x":{"y":1}}}})");
  EXPECT_EQ(thing.Managers(),
            R"(creator Update example.com/v1 11 {"f:spec":{".":{},"f:list":{},"f:map":{".":{},"f:x":{".":{},"f:y":{}}}}})");
}

TEST(UpdateManaged, ChangedFieldsAreTakenOver) {
  WrittenObject map = ConfigMap();
  map.Update("one", R"({"data":{"k":"v","l":"w"}})");
  map.Update("two", R"({"data":{"k":"changed","l":"w","m":"x"}})");
  EXPECT_EQ(map.Managers(), "one Update v1 11 {\"f:data\":{\".\":{},\"f:l\":{}}}\ntwo Update v1 12 {\"f:data\":{\"f:k\":{},\"f:m\":{}}}");
}

TEST(UpdateManaged, RemovedFieldsLoseTheirOwnersAndAManagerWithoutFieldsIsDropped) {
  WrittenObject map = ConfigMap();
  map.Update("one", R"({"data":{"k":"v"}})");
  map.Update("two", R"({"data":{"k":"v","l":"w"}})");
  map.Update("three", R"({"data":{"k":"v"}})");
  EXPECT_EQ(map.Managers(), R"(one Update v1 11 {"f:data":{".":{},"f:k":{}}})");
}

TEST(UpdateManaged, AnUpdateThatChangesNothingChangesNoTime) {
  WrittenObject map = ConfigMap();
  map.Update("one", R"({"data":{"k":"v"}})");
  const std::string before = map.Managers();
  map.Update("one", R"({"data":{"k":"v"}})");
  map.Update("two", R"({"data":{"k":"v"}})");
  EXPECT_EQ(map.Managers(), before);
}

TEST(UpdateManaged, SubresourcesHaveEntriesOfTheirOwnAndResetFieldsNoOwner) {
  WrittenObject pod("", "v1", "Pod");
  Workshop& shop = pod.shop();
  pod.SetReset(ResetFields(shop.edit(), "pods", "", true, false));
  pod.Update("creator", R"({"spec":{"nodeName":"n"},"status":{"message":"ignored"}})");
  pod.SetSubresource("status");
  pod.SetReset(ResetFields(shop.edit(), "pods", "status", true, false));
  pod.Update("kubelet", R"({"spec":{"nodeName":"ignored"},"status":{"message":"text"}})");
  EXPECT_EQ(pod.Managers(),
            "creator Update v1 11 {\"f:spec\":{\"f:nodeName\":{}}}\nkubelet Update v1 12 {\"f:status\":{\"f:message\":{}}} status");
}

TEST(UpdateManaged, ManagersCanBeForgottenAndStayForgottenForUpdates) {
  for (const std::string_view entries : {"[{}]", "[]"}) {
    WrittenObject map = ConfigMap();
    map.Update("one", R"({"data":{"k":"v"}})");
    map.Update("two", StrCat(R"({"metadata":{"managedFields":)", entries, R"(},"data":{"k":"v"}})"));
    EXPECT_EQ(map.Managers(), "") << entries;
    EXPECT_EQ(map.At({"metadata", "managedFields"}), "");
    map.Update("three", R"({"data":{"k":"w"}})");
    EXPECT_EQ(map.Managers(), "");
  }
}

TEST(UpdateManaged, BrokenManagersOfAClientAreIgnored) {
  for (const std::string_view entry :
       {R"({"manager":"x"})", R"({"manager":"x","operation":"Update","fieldsType":"FieldsV1"})",
        R"({"manager":"x","operation":"Update","apiVersion":"v1","fieldsType":"Other"})",
        R"({"manager":"x","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"nonsense":{}}})"}) {
    WrittenObject map = ConfigMap();
    map.Update("one", R"({"data":{"k":"v"}})");
    const std::string before = map.Managers();
    map.Update("two", StrCat(R"({"metadata":{"managedFields":[)", entry, R"(]},"data":{"k":"v"}})"));
    EXPECT_EQ(map.Managers(), before) << entry;
  }
}

TEST(UpdateManaged, ManagersThatAClientSendsAreTaken) {
  WrittenObject map = ConfigMap();
  map.Update("one", R"({"data":{"k":"v"}})");
  map.Update("two", R"({"metadata":{"managedFields":[{"manager":"x","operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1",
      "fieldsV1":{"f:data":{"f:k":{}}}}]},"data":{"k":"v"}})");
  EXPECT_EQ(map.Managers(), R"(x Apply v1 - {"f:data":{"f:k":{}}})");
}

TEST(UpdateManaged, ManagersOfVersionsThatAreNotServedAreDropped) {
  WrittenObject map = ConfigMap();
  map.Update("one", R"({"metadata":{"managedFields":[
      {"manager":"x","operation":"Update","apiVersion":"v0","fieldsType":"FieldsV1","fieldsV1":{"f:data":{}}}]},"data":{"k":"v"}})");
  EXPECT_EQ(map.Managers(), R"(one Update v1 11 {"f:data":{".":{},"f:k":{}}})");
}

TEST(UpdateManaged, TheOldestOfMoreThanTenUpdatersAreOne) {
  WrittenObject map = ConfigMap();
  std::string data;
  for (int i = 10; i < 23; ++i) {
    data += StrCat(data.empty() ? "" : ",", "\"k", i, "\":\"v\"");
    map.Update(StrCat("m", i), StrCat(R"({"data":{)", data, "}}"));
  }
  EXPECT_THAT(
      map.Managers(),
      testing::StartsWith("ancient-changes Update v1 14 {\"f:data\":{\".\":{},\"f:k10\":{},\"f:k11\":{},\"f:k12\":{},\"f:k13\":{}}}\n"
                          "m14 Update v1 15 {\"f:data\":{\"f:k14\":{}}}\n"));
  EXPECT_EQ(json::ItemsOf(map.live()["metadata"]["managedFields"]).size(), 10u);
}

TEST(UpdateManaged, ItemsThatCannotBeToldApartAreOneField) {
  WrittenObject pod("", "v1", "Pod");
  pod.Update("one", R"({"spec":{"containers":[{"name":"a","env":[{"name":"X","value":"1"},{"name":"X","value":"2"}]}]}})");
  EXPECT_THAT(pod.Managers(), HasSubstr(R"("f:env":{".":{},"k:{\"name\":\"X\"}":{}})"));
  pod.Update("two", R"({"spec":{"containers":[{"name":"a","env":[{"name":"X","value":"1"}]}]}})");
  EXPECT_THAT(
      pod.Managers(),
      HasSubstr(
          R"(two Update v1 12 {"f:spec":{"f:containers":{"k:{\"name\":\"a\"}":{"f:env":{"k:{\"name\":\"X\"}":{".":{},"f:name":{},"f:value":{}}}}}}})"));
}

TEST(KeepTimes, OnlyTimesThatDifferAreNoChange) {
  Workshop shop;
  const auto object = [&](std::string_view time, std::string_view fields, std::string_view value) {
    return shop.Parse(StrCat(R"({"metadata":{"resourceVersion":")", time.substr(18, 1), R"(","managedFields":[{"manager":"m","time":")",
                             time, R"(","fieldsV1":)", fields, R"(}]},"data":{"k":")", value, R"("}})"));
  };
  constexpr std::string_view kOld = "2026-01-01T00:00:01Z", kNew = "2026-01-01T00:00:02Z";
  const auto time_of = [](const json::Value& value) { return value["metadata"]["managedFields"].Items()[0]["time"].AsString(); };
  EXPECT_EQ(time_of(KeepTimes(shop.edit(), object(kOld, "{}", "v"), object(kNew, "{}", "v"))), kOld);
  EXPECT_EQ(time_of(KeepTimes(shop.edit(), object(kOld, "{}", "v"), object(kNew, "{}", "w"))), kNew);
  EXPECT_EQ(time_of(KeepTimes(shop.edit(), object(kOld, "{}", "v"), object(kNew, R"({"f:data":{}})", "v"))), kNew);
}

TEST(ResetFields, AreThoseOfTheStrategies) {
  Workshop shop;
  const auto text = [&](std::string_view resource, std::string_view subresource, bool has_status, bool custom) {
    return json::Write(WriteFields(shop.edit(), ResetFields(shop.edit(), resource, subresource, has_status, custom)));
  };
  EXPECT_EQ(text("configmaps", "", false, false), "{}");
  EXPECT_EQ(text("nodes", "", true, false), R"({"f:status":{}})");
  EXPECT_EQ(text("nodes", "status", true, false), R"({"f:spec":{}})");
  EXPECT_EQ(text("pods", "status", true, false), R"({"f:metadata":{"f:deletionTimestamp":{},"f:ownerReferences":{}},"f:spec":{}})");
  EXPECT_EQ(text("resourceclaims.resource.k8s.io", "status", true, false), R"({"f:metadata":{},"f:spec":{}})");
  EXPECT_EQ(text("things.example.com", "status", true, true), R"({"f:metadata":{},"f:spec":{}})");
  EXPECT_EQ(text("deployments.apps", "scale", true, false), "{}");
}

}  // namespace
}  // namespace allot::apiserver

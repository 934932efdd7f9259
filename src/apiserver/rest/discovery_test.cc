#include "apiserver/rest/discovery.h"

#include "apiserver/kinds/columns/table.h"
#include "base/test_util.h"
#include "json/json.h"

namespace allot::apiserver {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;

Kind Made(std::string_view api_version, std::string_view plural, std::string_view kind, bool namespaced, bool custom = false) {
  Kind made = NamedKind(api_version, plural, kind, namespaced);
  made.custom = custom;
  return made;
}

// A few kinds; the custom ones before they should be.
Kinds SomeKinds() {
  Kind pods = Made("v1", "pods", "Pod", true);
  pods.short_names = {"po"};
  pods.categories = {"all"};
  pods.subresources = {{.name = "status", .group = "", .version = "", .kind = "", .verbs = {"get", "patch", "update"}},
                       {.name = "eviction", .group = "policy", .version = "v1", .kind = "Eviction", .verbs = {"create"}},
                       {.name = "binding", .group = "", .version = "v1", .kind = "Binding", .verbs = {"create"}}};
  Kind services = Made("v1", "services", "Service", true);
  services.empty = true;
  std::vector<std::shared_ptr<const Kind>> kinds;
  for (Kind& kind : std::vector<Kind>{
           pods, services, Made("z.example.com/v1alpha1", "things", "Thing", true, true),
           Made("z.example.com/v1", "things", "Thing", true, true), Made("a.example.com/v1", "bits", "Bit", false, true),
           Made("resource.k8s.io/v1", "resourceclaims", "ResourceClaim", true),
           Made("resource.k8s.io/v1", "deviceclasses", "DeviceClass", false), Made("apps/v1", "deployments", "Deployment", true)}) {
    kinds.push_back(std::make_shared<const Kind>(std::move(kind)));
  }
  return Kinds(std::move(kinds));
}

json::Document Parsed(const std::string& text) {
  auto document = json::Parse(text);
  EXPECT_OK(document);
  return document.ok() ? *std::move(document) : json::Document();
}

// What `field` holds in each item of a list.
std::vector<std::string> Each(const json::Value& list, std::string_view field) {
  std::vector<std::string> texts;
  for (const json::Value& item : json::ItemsOf(list)) texts.emplace_back(json::TextOf(item[field]));
  return texts;
}

TEST(Discovery, OfTheCoreIsItsVersion) { EXPECT_THAT(WriteApiVersions(), HasSubstr(R"("kind":"APIVersions","versions":["v1"])")); }

TEST(Discovery, GroupsAreInTheOrderOfTheTableThenCustomOnesByName) {
  const auto list = Parsed(WriteGroupList(SomeKinds()));
  EXPECT_EQ(json::TextOf(list.root()["kind"]), "APIGroupList");
  EXPECT_THAT(Each(list.root()["groups"], "name"), ElementsAre("resource.k8s.io", "apps", "a.example.com", "z.example.com"));
}

TEST(Discovery, GroupHasItsVersionsThePreferredOneFirst) {
  EXPECT_EQ(WriteGroup(SomeKinds(), "z.example.com"),
            R"({"kind":"APIGroup","apiVersion":"v1","name":"z.example.com","versions":[)"
            R"({"groupVersion":"z.example.com/v1","version":"v1"},{"groupVersion":"z.example.com/v1alpha1","version":"v1alpha1"}],)"
            R"("preferredVersion":{"groupVersion":"z.example.com/v1","version":"v1"}})");
  EXPECT_EQ(WriteGroup(SomeKinds(), "none.example.com"), std::nullopt);
  EXPECT_EQ(WriteGroup(SomeKinds(), ""), std::nullopt);
}

TEST(Discovery, ResourcesAreSortedEachBeforeItsSubresources) {
  const auto text = WriteResourceList(SomeKinds(), "", "v1");
  ASSERT_TRUE(text.has_value());
  const auto list = Parsed(*text);
  EXPECT_EQ(json::TextOf(list.root()["groupVersion"]), "v1");
  EXPECT_THAT(Each(list.root()["resources"], "name"), ElementsAre("pods", "pods/binding", "pods/eviction", "pods/status", "services"));
  EXPECT_EQ(
      json::Write(list.root()["resources"].Items()[0]),
      R"({"name":"pods","singularName":"pod","namespaced":true,"kind":"Pod",)"
      R"("verbs":["create","delete","deletecollection","get","list","patch","update","watch"],"shortNames":["po"],"categories":["all"]})");
}

TEST(Discovery, SubresourceOfAnotherKindNamesItsGroup) {
  const auto text = WriteResourceList(SomeKinds(), "", "v1").value_or("");
  EXPECT_THAT(text,
              HasSubstr(R"({"name":"pods/eviction","singularName":"","namespaced":true,"group":"policy","version":"v1","kind":"Eviction",)"
                        R"("verbs":["create"]})"));
  EXPECT_THAT(text, HasSubstr(R"({"name":"pods/binding","singularName":"","namespaced":true,"kind":"Binding","verbs":["create"]})"));
  EXPECT_THAT(text,
              HasSubstr(R"({"name":"pods/status","singularName":"","namespaced":true,"kind":"Pod","verbs":["get","patch","update"]})"));
}

TEST(Discovery, EmptyKindsCanOnlyBeRead) {
  EXPECT_THAT(
      WriteResourceList(SomeKinds(), "", "v1").value_or(""),
      HasSubstr(R"({"name":"services","singularName":"service","namespaced":true,"kind":"Service","verbs":["get","list","watch"]})"));
}

TEST(Discovery, OfAVersionThatIsNotServedIsEmpty) {
  EXPECT_EQ(WriteResourceList(SomeKinds(), "apps", "v2"), std::nullopt);
  EXPECT_EQ(WriteResourceList(SomeKinds(), "", "v2"), std::nullopt);
}

TEST(AggregatedDiscovery, HoldsGroupsVersionsAndResources) {
  const auto list = Parsed(WriteAggregated(SomeKinds(), DiscoveryRoot::kApis, "v2"));
  EXPECT_EQ(json::TextOf(list.root()["apiVersion"]), "apidiscovery.k8s.io/v2");
  const auto groups = json::ItemsOf(list.root()["items"]);
  ASSERT_EQ(groups.size(), 4u);
  EXPECT_EQ(
      json::Write(groups[0]),
      R"({"metadata":{"name":"resource.k8s.io"},"versions":[{"version":"v1","resources":[)"
      R"({"resource":"deviceclasses","responseKind":{"group":"resource.k8s.io","version":"v1","kind":"DeviceClass"},"scope":"Cluster",)"
      R"("singularResource":"deviceclass","verbs":["create","delete","deletecollection","get","list","patch","update","watch"]},)"
      R"({"resource":"resourceclaims","responseKind":{"group":"resource.k8s.io","version":"v1","kind":"ResourceClaim"},)"
      R"("scope":"Namespaced","singularResource":"resourceclaim",)"
      R"("verbs":["create","delete","deletecollection","get","list","patch","update","watch"]}],"freshness":"Current"}]})");
  EXPECT_THAT(Each(groups[3]["versions"], "version"), ElementsAre("v1", "v1alpha1"));
}

TEST(AggregatedDiscovery, OfTheCoreHasOneGroupWithoutName) {
  const std::string text = WriteAggregated(SomeKinds(), DiscoveryRoot::kApi, "v2beta1");
  const auto list = Parsed(text);
  EXPECT_EQ(json::TextOf(list.root()["apiVersion"]), "apidiscovery.k8s.io/v2beta1");
  ASSERT_EQ(json::ItemsOf(list.root()["items"]).size(), 1u);
  EXPECT_THAT(text, HasSubstr(R"("items":[{"metadata":{},"versions":[{"version":"v1",)"));
  EXPECT_THAT(text, HasSubstr(R"("subresources":[{"subresource":"binding","responseKind":{"group":"","version":"v1","kind":"Binding"},)"));
  EXPECT_THAT(text, Not(HasSubstr("deployments")));
}

TEST(AggregatedDiscovery, NamesItselfInTheContentType) {
  EXPECT_EQ(AggregatedContentType("v2"), "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
}

TEST(Discovery, PathsAreSorted) {
  const auto paths = Parsed(WritePaths(SomeKinds()));
  std::vector<std::string> texts;
  for (const json::Value& path : json::ItemsOf(paths.root()["paths"])) texts.emplace_back(json::TextOf(path));
  EXPECT_THAT(texts, IsSupersetOf({"/api", "/api/v1", "/apis", "/apis/apps", "/apis/apps/v1", "/healthz", "/version"}));
  EXPECT_TRUE(std::is_sorted(texts.begin(), texts.end()));
}

TEST(Discovery, VersionIsOneThatClientsCompareWithTheirs) {
  const auto version = Parsed(WriteVersion());
  EXPECT_EQ(json::TextOf(version.root()["major"]), "1");
  EXPECT_EQ(json::TextOf(version.root()["minor"]), "36");
  EXPECT_TRUE(json::TextOf(version.root()["gitVersion"]).starts_with("v1.36."));
  EXPECT_TRUE(json::TextOf(version.root()["platform"]).starts_with("linux/"));
}

TEST(Discovery, OfTheSameKindsIsTheSameText) {
  EXPECT_EQ(WriteAggregated(SomeKinds(), DiscoveryRoot::kApis, "v2"), WriteAggregated(SomeKinds(), DiscoveryRoot::kApis, "v2"));
}

}  // namespace
}  // namespace allot::apiserver

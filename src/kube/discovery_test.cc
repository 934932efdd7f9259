#include "kube/discovery.h"

#include "base/edit_distance.h"
#include "base/test_util.h"
#include "http/scripted_server.h"
#include "json/json.h"

namespace allot::kube {
namespace {

using http::Peer;
using http::ScriptedServer;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr char kCore[] =
    R"({"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","items":[{"metadata":{},"versions":[{"version":"v1",
  "resources":[
    {"resource":"pods","responseKind":{"group":"","version":"","kind":"Pod"},"scope":"Namespaced","singularResource":"pod","verbs":["get","list"],
     "shortNames":["po"],"categories":["all"],"subresources":[{"subresource":"log"}]},
    {"resource":"events","responseKind":{"kind":"Event"},"scope":"Namespaced","singularResource":"event","verbs":["get","list"],"shortNames":["ev"]},
    {"resource":"bindings","responseKind":{"kind":"Binding"},"scope":"Namespaced","singularResource":"binding","verbs":["create"]}]}]}]})";
constexpr char kGroups[] = R"({"kind":"APIGroupDiscoveryList","items":[
  {"metadata":{"name":"events.k8s.io"},"versions":[{"version":"v1","resources":[
    {"resource":"events","responseKind":{"kind":"Event"},"scope":"Namespaced","singularResource":"event","verbs":["list"],"shortNames":["ev"]}]}]},
  {"metadata":{"name":"resource.k8s.io"},"versions":[
    {"version":"v1","resources":[
      {"resource":"deviceclasses","responseKind":{"kind":"DeviceClass"},"scope":"Cluster","singularResource":"deviceclass","verbs":["get","list"]}]},
    {"version":"v1beta1","resources":[
      {"resource":"deviceclasses","responseKind":{"kind":"DeviceClass"},"scope":"Cluster","singularResource":"deviceclass","verbs":["get","list"]},
      {"resource":"oldthings","responseKind":{"kind":"OldThing"},"scope":"Cluster","verbs":["get","list"],"categories":["all"]}]}]}]})";

std::vector<ApiResource> Resources() {
  std::vector<ApiResource> resources;
  for (const char* text : {kCore, kGroups}) {
    const auto document = json::Parse(text);
    EXPECT_OK(ReadAggregated(document->root(), resources));
  }
  return resources;
}

std::string Found(std::string_view text) {
  const std::vector<ApiResource> resources = Resources();
  const ApiResource* const found = FindResource(resources, text);
  return found == nullptr ? "" : StrCat(found->type.ApiVersion(), " ", found->type.plural);
}

TEST(Discovery, FindsAKindByEveryNameThatPeopleUse) {
  for (const char* name : {"pods", "pod", "Pod", "POD", "po", "pods.v1."}) EXPECT_EQ(Found(name), "v1 pods") << name;
  for (const char* name :
       {"deviceclasses", "DeviceClass", "deviceclasses.resource.k8s.io", "deviceclass.resource", "deviceclasses.v1.resource.k8s.io"}) {
    EXPECT_EQ(Found(name), "resource.k8s.io/v1 deviceclasses") << name;
  }
  EXPECT_EQ(Found("deviceclasses.v1beta1.resource.k8s.io"), "resource.k8s.io/v1beta1 deviceclasses");
  EXPECT_EQ(Found("oldthing"), "resource.k8s.io/v1beta1 oldthings");
}

TEST(Discovery, TheCoreGroupComesFirst) {
  EXPECT_EQ(Found("events"), "v1 events");
  EXPECT_EQ(Found("ev"), "v1 events");
  EXPECT_EQ(Found("events.events.k8s.io"), "events.k8s.io/v1 events");
}

TEST(Discovery, WhatCanOnlyBeCreatedIsNoKindToLookAt) {
  EXPECT_EQ(Found("bindings"), "");
  EXPECT_EQ(Found("pods.nope"), "");
}

TEST(Discovery, KnowsScopeKindsAndCategories) {
  const std::vector<ApiResource> resources = Resources();
  EXPECT_FALSE(FindResource(resources, "deviceclass")->type.namespaced);
  EXPECT_TRUE(FindResource(resources, "pod")->type.namespaced);
  ASSERT_NE(FindKind(resources, "resource.k8s.io/v1", "DeviceClass"), nullptr);
  EXPECT_EQ(FindKind(resources, "v1", "DeviceClass"), nullptr);
  std::vector<std::string> all;
  for (const ApiResource* const one : FindCategory(resources, "all")) all.push_back(one->type.plural);
  EXPECT_THAT(all, ElementsAre("pods", "oldthings"));
}

TEST(Discovery, SuggestsTheNearestName) {
  const std::vector<ApiResource> resources = Resources();
  EXPECT_EQ(SuggestResource(resources, "pdo"), "pod");
  EXPECT_EQ(SuggestResource(resources, "devicclasses"), "deviceclasses");
  EXPECT_EQ(SuggestResource(resources, "gateways"), "");
  EXPECT_EQ(EditDistance("abc", ""), 3u);
  EXPECT_EQ(EditDistance("claim", "calims"), 2u);
}

TEST(Discovery, OurOwnKindsHaveShortcuts) {
  for (const auto& [name, kind] :
       {std::pair("claims", "ResourceClaim"), std::pair("slices", "ResourceSlice"), std::pair("classes", "DeviceClass"),
        std::pair("templates", "ResourceClaimTemplate"), std::pair("no", "Node")}) {
    const ApiResource* const found = FindResource(KnownResources(), name);
    ASSERT_NE(found, nullptr) << name;
    EXPECT_EQ(found->type.kind, kind);
  }
}

std::string Answer(int status, std::string_view body) {
  return StrCat("HTTP/1.1 ", status, " X\r\nConnection: close\r\nContent-Length: ", body.size(), "\r\n\r\n", body);
}

Result<std::vector<ApiResource>> DiscoverFrom(const ScriptedServer& server) {
  Config config;
  config.server = StrCat("http://127.0.0.1:", server.port());
  config.origin = "test";
  return Discover(**Client::Make(std::move(config)));
}

TEST(Discovery, ReadsTheOldFormWhereTheServerKnowsNoOther) {
  std::string accepted;
  ScriptedServer server({
      [&](Peer& peer) { accepted = peer.Answer(Answer(200, R"({"kind":"APIVersions","versions":["v1"]})")); },
      [](Peer& peer) {
        peer.Answer(Answer(200, R"({"kind":"APIResourceList","groupVersion":"v1","resources":[
          {"name":"pods","singularName":"","namespaced":true,"kind":"Pod","verbs":["get","list"],"shortNames":["po"]},
          {"name":"pods/log","namespaced":true,"kind":"Pod","verbs":["get"]}]})"));
      },
      [](Peer& peer) {
        peer.Answer(Answer(200, R"({"kind":"APIGroupList","groups":[{"name":"a.io","preferredVersion":{"groupVersion":"a.io/v2"},
          "versions":[{"groupVersion":"a.io/v1"},{"groupVersion":"a.io/v2"}]}]})"));
      },
      [](Peer& peer) {
        peer.Answer(Answer(
            200, R"({"kind":"APIResourceList","groupVersion":"a.io/v2","resources":[{"name":"things","kind":"Thing","verbs":["list"]}]})"));
      },
      [](Peer& peer) { peer.Answer(Answer(404, "")); },
  });
  ASSERT_OK_AND_ASSIGN(const std::vector<ApiResource> resources, DiscoverFrom(server));
  ASSERT_EQ(resources.size(), 2u);
  EXPECT_EQ(resources[0].singular, "pod");
  EXPECT_EQ(resources[1].type.ApiVersion(), "a.io/v2");
  EXPECT_FALSE(resources[1].type.namespaced);
  EXPECT_THAT(accepted, HasSubstr("as=APIGroupDiscoveryList"));
}

TEST(Discovery, AnAnswerOfAnotherKindIsNamed) {
  const auto document = json::Parse(R"({"kind":"Status"})");
  std::vector<ApiResource> resources;
  EXPECT_THAT(ReadAggregated(document->root(), resources), IsStatus(Code::kUnavailable, HasSubstr("\"Status\"")));
  EXPECT_THAT(ReadResourceList(document->root(), resources), IsStatus(Code::kUnavailable, HasSubstr("APIResourceList")));
}

}  // namespace
}  // namespace allot::kube

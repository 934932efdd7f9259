#include "apiserver/controllers/namespaces.h"

#include <gmock/gmock.h>

#include "apiserver/controllers/bootstrap.h"
#include "apiserver/controllers/service_accounts.h"
#include "apiserver/controllers/test_world.h"
#include "base/test_util.h"

namespace allot::apiserver {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Namespaces, TakeTheirContentWithThem) {
  TestWorld world;
  world.Add<Namespaces>();
  world.Create("namespaces", R"({"metadata":{"name":"other"}})");
  for (int i = 0; i < 450; ++i) world.Create("secrets", StrCat(R"({"metadata":{"name":"s)", i, "\"}}"));
  world.Create("pods", R"({"metadata":{"name":"p"},"spec":{}})");
  world.Create("secrets", R"({"metadata":{"name":"stays"}})", "other");
  world.Settle();
  world.Delete("namespaces", "lab");
  world.Settle();
  EXPECT_THAT(world.Names("namespaces"), ElementsAre("other"));
  EXPECT_THAT(world.Names("secrets"), ElementsAre("stays"));
  EXPECT_THAT(world.Names("pods"), IsEmpty());
}

TEST(Namespaces, WaitForFinalizersAndGracePeriods) {
  TestWorld world;
  world.Add<Namespaces>();
  world.Create("secrets", R"({"metadata":{"name":"a","finalizers":["x.example.com/f"]}})");
  world.Create("pods", R"({"metadata":{"name":"p"},"spec":{"nodeName":"n1"}})");
  world.Delete("namespaces", "lab");
  world.Settle();
  EXPECT_TRUE(IsDeleting(world.Get("secrets", "a").json()));
  EXPECT_TRUE(IsDeleting(world.Get("pods", "p").json()));
  world.Set("secrets", "a", {"metadata", "finalizers"}, "null");
  world.Settle();
  EXPECT_TRUE(world.Has("namespaces", "lab"));
  world.Delete("pods", "p", "Background", 0);
  world.Settle();
  EXPECT_FALSE(world.Has("namespaces", "lab"));
}

std::string ReasonsOf(const Stored& space) {
  std::string text;
  for (const json::Value& one : json::ItemsOf(space.status()["conditions"])) {
    if (json::TextOf(one["status"]) == "True") text += StrCat(json::TextOf(one["reason"]), ": ", json::TextOf(one["message"]), "\n");
  }
  return text;
}

TEST(Namespaces, OneThatHasToWaitSaysForWhat) {
  TestWorld world;
  world.Add<Namespaces>();
  world.Create("secrets", R"({"metadata":{"name":"a","finalizers":["x.example.com/f"]}})");
  world.Create("secrets", R"({"metadata":{"name":"b","finalizers":["x.example.com/f"]}})");
  world.Create("pods", R"({"metadata":{"name":"p"},"spec":{"nodeName":"n1"}})");
  world.Delete("namespaces", "lab");
  world.Settle();
  EXPECT_EQ(ReasonsOf(world.Get("namespaces", "lab")), "");  // it might end at once
  world.Pass(std::chrono::seconds(1));
  EXPECT_EQ(ReasonsOf(world.Get("namespaces", "lab")),
            "SomeResourcesRemain: Some resources are remaining: pods. has 1 resource instances, secrets. has 2 resource instances\n"
            "SomeFinalizersRemain: Some content in the namespace has finalizers remaining: x.example.com/f in 2 resource instances\n");
  EXPECT_EQ(json::ItemsOf(world.Get("namespaces", "lab").status()["conditions"]).size(), 5U);
  const uint64_t version = world.Get("namespaces", "lab").entry().version;
  world.Pass(std::chrono::seconds(20));
  EXPECT_EQ(world.Get("namespaces", "lab").entry().version, version);  // nothing new to say
  world.Set("secrets", "a", {"metadata", "finalizers"}, "null");
  world.Set("secrets", "b", {"metadata", "finalizers"}, "null");
  world.Pass(std::chrono::seconds(1));
  EXPECT_EQ(ReasonsOf(world.Get("namespaces", "lab")),
            "SomeResourcesRemain: Some resources are remaining: pods. has 1 resource instances\n");
}

TEST(Namespaces, WhatCameAtTheLastMomentGoesToo) {
  TestWorld world;
  world.Add<Namespaces>();
  world.Settle();
  world.Delete("namespaces", "lab");
  world.Set("namespaces", "lab", {"spec", "finalizers"}, "null");
  world.Create("secrets", R"({"metadata":{"name":"late"}})");
  world.Settle();
  EXPECT_THAT(world.Names("secrets"), IsEmpty());
}

TEST(Namespaces, WhatCameAfterTheEndGoesToo) {
  TestWorld world;
  world.Add<Namespaces>();
  world.Delete("namespaces", "lab");
  world.Settle();
  ASSERT_FALSE(world.Has("namespaces", "lab"));
  world.Create("secrets", R"({"metadata":{"name":"late"}})");
  world.Create("secrets", R"({"metadata":{"name":"held","finalizers":["x.example.com/f"]}})");
  world.Settle();
  EXPECT_THAT(world.Names("secrets"), ElementsAre("held"));
  world.Set("secrets", "held", {"metadata", "finalizers"}, "null");
  EXPECT_THAT(world.Names("secrets"), IsEmpty());
}

TEST(Namespaces, AnObjectInANamespaceThatNeverWasIsNotTouched) {
  TestWorld world;
  world.Create("secrets", R"({"metadata":{"name":"a"}})", "nowhere");
  world.Restart();
  world.Add<Namespaces>();
  world.Settle();
  EXPECT_THAT(world.Names("secrets"), ElementsAre("a"));
}

TEST(Namespaces, ANewOneOfTheNameOfOneThatIsGoneKeepsItsContent) {
  TestWorld world;
  world.Add<Namespaces>();
  world.Delete("namespaces", "lab");
  world.Settle();
  world.Create("namespaces", R"({"metadata":{"name":"lab"}})");
  world.Create("secrets", R"({"metadata":{"name":"a"}})");
  world.Settle();
  EXPECT_THAT(world.Names("secrets"), ElementsAre("a"));
}

TEST(ServiceAccounts, DefaultIsInEveryNamespaceAndComesBack) {
  TestWorld world;
  world.Add<ServiceAccounts>();
  world.Settle();
  const std::string uid = world.Get("serviceaccounts", "default").uid();
  world.Delete("serviceaccounts", "default");
  world.Settle();
  EXPECT_NE(world.Get("serviceaccounts", "default").uid(), uid);
}

TEST(ServiceAccounts, IsNotMadeInANamespaceBeingDeleted) {
  TestWorld world;
  world.Add<ServiceAccounts>();
  world.Delete("namespaces", "lab");
  world.Settle();
  EXPECT_THAT(world.Names("serviceaccounts"), IsEmpty());
}

TEST(SystemObjects, AreMadeOnce) {
  TestWorld world;
  ASSERT_OK(MakeSystemObjects(world.api()));
  const uint64_t version = world.api().store().version();
  ASSERT_OK(MakeSystemObjects(world.api()));
  EXPECT_EQ(world.api().store().version(), version);
  EXPECT_THAT(world.Names("namespaces"), ElementsAre("default", "kube-node-lease", "kube-public", "kube-system", "lab"));
  EXPECT_EQ(TextAt(world.Get("priorityclasses.scheduling.k8s.io", "system-node-critical").json(), {"value"}), "2000001000");
}

}  // namespace
}  // namespace allot::apiserver

#include "kube/object_pool.h"

#include "base/random.h"
#include "base/test_util.h"
#include "json/json.h"

namespace allot::kube {
namespace {

std::string Pod(int i) {
  return StrCat(R"({"kind":"Pod","metadata":{"name":"pod-)", i, R"(","uid":"u-)", i,
                R"(","managedFields":[{"manager":"m"}],"labels":{"app":"a long name that all of them have"}},)",
                R"("spec":{"tolerations":[{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute"}],"n":1.50,)",
                R"("managedFields":"kept here","empty":{},"none":null,"index":)", i, "}}");
}

TEST(ObjectPool, CopiesAreEqualExceptForTheNamedMember) {
  ObjectPool pool;
  for (int i = 0; i < 5; ++i) {
    const auto document = json::Parse(Pod(i % 3));
    std::string expected = json::Write(document->root());
    EXPECT_EQ(json::Write(pool.Copy(document->root(), "")->json()), expected);
    const std::string left_out = R"("managedFields":[{"manager":"m"}],)";
    expected.erase(expected.find(left_out), left_out.size());
    EXPECT_EQ(json::Write(pool.Copy(document->root(), "managedFields")->json()), expected);
  }
}

TEST(ObjectPool, WhatObjectsHaveInCommonIsKeptOnce) {
  ObjectPool pool;
  std::vector<ObjectPtr> pods;
  for (int i = 0; i < 10; ++i) pods.push_back(pool.Copy(json::Parse(Pod(i))->root(), ""));
  const auto tolerations = [&](int i) { return pods[static_cast<size_t>(i)]->json()["spec"]["tolerations"].Items().data(); };
  EXPECT_EQ(tolerations(8), tolerations(9));
  EXPECT_NE(pods[8]->name().data(), pods[9]->name().data());
}

TEST(ObjectPool, UniqueTextDoesNotFillIt) {
  ObjectPool pool;
  for (int i = 0; i < 10; ++i) pool.Copy(json::Parse(Pod(0))->root(), "");
  const size_t before = pool.shared_bytes();
  for (int i = 1000; i < 3000; ++i) pool.Copy(json::Parse(Pod(i))->root(), "");
  EXPECT_LT(pool.shared_bytes(), before + 2000);
}

TEST(ObjectPool, ItsSizeIsLimited) {
  ObjectPool pool(1000);
  SeededRandom random(1);
  for (int i = 0; i < 2000; ++i) {
    const std::string text = StrCat(R"({"a":")", std::string(100, static_cast<char>('a' + random.Below(26))), random.Below(26), R"("})");
    EXPECT_EQ(json::Write(pool.Copy(json::Parse(text)->root(), "")->json()), text);
  }
  EXPECT_LE(pool.shared_bytes(), 1100u);
}

TEST(ObjectPool, KeysThatAreNotRepeatedDoNotFillIt) {
  ObjectPool pool;
  for (int i = 0; i < 5000; ++i) {
    const std::string text = StrCat(R"({"metadata":{"annotations":{"a key of somebody's own )", i, R"(":"x"}}})");
    EXPECT_EQ(json::Write(pool.Copy(json::Parse(text)->root(), "")->json()), text);
  }
  EXPECT_LT(pool.shared_bytes(), 2000u);
}

TEST(ObjectPool, ObjectsOutliveIt) {
  ObjectPtr pod;
  {
    ObjectPool pool;
    for (int i = 0; i < 5; ++i) pod = pool.Copy(json::Parse(Pod(i))->root(), "");
  }
  EXPECT_EQ(json::Write(pod->json()), json::Write(json::Parse(Pod(4))->root()));
}

}  // namespace
}  // namespace allot::kube

#include "control/claim_writer.h"

#include "apiserver/refusal.h"
#include "control/test_cluster.h"
#include "json/editor.h"

namespace allot::control {
namespace {

class ClaimWriterTest : public testing::Test {
 protected:
  ClaimWriterTest()
      : cluster_(1, 8), known_([this] { return nothing_.Take(); }, cluster_.clock()), writer_(cluster_.client(), known_, cluster_.clock()) {
    cluster_.AddClaim("c", "4Gi");
    // The Pods do not exist: without this, the API would remove them from reservedFor.
    cluster_.gatekeeper().Set([](const auto& request, const auto&) {
      return request.user == "system:admin" ? Status() : apiserver::InternalError("the tests write themselves");
    });
    const kube::ObjectPtr claim = Stored();
    name_ = {"lab", "c", std::string(claim->uid())};
    known_.Assume(claim);
  }

  kube::ObjectPtr Stored() { return cluster_.Get(kube::types::kResourceClaims, "c"); }
  static model::Allocation Share(std::string_view id) {
    model::DeviceResult result;
    result.request = "gpu", result.driver = "gpu.nvidia.com", result.pool = "n1", result.device = "gpu-0", result.share_id = id;
    result.consumed_capacity = {{"memory", *model::Quantity::Parse("4Gi")}};
    model::Allocation allocation;
    allocation.results.push_back(std::move(result));
    return allocation;
  }

  TestCluster cluster_;
  const kube::ObjectCache nothing_;  // an informer that never hears of anything
  kube::MutationCache known_;
  ClaimWriter writer_;
  ClaimName name_;
  const ClaimUser a_{"a", "uid-a"}, b_{"b", "uid-b"};
  const model::Allocation mine_ = Share("11111111-1111-4111-8111-111111111111"), other_ = Share("22222222-2222-4222-8222-222222222222");
};

TEST_F(ClaimWriterTest, UndoTakesBackThisAllocationAndNoOther) {
  ASSERT_OK(writer_.Allocate(name_, mine_, a_, {}));
  EXPECT_OK(writer_.Undo(name_, other_, a_, {}));
  EXPECT_EQ(TestCluster::Held(Stored()), "gpu-0 4Gi for a");
  EXPECT_OK(writer_.Undo(name_, mine_, a_, {}));
  EXPECT_EQ(TestCluster::Held(Stored()), "");
  EXPECT_OK(writer_.Undo({"lab", "no-such-claim", "u"}, mine_, a_, {}));
}

TEST_F(ClaimWriterTest, UndoLeavesTheAllocationToItsOtherUsers) {
  ASSERT_OK(writer_.Allocate(name_, mine_, a_, {}));
  ASSERT_OK(writer_.Reserve(name_, mine_, b_, {}));
  EXPECT_OK(writer_.Undo(name_, mine_, a_, {}));
  EXPECT_EQ(TestCluster::Held(Stored()), "gpu-0 4Gi for b");
}

TEST_F(ClaimWriterTest, AWriteThatArrivesAfterUndoIsRefused) {
  ASSERT_OK(writer_.Allocate(name_, mine_, a_, {}));
  const kube::ObjectPtr allocated = Stored();
  ASSERT_OK(writer_.Release(name_, a_, true, {}));
  const kube::ObjectPtr before = Stored();  // protected, and not allocated: what the write of an allocation goes by
  json::Arena arena;
  json::Editor edit(arena);
  const json::Value late = edit.SetAt(before->json(), {"status"}, allocated->json()["status"]);
  ASSERT_OK(writer_.Undo(name_, mine_, a_, {}));
  const auto answer = cluster_.client().Update(kube::types::kResourceClaims, "lab", "c", json::Write(late), "status");
  EXPECT_TRUE(kube::HasReason(answer.status(), "Conflict")) << answer.status().message();
  EXPECT_EQ(TestCluster::Held(Stored()), "");
}

TEST_F(ClaimWriterTest, ATakeBackThatEndedUnsureIsFinishedBeforeTheClaimIsUsedAgain) {
  ASSERT_OK(writer_.Allocate(name_, mine_, a_, {}));
  json::Arena arena;
  json::Editor edit(arena);
  const kube::ObjectPtr allocated = Stored();
  const std::string late = json::Write(edit.WithoutAt(allocated->json(), {"status"}));  // what Release writes, still on its way
  cluster_.gatekeeper().Set([](const auto&, const auto&) { return apiserver::InternalError("etcdserver: request timed out"); });
  ASSERT_FALSE(writer_.Release(name_, a_, true, {}).ok());
  cluster_.gatekeeper().Set([](const auto& request, const auto&) {
    return request.user == "system:admin" ? Status() : apiserver::InternalError("the tests write themselves");
  });
  const Status used = writer_.Reserve(name_, mine_, a_, {}).status();
  EXPECT_THAT(used, IsStatus(Code::kConflict, testing::HasSubstr("no longer allocated")));
  const auto answer = cluster_.client().Update(kube::types::kResourceClaims, "lab", "c", late, "status");
  EXPECT_TRUE(kube::HasReason(answer.status(), "Conflict")) << answer.status().message();
  ASSERT_OK(writer_.Allocate(name_, mine_, a_, {}));
  EXPECT_EQ(TestCluster::Held(Stored()), "gpu-0 4Gi for a");
}

TEST_F(ClaimWriterTest, ATakeBackThatArrivedWithoutAnAnswerIsNotRepeated) {
  ASSERT_OK(writer_.Allocate(name_, mine_, a_, {}));
  const kube::ObjectPtr allocated = Stored();
  cluster_.gatekeeper().Set([](const auto&, const auto&) { return apiserver::InternalError("etcdserver: request timed out"); });
  ASSERT_FALSE(writer_.Release(name_, a_, true, {}).ok());
  cluster_.gatekeeper().Set([](const auto& request, const auto&) {
    return request.user == "system:admin" ? Status() : apiserver::InternalError("the tests write themselves");
  });
  json::Arena arena;
  json::Editor edit(arena);
  ASSERT_OK(cluster_.client().Update(kube::types::kResourceClaims, "lab", "c", json::Write(edit.WithoutAt(allocated->json(), {"status"})),
                                     "status"));
  ASSERT_OK(writer_.Allocate(name_, other_, b_, {}));
  EXPECT_EQ(TestCluster::Held(Stored()), "gpu-0 4Gi for b");
}

TEST_F(ClaimWriterTest, WhatWasReadIsKnown) {
  known_.Forget("lab", "c");
  EXPECT_EQ(known_.Get("lab", "c"), nullptr);
  EXPECT_OK(writer_.Undo(name_, mine_, a_, {}));
  ASSERT_NE(known_.Get("lab", "c"), nullptr);
  EXPECT_EQ(known_.Get("lab", "c")->resource_version(), Stored()->resource_version());
}

TEST_F(ClaimWriterTest, AnAllocationWhoseAnswerWasLostIsStillOurOwn) {
  const kube::ObjectPtr before = Stored();
  ASSERT_OK(writer_.Allocate(name_, mine_, a_, {}));
  known_.Forget("lab", "c");
  known_.Assume(before);  // as if no event about it had arrived
  ASSERT_OK_AND_ASSIGN(const Written wrote, writer_.Allocate(name_, mine_, a_, {}));
  EXPECT_EQ(wrote, Written::kAllocation) << "it is to be taken back where the rest is refused";
}

}  // namespace
}  // namespace allot::control

#include "control/binder.h"

#include "apiserver/refusal.h"
#include "control/test_cluster.h"

namespace allot::control {
namespace {

// Pod a, its claim c, and the decision that it is on n1 with a share of gpu-0.
class BinderTest : public testing::Test {
 protected:
  BinderTest()
      : cluster_(1, 8), known_([this] { return nothing_.Take(); }, cluster_.clock()), binder_(cluster_.client(), known_, cluster_.clock()) {
    cluster_.AddClaim("c", "4Gi");
    cluster_.AddPod("a", "resourceClaimName: c");
    // What the API has of claims is what the tests wrote.
    cluster_.gatekeeper().Set([](const auto& request, const auto&) {
      return request.user == "system:admin" || request.kind.type.plural != "resourceclaims" ? Status() : apiserver::InternalError("later");
    });
    const kube::ObjectPtr pod = cluster_.Get(kube::types::kPods, "a");
    made_ = cluster_.ClaimOf("a");
    known_.Assume(made_);
    placed_.asking.pod = *sched::Pod::Read(pod);
    placed_.asking.claims = {*sched::Claim::Read(made_)};
    placed_.node = "n1";
    model::DeviceResult result;
    result.request = "gpu", result.driver = "gpu.nvidia.com", result.pool = "n1", result.device = "gpu-0";
    result.share_id = "11111111-1111-4111-8111-111111111111";
    result.consumed_capacity = {{"memory", *model::Quantity::Parse("4Gi")}};
    model::Allocation allocation;
    allocation.results.push_back(std::move(result));
    placed_.allocations.push_back(std::move(allocation));
  }

  std::string Held() { return TestCluster::Held(cluster_.ClaimOf("a")); }
  // Another scheduler may have bound the Pod to another node.
  void BindTo(std::string_view node) {
    sched::Placed there = placed_;
    there.node = node;
    ASSERT_OK(binder_.Bind(there, false, {}));
  }
  // From then on no write of the claim succeeds.
  void DeleteClaim() {
    ASSERT_OK(cluster_.client().Delete(kube::types::kResourceClaims, "lab", "c", {}));
    known_.Assume(cluster_.ClaimOf("a"));
  }
  // As if no event about the claim had arrived since it was made.
  void ForgetClaim() {
    known_.Forget("lab", "c");
    known_.Assume(made_);
  }

  TestCluster cluster_;
  const kube::ObjectCache nothing_;  // an informer that never hears of anything
  kube::MutationCache known_;
  Binder binder_;
  kube::ObjectPtr made_;  // the claim as it was then
  sched::Placed placed_;
};

TEST_F(BinderTest, ATryAfterABindingWhoseAnswerWasLostLeavesThePodItsClaims) {
  BindTo("n1");
  DeleteClaim();
  EXPECT_OK(binder_.Bind(placed_, true, {}));
  EXPECT_EQ(Held(), "gpu-0 4Gi for a");
}

TEST_F(BinderTest, APodThatIsBoundElsewhereKeepsItsClaims) {
  cluster_.AddNode("n2", 1, 8);
  BindTo("n2");
  DeleteClaim();
  EXPECT_THAT(binder_.Bind(placed_, true, {}), IsStatus(Code::kConflict, testing::HasSubstr("was bound to node n2 by another scheduler")));
  EXPECT_EQ(Held(), "gpu-0 4Gi for a");
  EXPECT_THAT(binder_.Undo(placed_, {}), IsStatus(Code::kConflict, testing::HasSubstr("was bound to node n2 by another scheduler")));
  EXPECT_EQ(Held(), "gpu-0 4Gi for a");
}

TEST_F(BinderTest, WhatTheClaimsOfABoundPodHaveIsKnownFromThenOn) {
  BindTo("n1");
  ForgetClaim();
  ASSERT_EQ(TestCluster::Held(known_.Get("lab", "c")), "");
  EXPECT_OK(binder_.Undo(placed_, {}));
  EXPECT_EQ(TestCluster::Held(known_.Get("lab", "c")), "gpu-0 4Gi for a");
}

// A binding that hung somewhere arrives while the claims are taken back.
TEST_F(BinderTest, APodThatIsBoundAfterAllWhileItsClaimsAreTakenBackHasThemAgain) {
  std::atomic<bool> arrived = false;
  const auto first_try = [](const auto& request, const auto&) {
    return IsBinding(request) || request.user != "system:admin" ? apiserver::InternalError("later") : Status();
  };
  cluster_.gatekeeper().Set(first_try);
  ASSERT_FALSE(binder_.Bind(placed_, false, {}).ok());
  cluster_.gatekeeper().Set([&](const auto& request, const json::Value& object) -> Status {
    if (request.user != "system:admin") return apiserver::InternalError("later");
    if (IsClaim(request, "status") && object["status"]["allocation"].IsNull() && !arrived.exchange(true)) {
      http::Request late{"POST",
                         kube::types::kPods.ObjectPath("lab", "a", "binding"),
                         {{"Content-Type", "application/json"}},
                         R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":"a"},"target":{"kind":"Node","name":"n1"}})"};
      EXPECT_OK(cluster_.client().Raw(std::move(late), "bind"));
    }
    return Status();
  });
  EXPECT_OK(binder_.Undo(placed_, {}));
  EXPECT_TRUE(arrived);
  EXPECT_EQ(cluster_.NodeOf("a"), "n1");
  EXPECT_EQ(Held(), "gpu-0 4Gi for a");
  EXPECT_EQ(TestCluster::Held(known_.Get("lab", "c")), "gpu-0 4Gi for a");
}

TEST_F(BinderTest, UndoFindsAReservationWhoseAnswerWasLost) {
  cluster_.gatekeeper().Set([](const auto& request, const auto&) {
    return IsBinding(request) || request.user != "system:admin" ? apiserver::InternalError("later") : Status();
  });
  ASSERT_FALSE(binder_.Bind(placed_, false, {}).ok());
  ASSERT_EQ(Held(), "gpu-0 4Gi for a");
  const kube::ObjectPtr allocated = cluster_.ClaimOf("a");
  placed_.asking.claims = {*sched::Claim::Read(allocated)};
  placed_.allocations.clear();
  ForgetClaim();
  EXPECT_THAT(binder_.Undo(placed_, {}), IsStatus(Code::kConflict, testing::HasSubstr("was not bound to node n1")));
  EXPECT_EQ(Held(), "gpu-0 4Gi") << "who allocated it takes it back";
}

}  // namespace
}  // namespace allot::control

#include "apiserver/controllers/claim_release.h"

#include <gmock/gmock.h>

#include "apiserver/controllers/test_world.h"

namespace allot::apiserver {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

constexpr std::string_view kClaims = "resourceclaims.resource.k8s.io";
constexpr char kProtected[] = R"({"metadata":{"name":"a","finalizers":["resource.kubernetes.io/delete-protection"]},"spec":{}})";
constexpr char kGone[] = R"({"resource":"pods","name":"gone","uid":"11111111-2222-3333-4444-555555555555"})";

class ClaimReleaseTest : public testing::Test {
 protected:
  void SetUp() override { world_.Add<ClaimRelease>(); }
  static std::string For(const Stored& pod) {
    return StrCat(R"({"resource":"pods","name":")", pod.key().name, R"(","uid":")", pod.uid(), "\"}");
  }
  void Reserve(const std::string& claim, const std::string& consumers) {
    world_.Set(kClaims, claim, {"status"}, StrCat(R"({"allocation":{"devices":{}},"reservedFor":[)", consumers, "]}"));
  }
  Stored Pod(const std::string& spec = "{}") { return world_.Create("pods", StrCat(R"({"metadata":{"name":"p"},"spec":)", spec, "}")); }
  bool IsAllocated(const std::string& claim) { return !world_.Get(kClaims, claim).status()["allocation"].IsNull(); }
  TestWorld world_;
};

TEST_F(ClaimReleaseTest, AReservationOfAPodThatIsGoneIsRemovedThenAllocationAndFinalizer) {
  world_.Create(kClaims, kProtected);
  Reserve("a", kGone);
  world_.Settle();
  const Stored claim = world_.Get(kClaims, "a");
  EXPECT_TRUE(claim.status()["reservedFor"].IsNull());
  EXPECT_TRUE(claim.status()["allocation"].IsNull());
  EXPECT_TRUE(claim.metadata()["finalizers"].IsNull());
}

TEST_F(ClaimReleaseTest, AReservationOfAPodThatExistsStaysAndWithItTheAllocation) {
  world_.Create(kClaims, kProtected);
  const Stored pod = Pod();
  Reserve("a", StrCat(For(pod), ",", kGone));
  world_.Settle();
  const Stored claim = world_.Get(kClaims, "a");
  ASSERT_THAT(json::ItemsOf(claim.status()["reservedFor"]), SizeIs(1));
  EXPECT_EQ(TextAt(json::ItemsOf(claim.status()["reservedFor"]).front(), {"uid"}), pod.uid());
  EXPECT_TRUE(IsAllocated("a"));
  EXPECT_TRUE(HasFinalizer(claim.json(), "resource.kubernetes.io/delete-protection"));
}

TEST_F(ClaimReleaseTest, AReservationEndsWithItsPod) {
  world_.Create(kClaims, kProtected);
  const Stored pod = Pod(R"({"nodeName":"n1"})");
  Reserve("a", For(pod));
  world_.Settle();
  EXPECT_TRUE(IsAllocated("a"));
  world_.Delete("pods", "p");  // with grace: it still runs
  world_.Settle();
  EXPECT_TRUE(IsAllocated("a"));
  world_.Set("pods", "p", {"status", "phase"}, R"("Succeeded")");
  world_.Settle();
  EXPECT_FALSE(IsAllocated("a"));
}

TEST_F(ClaimReleaseTest, AReservationOfAReplacedPodIsRemoved) {
  world_.Create(kClaims, kProtected);
  const Stored pod = Pod();
  Reserve("a", For(pod));
  world_.Settle();
  world_.Delete("pods", "p");
  Pod();
  world_.Settle();
  EXPECT_FALSE(IsAllocated("a"));
}

TEST_F(ClaimReleaseTest, AClaimBeingDeletedWaitsForItsReservation) {
  world_.Create(kClaims, kProtected);
  const Stored pod = Pod();
  Reserve("a", For(pod));
  world_.Delete(kClaims, "a");
  world_.Settle();
  EXPECT_TRUE(world_.Has(kClaims, "a"));
  EXPECT_TRUE(IsAllocated("a"));
  world_.Delete("pods", "p");
  world_.Settle();
  EXPECT_FALSE(world_.Has(kClaims, "a"));
}

TEST_F(ClaimReleaseTest, AnUnusedAllocationIsRemovedWithTheDeletion) {
  world_.Create(kClaims, kProtected);
  world_.Set(kClaims, "a", {"status"}, R"({"allocation":{"devices":{}}})");
  world_.Settle();
  EXPECT_TRUE(IsAllocated("a"));
  world_.Delete(kClaims, "a");
  world_.Settle();
  EXPECT_FALSE(world_.Has(kClaims, "a"));
}

TEST_F(ClaimReleaseTest, WithoutTheFinalizerTheAllocationIsLeftAlone) {
  world_.Create(kClaims, R"({"metadata":{"name":"a"},"spec":{}})");
  Reserve("a", kGone);
  world_.Settle();
  EXPECT_TRUE(world_.Get(kClaims, "a").status()["reservedFor"].IsNull());
  EXPECT_TRUE(IsAllocated("a"));
}

TEST_F(ClaimReleaseTest, AConsumerThatIsNotAPodIsLeftAlone) {
  world_.Create(kClaims, kProtected);
  Reserve("a", R"({"apiGroup":"example.com","resource":"things","name":"x","uid":"u"})");
  world_.Settle();
  EXPECT_TRUE(IsAllocated("a"));
}

TEST_F(ClaimReleaseTest, AClaimMadeForAPodThatEndedIsDeleted) {
  const Stored pod = Pod(R"({"nodeName":"n1"})");
  world_.Create(kClaims, StrCat(R"({"metadata":{"name":"a","finalizers":["resource.kubernetes.io/delete-protection"],"ownerReferences":[
      {"apiVersion":"v1","kind":"Pod","name":"p","uid":")",
                                pod.uid(), R"(","controller":true}]},"spec":{}})"));
  Reserve("a", For(pod));
  world_.Settle();
  EXPECT_TRUE(IsAllocated("a"));
  world_.Set("pods", "p", {"status", "phase"}, R"("Failed")");
  world_.Settle();
  EXPECT_THAT(world_.Names(kClaims), IsEmpty());
}

}  // namespace
}  // namespace allot::apiserver

#include "apiserver/controllers/pod_claims.h"

#include <gmock/gmock.h>

#include "apiserver/controllers/test_world.h"

namespace allot::apiserver {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

constexpr std::string_view kClaims = "resourceclaims.resource.k8s.io", kTemplates = "resourceclaimtemplates.resource.k8s.io";
constexpr char kTemplate[] = R"({"metadata":{"name":"t"},"spec":{"metadata":{"labels":{"from":"template"},"annotations":{"note":"kept"}},
    "spec":{"devices":{"requests":[{"name":"gpu"}]}}}})";
constexpr char kPod[] = R"({"metadata":{"name":"p"},"spec":{"resourceClaims":[{"name":"gpu","resourceClaimTemplateName":"t"}]}})";

class PodClaimsTest : public testing::Test {
 protected:
  void SetUp() override { world_.Add<PodClaims>(); }
  std::string ClaimInStatus() {
    const Stored pod = world_.Get("pods", "p");
    const auto statuses = json::ItemsOf(pod.status()["resourceClaimStatuses"]);
    return statuses.empty() ? "" : std::string(json::TextOf(statuses.front()["resourceClaimName"]));
  }
  TestWorld world_;
};

TEST_F(PodClaimsTest, APodGetsAClaimOfItsOwn) {
  world_.Create(kTemplates, kTemplate);
  const Stored pod = world_.Create("pods", kPod);
  world_.Settle();
  ASSERT_THAT(world_.Names(kClaims), SizeIs(1));
  const Stored claim = world_.At(kClaims);
  EXPECT_EQ(ClaimInStatus(), claim.key().name);
  EXPECT_EQ(TextAt(claim.metadata(), {"generateName"}), "p-gpu-");
  EXPECT_EQ(TextAt(claim.metadata(), {"labels", "from"}), "template");
  EXPECT_EQ(TextAt(claim.metadata(), {"annotations", "note"}), "kept");
  EXPECT_EQ(TextAt(claim.metadata(), {"annotations", "resource.kubernetes.io/pod-claim-name"}), "gpu");
  EXPECT_TRUE(IsControlledBy(claim.json(), pod.uid()));
  EXPECT_EQ(TextAt(claim.spec(), {"devices", "requests"}), R"([{"name":"gpu"}])");
}

TEST_F(PodClaimsTest, ATemplateMadeAfterThePodIsFound) {
  world_.Create("pods", kPod);
  world_.Settle();
  EXPECT_THAT(world_.Names(kClaims), IsEmpty());
  world_.Create(kTemplates, kTemplate);
  world_.Settle();
  EXPECT_THAT(world_.Names(kClaims), ElementsAre(ClaimInStatus()));
}

TEST_F(PodClaimsTest, ACrashBeforeTheStatusWasWrittenMakesNoSecondClaim) {
  world_.Create(kTemplates, kTemplate);
  world_.Create("pods", kPod);
  world_.api().Refuse("pods");
  world_.Settle();
  ASSERT_THAT(world_.Names(kClaims), SizeIs(1));
  world_.api().Refuse("");
  world_.Restart();
  world_.Add<PodClaims>();
  world_.Settle();
  EXPECT_THAT(world_.Names(kClaims), ElementsAre(ClaimInStatus()));
}

TEST_F(PodClaimsTest, TwoEntriesGetTwoClaimsFromOneTemplate) {
  world_.Create(kTemplates, kTemplate);
  world_.Create("pods", R"({"metadata":{"name":"p"},"spec":{"resourceClaims":[
      {"name":"gpu","resourceClaimTemplateName":"t"},{"name":"other","resourceClaimTemplateName":"t"}]}})");
  world_.Settle();
  EXPECT_THAT(world_.Names(kClaims), ElementsAre(StartsWith("p-gpu-"), StartsWith("p-other-")));
}

TEST_F(PodClaimsTest, AClaimThatWasDeletedByMistakeIsMadeAgain) {
  world_.Create(kTemplates, kTemplate);
  world_.Create("pods", kPod);
  world_.Settle();
  const std::string first = ClaimInStatus();
  world_.Delete(kClaims, first);
  world_.Settle();
  EXPECT_NE(ClaimInStatus(), first);
  EXPECT_THAT(world_.Names(kClaims), ElementsAre(ClaimInStatus()));
}

TEST_F(PodClaimsTest, PodsThatEndedOrAreDeletedGetNoClaim) {
  world_.Create(kTemplates, kTemplate);
  world_.Create("pods", kPod);
  world_.Set("pods", "p", {"status", "phase"}, R"("Failed")");
  world_.Create("pods", R"({"metadata":{"name":"q","finalizers":["x.example.com/f"]},
      "spec":{"resourceClaims":[{"name":"gpu","resourceClaimTemplateName":"t"}]}})");
  world_.Delete("pods", "q");
  world_.Settle();
  EXPECT_THAT(world_.Names(kClaims), IsEmpty());
}

TEST_F(PodClaimsTest, APodBoundWithoutTheSchedulerIsReserved) {
  world_.Create(kClaims, R"({"metadata":{"name":"shared"},"spec":{},"status":{"allocation":{"devices":{}}}})");
  const Stored pod = world_.Create(
      "pods", R"({"metadata":{"name":"p"},"spec":{"nodeName":"n1","resourceClaims":[{"name":"gpu","resourceClaimName":"shared"}]}})");
  world_.Settle();
  const Stored claim = world_.Get(kClaims, "shared");
  ASSERT_THAT(json::ItemsOf(claim.status()["reservedFor"]), SizeIs(1));
  EXPECT_EQ(TextAt(json::ItemsOf(claim.status()["reservedFor"]).front(), {"uid"}), pod.uid());
}

TEST_F(PodClaimsTest, AClaimThatIsNotAllocatedIsNotReserved) {
  world_.Create(kClaims, R"({"metadata":{"name":"shared"},"spec":{}})");
  world_.Create("pods",
                R"({"metadata":{"name":"p"},"spec":{"nodeName":"n1","resourceClaims":[{"name":"gpu","resourceClaimName":"shared"}]}})");
  world_.Settle();
  EXPECT_TRUE(world_.Get(kClaims, "shared").status()["reservedFor"].IsNull());
}

TEST_F(PodClaimsTest, LongNamesLeaveRoomForTheRandomPart) {
  world_.Create(kTemplates, kTemplate);
  const std::string name(100, 'p');
  world_.Create("pods", StrCat(R"({"metadata":{"name":")", name,
                               R"("},"spec":{"resourceClaims":[{"name":"gpu","resourceClaimTemplateName":"t"}]}})"));
  world_.Settle();
  const std::string prefix = TextAt(world_.At(kClaims).metadata(), {"generateName"});
  EXPECT_LE(prefix.size(), 58U);
  EXPECT_THAT(prefix, testing::EndsWith("-g"));
}

}  // namespace
}  // namespace allot::apiserver

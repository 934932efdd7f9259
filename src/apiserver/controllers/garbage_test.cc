#include "apiserver/controllers/garbage.h"

#include <gmock/gmock.h>

#include <ctime>

#include "apiserver/controllers/test_world.h"

namespace allot::apiserver {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

constexpr std::string_view kNobody = "11111111-2222-3333-4444-555555555555";

std::string Owned(std::string_view name, std::string_view references, std::string_view more = "") {
  return StrCat(R"({"metadata":{"name":")", name, R"(","ownerReferences":[)", references, "]", more, "}}");
}

std::string Reference(std::string_view version, std::string_view kind, std::string_view name, std::string_view uid, bool blocks = false) {
  return StrCat(R"({"apiVersion":")", version, R"(","kind":")", kind, R"(","name":")", name, R"(","uid":")", uid, "\"",
                blocks ? R"(,"blockOwnerDeletion":true)" : "", "}");
}

class GarbageTest : public testing::Test {
 protected:
  void SetUp() override { world_.Add<Garbage>(); }
  std::string Owner(const std::string& name, std::string_view more = "") {
    return world_.Create("configmaps", StrCat(R"({"metadata":{"name":")", name, "\"", more, "}}")).uid();
  }
  TestWorld world_;
};

TEST_F(GarbageTest, ADependentFollowsItsOwner) {
  const std::string uid = Owner("owner");
  world_.Create("secrets", Owned("child", Reference("v1", "ConfigMap", "owner", uid)));
  world_.Settle();
  EXPECT_TRUE(world_.Has("secrets", "child"));
  world_.Delete("configmaps", "owner");
  world_.Settle();
  EXPECT_FALSE(world_.Has("secrets", "child"));
}

TEST_F(GarbageTest, AnOwnerOfTheSameNameButAnotherUidDoesNotCount) {
  Owner("owner");
  world_.Create("secrets", Owned("child", Reference("v1", "ConfigMap", "owner", kNobody)));
  world_.Settle();
  EXPECT_FALSE(world_.Has("secrets", "child"));
  EXPECT_TRUE(world_.Has("configmaps", "owner"));
}

TEST_F(GarbageTest, AnOwnerInAnotherNamespaceDoesNotCount) {
  const std::string uid = world_.Create("configmaps", R"({"metadata":{"name":"owner"}})", "elsewhere").uid();
  world_.Create("secrets", Owned("child", Reference("v1", "ConfigMap", "owner", uid)));
  world_.Settle();
  EXPECT_FALSE(world_.Has("secrets", "child"));
}

TEST_F(GarbageTest, AClusterScopedObjectWithAnOwnerInANamespaceIsLeftAlone) {
  world_.Create("nodes", Owned("n1", Reference("v1", "ConfigMap", "owner", kNobody)));
  world_.Settle();
  EXPECT_TRUE(world_.Has("nodes", "n1"));
}

TEST_F(GarbageTest, AnOwnerOfAKindThatIsNotServedMayExist) {
  world_.Create("secrets", Owned("child", Reference("example.com/v1", "Thing", "owner", kNobody)));
  world_.Settle();
  EXPECT_TRUE(world_.Has("secrets", "child"));
}

TEST_F(GarbageTest, AKindThatGoesWithItsObjectsTakesTheirDependents) {
  const auto things = FakeApi::MakeKind("example.com", "v1", "things", "Thing", true);
  world_.api().SetCustomKinds({things});
  const std::string uid = world_.Create("things.example.com", R"({"metadata":{"name":"owner"}})").uid();
  world_.Create("secrets", Owned("child", Reference("example.com/v1", "Thing", "owner", uid)));
  world_.Settle();
  world_.Delete("things.example.com", "owner");
  world_.api().SetCustomKinds({});
  world_.Settle();
  EXPECT_FALSE(world_.Has("secrets", "child"));
}

TEST_F(GarbageTest, WithTwoOwnersAnObjectStaysUntilBothAreGone) {
  const std::string one = Owner("one"), two = Owner("two");
  world_.Create("secrets", Owned("child", StrCat(Reference("v1", "ConfigMap", "one", one), ",", Reference("v1", "ConfigMap", "two", two))));
  world_.Settle();
  world_.Delete("configmaps", "one");
  world_.Settle();
  EXPECT_THAT(OwnersOf(world_.Get("secrets", "child").json()), ElementsAre(two));
  world_.Delete("configmaps", "two");
  world_.Settle();
  EXPECT_FALSE(world_.Has("secrets", "child"));
}

TEST_F(GarbageTest, ForegroundWaitsForDependentsThatBlock) {
  const std::string uid = Owner("owner");
  world_.Create("secrets", Owned("child", Reference("v1", "ConfigMap", "owner", uid, true), R"(,"finalizers":["x.example.com/f"])"));
  world_.Create("secrets", Owned("other", Reference("v1", "ConfigMap", "owner", uid)));
  world_.Settle();
  world_.Delete("configmaps", "owner", "Foreground");
  world_.Settle();
  EXPECT_THAT(world_.Names("secrets"), ElementsAre("child"));
  EXPECT_TRUE(IsDeleting(world_.Get("secrets", "child").json()));
  EXPECT_TRUE(world_.Has("configmaps", "owner"));
  world_.Set("secrets", "child", {"metadata", "finalizers"}, "null");
  world_.Settle();
  EXPECT_THAT(world_.Names("secrets"), IsEmpty());
  EXPECT_FALSE(world_.Has("configmaps", "owner"));
}

TEST_F(GarbageTest, ForegroundKnowsDependentsThatWereMadeJustBefore) {
  const std::string uid = Owner("owner");
  world_.Settle();
  world_.Create("secrets", Owned("child", Reference("v1", "ConfigMap", "owner", uid, true), R"(,"finalizers":["x.example.com/f"])"));
  world_.Delete("configmaps", "owner", "Foreground");
  world_.Settle();
  EXPECT_TRUE(world_.Has("configmaps", "owner"));
}

TEST_F(GarbageTest, ForegroundGoesThroughLevels) {
  const std::string a = Owner("a");
  const std::string b = world_.Create("secrets", Owned("b", Reference("v1", "ConfigMap", "a", a, true))).uid();
  world_.Create("configmaps", Owned("c", Reference("v1", "Secret", "b", b, true), R"(,"finalizers":["x.example.com/f"])"));
  world_.Settle();
  world_.Delete("configmaps", "a", "Foreground");
  world_.Settle();
  EXPECT_TRUE(world_.Has("configmaps", "a"));
  EXPECT_TRUE(HasFinalizer(world_.Get("secrets", "b").json(), "foregroundDeletion"));
  world_.Set("configmaps", "c", {"metadata", "finalizers"}, "null");
  world_.Settle();
  EXPECT_THAT(world_.Names("configmaps"), IsEmpty());
  EXPECT_THAT(world_.Names("secrets"), IsEmpty());
}

TEST_F(GarbageTest, ForegroundDeletionOfACircleEnds) {
  const std::string a = Owner("a");
  const std::string b = world_.Create("secrets", Owned("b", Reference("v1", "ConfigMap", "a", a, true))).uid();
  world_.Set("configmaps", "a", {"metadata", "ownerReferences"}, StrCat("[", Reference("v1", "Secret", "b", b, true), "]"));
  world_.Settle();
  world_.Delete("configmaps", "a", "Foreground");
  world_.Settle();
  EXPECT_THAT(world_.Names("configmaps"), IsEmpty());
  EXPECT_THAT(world_.Names("secrets"), IsEmpty());
}

TEST_F(GarbageTest, OrphansLoseTheirReferenceAndStay) {
  const std::string one = Owner("one"), two = Owner("two");
  world_.Create("secrets", Owned("child", Reference("v1", "ConfigMap", "one", one)));
  world_.Create("secrets", Owned("both", StrCat(Reference("v1", "ConfigMap", "one", one), ",", Reference("v1", "ConfigMap", "two", two))));
  world_.Delete("configmaps", "one", "Orphan");
  world_.Settle();
  EXPECT_FALSE(world_.Has("configmaps", "one"));
  EXPECT_THAT(OwnersOf(world_.Get("secrets", "child").json()), IsEmpty());
  EXPECT_THAT(OwnersOf(world_.Get("secrets", "both").json()), ElementsAre(two));
}

TEST_F(GarbageTest, ChangesMissedWhileDownAreFoundAtTheStart) {
  const std::string uid = Owner("owner");
  world_.Create("secrets", Owned("child", Reference("v1", "ConfigMap", "owner", uid)));
  world_.Delete("configmaps", "owner");
  world_.Restart();
  world_.Add<Garbage>();
  world_.Settle();
  EXPECT_THAT(world_.Names("secrets"), IsEmpty());
}

TEST_F(GarbageTest, ARefusedChangeIsTriedAgain) {
  const std::string uid = Owner("owner");
  world_.Create("secrets", Owned("child", Reference("v1", "ConfigMap", "owner", uid)));
  world_.Settle();
  world_.api().Refuse("secrets");
  world_.Delete("configmaps", "owner", "Orphan");
  world_.Settle();
  EXPECT_TRUE(world_.Has("configmaps", "owner"));
  world_.api().Refuse("");
  world_.Pass(std::chrono::seconds(2));
  EXPECT_FALSE(world_.Has("configmaps", "owner"));
  EXPECT_THAT(world_.Names("secrets"), ElementsAre("child"));
}

TEST_F(GarbageTest, ThousandsOfReferencesAreTakenOffAtOnce) {
  const std::string uid = Owner("owner", StrCat(R"(,"annotations":{"a":")", std::string(1 << 20, 'x'), "\"}"));
  std::string references;
  for (int i = 0; i < 10'000; ++i) {
    references += StrCat(Reference("v1", "ConfigMap", "owner", uid), ",", Reference("v1", "ConfigMap", "owner", StrCat("gone-", i)), ",");
  }
  references.pop_back();
  world_.Create("secrets", Owned("child", references));
  const std::clock_t begin = std::clock();
  world_.Settle();
  EXPECT_LT((std::clock() - begin) / CLOCKS_PER_SEC, 15);  // of this process; it takes a fraction of one
  EXPECT_THAT(OwnersOf(world_.Get("secrets", "child").json()), AllOf(SizeIs(10'000), Each(uid)));
}

TEST_F(GarbageTest, AReferenceFromAnotherNamespaceMakesNoDependent) {
  const std::string uid = Owner("owner");
  // Its own owner is of a kind that may come: it stays.
  const std::string references =
      StrCat(Reference("v1", "ConfigMap", "owner", uid, true), ",", Reference("example.com/v1", "Thing", "x", kNobody));
  world_.Create("secrets", Owned("theirs", references), "elsewhere");
  world_.Settle();
  world_.Delete("configmaps", "owner", "Orphan");
  world_.Settle();
  EXPECT_FALSE(world_.Has("configmaps", "owner"));
  EXPECT_THAT(OwnersOf(world_.At("secrets").json()), ElementsAre(uid, kNobody));
}

TEST_F(GarbageTest, AClusterScopedOwnerHasDependentsInNamespaces) {
  const std::string uid = world_.Create("nodes", R"({"metadata":{"name":"n1"}})").uid();
  world_.Create("secrets", Owned("child", Reference("v1", "Node", "n1", uid)));
  world_.Settle();
  world_.Delete("nodes", "n1", "Orphan");
  world_.Settle();
  EXPECT_THAT(OwnersOf(world_.Get("secrets", "child").json()), IsEmpty());
}

}  // namespace
}  // namespace allot::apiserver

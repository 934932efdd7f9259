#include "kube/mutation.h"

#include <algorithm>

#include "base/fake_clock.h"
#include "base/test_util.h"
#include "json/json.h"

namespace allot::kube {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;

ObjectPtr Pod(std::string_view name, std::string_view uid, int version) {
  const std::string text =
      StrCat(R"({"metadata":{"namespace":"lab","name":")", name, R"(","uid":")", uid, R"(","resourceVersion":")", version, R"("}})");
  return CopyObject(json::Parse(text)->root());
}

class MutationCacheTest : public testing::Test {
 protected:
  // "uid version", or "-" where there is none.
  std::string Seen(std::string_view name) {
    const ObjectPtr object = cache_.Get("lab", name);
    EXPECT_EQ(cache_.Take().Find("lab", name), object);
    return object == nullptr ? "-" : StrCat(object->uid(), " ", object->resource_version());
  }

  FakeClock clock_;
  ObjectCache informer_;
  MutationCache cache_{[this] { return informer_.Take(); }, clock_};
};

TEST_F(MutationCacheTest, ShowsAWriteBeforeTheInformerHeardOfIt) {
  informer_.Put(Pod("a", "1", 5));
  cache_.Assume(Pod("a", "1", 7));
  EXPECT_EQ(Seen("a"), "1 7");
  informer_.Put(Pod("a", "1", 6));  // another writer's write before ours
  EXPECT_EQ(Seen("a"), "1 7");
}

TEST_F(MutationCacheTest, TheInformerWinsWhenItHasCaughtUp) {
  informer_.Put(Pod("a", "1", 5));
  cache_.Assume(Pod("a", "1", 7));
  const ObjectPtr informed = Pod("a", "1", 7);
  informer_.Put(informed);
  EXPECT_EQ(cache_.Get("lab", "a"), informed);
  EXPECT_EQ(cache_.size(), 0u);
  cache_.Assume(Pod("a", "1", 6));  // an answer that comes late
  EXPECT_EQ(Seen("a"), "1 7");
  EXPECT_EQ(cache_.size(), 0u);
}

TEST_F(MutationCacheTest, VersionsAreComparedAsNumbers) {
  informer_.Put(Pod("a", "1", 99));
  cache_.Assume(Pod("a", "1", 100));
  EXPECT_EQ(Seen("a"), "1 100");
}

TEST_F(MutationCacheTest, OfTwoWritesTheNewerCountsInWhateverOrderTheirAnswersCome) {
  cache_.Assume(Pod("a", "1", 9));
  cache_.Assume(Pod("a", "1", 8));
  EXPECT_EQ(Seen("a"), "1 9");
}

TEST_F(MutationCacheTest, ADeletionByOthersEndsTheAssumptionOfAnObjectThatWasSeen) {
  informer_.Put(Pod("a", "1", 5));
  cache_.Assume(Pod("a", "1", 7));
  informer_.Remove("lab", "a");
  EXPECT_EQ(Seen("a"), "-");
  EXPECT_EQ(cache_.size(), 0u);
}

TEST_F(MutationCacheTest, ACreationThatTheInformerNeverConfirmsIsGoneAfterTheTime) {
  cache_.Assume(Pod("a", "1", 7));
  clock_.Advance(minutes(2) - seconds(1));
  EXPECT_EQ(Seen("a"), "1 7");
  clock_.Advance(seconds(1));
  EXPECT_EQ(Seen("a"), "-");
  EXPECT_EQ(cache_.size(), 0u);
}

TEST_F(MutationCacheTest, AReplacementOfTheAssumedObjectIsSeenAndAReplacedObjectIsNot) {
  informer_.Put(Pod("a", "1", 5));
  cache_.Assume(Pod("a", "2", 7));  // created after 1 was deleted, which the informer has not seen
  EXPECT_EQ(Seen("a"), "2 7");
  informer_.Remove("lab", "a");
  EXPECT_EQ(Seen("a"), "2 7");
  informer_.Put(Pod("a", "3", 9));
  EXPECT_EQ(Seen("a"), "3 9");
  EXPECT_EQ(cache_.size(), 0u);
}

TEST_F(MutationCacheTest, HidesWhatWeDeletedUntilTheInformerKnows) {
  informer_.Put(Pod("a", "1", 5));
  cache_.AssumeDeleted(Pod("a", "1", 5));
  EXPECT_EQ(Seen("a"), "-");
  informer_.Put(Pod("a", "1", 6));  // a change before the deletion
  cache_.Assume(Pod("a", "1", 6));  // and an answer to it that comes late
  EXPECT_EQ(Seen("a"), "-");
  informer_.Remove("lab", "a");
  EXPECT_EQ(cache_.size(), 0u);
  informer_.Put(Pod("a", "2", 9));
  EXPECT_EQ(Seen("a"), "2 9");
}

TEST_F(MutationCacheTest, HidesWhatWeCreatedAndDeletedBeforeTheInformerSawIt) {
  cache_.Assume(Pod("a", "1", 5));
  cache_.AssumeDeleted(Pod("a", "1", 5));
  EXPECT_EQ(Seen("a"), "-");
  informer_.Put(Pod("a", "1", 5));  // now it hears of the creation
  EXPECT_EQ(Seen("a"), "-");
  informer_.Remove("lab", "a");
  EXPECT_EQ(cache_.size(), 0u);
}

TEST_F(MutationCacheTest, AWrongDeletionIsGoneAfterTheTime) {
  informer_.Put(Pod("a", "1", 5));
  cache_.AssumeDeleted(Pod("a", "1", 5));
  clock_.Advance(minutes(2));
  EXPECT_EQ(Seen("a"), "1 5");
}

TEST_F(MutationCacheTest, ForgottenTheInformerCountsAgain) {
  informer_.Put(Pod("a", "1", 5));
  cache_.Assume(Pod("a", "1", 7));
  cache_.Forget("lab", "a");
  EXPECT_EQ(Seen("a"), "1 5");
}

TEST_F(MutationCacheTest, AViewShowsEachObjectOnceAndDoesNotChange) {
  for (const char* name : {"kept", "changed", "gone"}) informer_.Put(Pod(name, name, 5));
  cache_.Assume(Pod("changed", "changed", 8));
  cache_.Assume(Pod("new", "new", 9));
  cache_.AssumeDeleted(Pod("gone", "gone", 5));
  const MutationCache::View view = cache_.Take();
  cache_.Forget("lab", "new");
  informer_.Remove("lab", "kept");
  std::vector<std::string> all;
  view.Each([&](const ObjectPtr& object) { all.push_back(StrCat(object->name(), " ", object->resource_version())); });
  std::sort(all.begin(), all.end());
  EXPECT_THAT(all, ElementsAre("changed 8", "kept 5", "new 9"));
}

}  // namespace
}  // namespace allot::kube

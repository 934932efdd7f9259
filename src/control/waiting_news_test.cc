#include "control/waiting_news.h"

#include "control/test_cluster.h"
#include "json/editor.h"
#include "sched/conditions.h"

namespace allot::control {
namespace {

using kube::types::kPods;
using std::chrono::milliseconds;

// Tells of the Pod "a" what it is told to tell.
class NewsTest : public testing::Test {
 protected:
  NewsTest() : events_(cluster_.client(), {.component = "test"}, cluster_.clock()) {
    cluster_.AddNode("n1", 1, 8);
    cluster_.AddPod("a", "");
    pod_ = cluster_.Get(kPods, "a");
    NewsOptions options;
    options.passing = milliseconds(50);
    options.again = milliseconds(300);
    news_ = std::make_unique<WaitingNews>(
        options, cluster_.client(), events_, [this](const std::string&, const std::string& name) { return Find(name); }, cluster_.clock());
  }
  ~NewsTest() override { news_->Stop(); }

  virtual kube::ObjectPtr Find(const std::string& name) { return cluster_.Get(kPods, name); }

  News Of(std::string message) { return {"lab", "a", std::string(pod_->uid()), "Unschedulable", std::move(message)}; }
  bool Awaits(std::string_view message) {
    return cluster_.Await([&] { return cluster_.Scheduled("a") == StrCat("False Unschedulable: ", message); });
  }
  // The status of kNeverFitsCondition, or "none".
  std::string NeverFits() {
    const auto pod = cluster_.Get(kPods, "a");
    for (const json::Value& condition : json::ItemsOf(pod->json()["status"]["conditions"])) {
      if (json::TextOf(condition["type"]) == sched::kNeverFitsCondition) return std::string(json::TextOf(condition["status"]));
    }
    return "none";
  }
  bool AwaitsEvents(std::string_view all) {
    return cluster_.Await([&] { return cluster_.EventsOf("a") == all; });
  }

  TestCluster cluster_;
  kube::EventRecorder events_;
  kube::ObjectPtr pod_;
  std::unique_ptr<WaitingNews> news_;
};

TEST_F(NewsTest, TextsThatChangeOftenAreWrittenAsTheyAreNowAndThen) {
  const uint64_t before = *kube::VersionNumber(*pod_);
  news_->Set({Of("first")});
  EXPECT_TRUE(Awaits("first"));
  for (int i = 0; i < 100; ++i) news_->Set({Of(StrCat("text ", i))});
  EXPECT_TRUE(Awaits("text 99"));
  EXPECT_TRUE(AwaitsEvents("FailedScheduling: first\nFailedScheduling: text 99")) << cluster_.EventsOf("a");
  EXPECT_GT(*kube::VersionNumber(*cluster_.Get(kPods, "a")), before);
}

TEST_F(NewsTest, WhatPassesAtOnceIsNotTold) {
  News passing = Of("its claim is still to be made");
  passing.passing = true;
  news_->Set({passing});
  news_->Set({});
  News next = Of("told");
  news_->Set({next});
  EXPECT_TRUE(Awaits("told"));
  EXPECT_TRUE(AwaitsEvents("FailedScheduling: told")) << cluster_.EventsOf("a");
}

TEST_F(NewsTest, TheTimeOfTheTransitionStaysThatOfTheFirst) {
  const auto since = [&] {
    return std::string(json::TextOf(cluster_.Get(kPods, "a")->json()["status"]["conditions"].Items()[0]["lastTransitionTime"]));
  };
  news_->Set({Of("first")});
  ASSERT_TRUE(Awaits("first"));
  const std::string first = since();
  EXPECT_FALSE(first.empty());
  news_->Set({Of("second")});
  ASSERT_TRUE(Awaits("second"));
  EXPECT_EQ(since(), first);
}

TEST_F(NewsTest, APodThatCanNeverStartHasAConditionUntilItCan) {
  News never = Of("too large");
  never.never = true;
  news_->Set({never});
  EXPECT_TRUE(cluster_.Await([&] { return NeverFits() == "True"; }));
  EXPECT_TRUE(Awaits("too large"));
  news_->Set({Of("no room")});
  EXPECT_TRUE(Awaits("no room"));
  EXPECT_EQ(NeverFits(), "none");
  news_->Set({never});
  EXPECT_TRUE(cluster_.Await([&] { return NeverFits() == "True"; }));
  news_->Set({});  // it has a node now
  EXPECT_TRUE(cluster_.Await([&] { return NeverFits() == "none"; }));
}

// Lets something happen while the news looks at the Pod.
class BusyNewsTest : public NewsTest {
 protected:
  kube::ObjectPtr Find(const std::string& name) override {
    ++looked_;
    const kube::ObjectPtr pod = NewsTest::Find(name);
    std::function<void()> meanwhile;
    {
      const std::lock_guard lock(mutex_);
      meanwhile = std::exchange(meanwhile_, nullptr);
    }
    if (meanwhile) meanwhile();
    return pod;
  }
  void Meanwhile(std::function<void()> what) {
    const std::lock_guard lock(mutex_);
    meanwhile_ = std::move(what);
  }

  std::atomic<int> looked_ = 0;

 private:
  std::mutex mutex_;
  std::function<void()> meanwhile_;
};

TEST_F(BusyNewsTest, BugAPodThatCameBackWhileItsConditionWasRemovedStayedWithout) {
  News never = Of("too large");
  never.never = true;
  news_->Set({never});
  ASSERT_TRUE(cluster_.Await([&] { return NeverFits() == "True"; }));
  std::atomic<int> looked = 0;  // times, until the Pod was back
  Meanwhile([&] {
    news_->Set({never});
    looked = looked_.load();
  });
  news_->Set({});
  EXPECT_TRUE(cluster_.Await([&] { return looked > 0 && looked_ > looked && NeverFits() == "True"; }));
  news_->Stop();
}

// Knows the Pod as it was before it was bound.
class StaleNewsTest : public NewsTest {
 protected:
  kube::ObjectPtr Find(const std::string&) override {
    ++looked_;
    return pod_;
  }
  std::atomic<int> looked_ = 0;
};

TEST_F(StaleNewsTest, APodThatWasBoundMeanwhileIsNotToldThatItWaits) {
  http::Request bind{"POST",
                     kPods.ObjectPath("lab", "a", "binding"),
                     {{"Content-Type", "application/json"}},
                     R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":"a"},"target":{"kind":"Node","name":"n1"}})"};
  ASSERT_OK(cluster_.client().Raw(bind, "bind"));
  news_->Set({Of("no place")});
  ASSERT_TRUE(cluster_.Await([&] { return looked_ > 1; }));  // it was refused once, and looks again
  news_->Stop();
  EXPECT_EQ(cluster_.Scheduled("a"), "True : ");
  EXPECT_EQ(cluster_.EventsOf("a"), "");
}

}  // namespace
}  // namespace allot::control

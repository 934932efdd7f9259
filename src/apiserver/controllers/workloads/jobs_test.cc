#include "apiserver/controllers/workloads/jobs.h"

#include <gmock/gmock.h>

#include "apiserver/controllers/conditions.h"
#include "apiserver/controllers/garbage.h"
#include "apiserver/controllers/test_world.h"

namespace allot::apiserver {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::string_view kJobs = "jobs.batch";

std::string Job(std::string_view more = R"("completions":1,"parallelism":1)") {
  return StrCat(R"({"metadata":{"name":"j"},"spec":{"backoffLimit":6,"selector":{"matchLabels":{"job-name":"j"}},)", more,
                R"(,"template":{"metadata":{"labels":{"job-name":"j"}},"spec":{"restartPolicy":"Never","containers":[{"name":"c"}]}}}})");
}

class JobsTest : public testing::Test {
 protected:
  void SetUp() override { AddControllers(); }
  void AddControllers() {
    world_.Add<Garbage>();
    world_.Add<Jobs>();
    world_.Add<JobOrphans>();
  }
  void EndPod(const std::string& name, std::string_view phase) { world_.Set("pods", name, {"status", "phase"}, StrCat("\"", phase, "\"")); }
  std::string StatusOf(std::string_view key) { return TextAt(world_.Get(kJobs, "j").status(), {key}); }
  std::string Condition(std::string_view type, std::string_view key = "status") {
    const Stored job = world_.Get(kJobs, "j");
    const json::Value* found = FindCondition(job.status(), type);
    return found == nullptr ? "" : TextAt(*found, {key});
  }
  std::vector<std::string> Active() {
    std::vector<std::string> names;
    for (const Stored& pod : world_.All("pods")) {
      if (TextAt(pod.status(), {"phase"}) == "Pending") names.push_back(pod.key().name);
    }
    return names;
  }
  TestWorld world_;
};

TEST_F(JobsTest, MakesAPod) {
  const Stored job = world_.Create(kJobs, Job());
  world_.Settle();
  ASSERT_THAT(world_.Names("pods"), SizeIs(1));
  const Stored pod = world_.At("pods");
  EXPECT_TRUE(IsControlledBy(pod.json(), job.uid()));
  EXPECT_TRUE(HasFinalizer(pod.json(), kJobTracking));
  EXPECT_EQ(StatusOf("active"), "1");
  EXPECT_EQ(StatusOf("startTime"), "2026-01-01T00:00:00Z");
}

TEST_F(JobsTest, IsCompleteWhenItsPodHasSucceeded) {
  world_.Create(kJobs, Job());
  world_.Settle();
  const std::string pod = world_.Names("pods").front();
  EndPod(pod, "Succeeded");
  world_.Settle();
  EXPECT_EQ(StatusOf("succeeded"), "1");
  EXPECT_EQ(StatusOf("active"), "");
  EXPECT_EQ(StatusOf("completionTime"), "2026-01-01T00:00:00Z");
  EXPECT_EQ(Condition("SuccessCriteriaMet"), "True");
  EXPECT_EQ(Condition("Complete"), "True");
  EXPECT_FALSE(HasFinalizer(world_.Get("pods", pod).json(), kJobTracking));
}

TEST_F(JobsTest, FailsWhenItsPodHasFailedTooOften) {
  world_.Create(kJobs, Job(R"("completions":1,"parallelism":1)"));
  world_.Set(kJobs, "j", {"spec", "backoffLimit"}, "1");
  world_.Settle();
  EndPod(Active().front(), "Failed");
  world_.Settle();
  EXPECT_EQ(StatusOf("failed"), "1");
  EXPECT_THAT(Active(), IsEmpty());  // a pause after a failure
  world_.Pass(std::chrono::seconds(11));
  ASSERT_THAT(Active(), SizeIs(1));
  EndPod(Active().front(), "Failed");
  world_.Settle();
  EXPECT_EQ(StatusOf("failed"), "2");
  EXPECT_EQ(Condition("FailureTarget"), "True");
  EXPECT_EQ(Condition("Failed", "reason"), "BackoffLimitExceeded");
}

TEST_F(JobsTest, APodIsCountedOnceEvenIfTheControllerCrashedAfterItWasRecorded) {
  world_.Create(kJobs, Job(R"("completions":3,"parallelism":2)"));
  world_.Settle();
  const std::vector<Stored> pods = world_.All("pods");
  for (const Stored& pod : pods) EndPod(pod.key().name, "Succeeded");
  // One was noted and let go of, and deleted since; one was only noted.
  world_.Set(kJobs, "j", {"status", "uncountedTerminatedPods"},
             StrCat(R"({"succeeded":[")", pods[0].uid(), R"(",")", pods[1].uid(), "\"]}"));
  world_.Set("pods", pods[0].key().name, {"metadata", "finalizers"}, "null");
  world_.Delete("pods", pods[0].key().name);
  world_.Restart();
  AddControllers();
  world_.Settle();
  EXPECT_EQ(StatusOf("succeeded"), "2");
  EXPECT_EQ(StatusOf("active"), "1");
}

TEST_F(JobsTest, APodThatIsDeletedCountsAsFailedAndIsReplaced) {
  world_.Create(kJobs, Job());
  world_.Settle();
  const std::string first = world_.Names("pods").front();
  world_.Delete("pods", first);
  world_.Settle();
  EXPECT_EQ(StatusOf("failed"), "1");
  EXPECT_THAT(world_.Names("pods"), SizeIs(1));
  EXPECT_FALSE(world_.Has("pods", first));
}

TEST_F(JobsTest, RunsNoMoreAtOnceThanItMayAndNoMoreThanItNeeds) {
  world_.Create(kJobs, Job(R"("completions":5,"parallelism":2)"));
  world_.Settle();
  for (const size_t active : {2U, 2U, 2U, 2U, 1U}) {
    ASSERT_THAT(Active(), SizeIs(active));
    EndPod(Active().front(), "Succeeded");
    world_.Settle();
  }
  EXPECT_THAT(Active(), IsEmpty());
  EXPECT_EQ(StatusOf("succeeded"), "5");
  EXPECT_EQ(Condition("Complete"), "True");
}

TEST_F(JobsTest, WithoutCompletionsOneSuccessIsEnough) {
  world_.Create(kJobs, Job(R"("parallelism":2)"));
  world_.Settle();
  EndPod(Active().front(), "Succeeded");
  world_.Settle();
  EXPECT_THAT(Active(), SizeIs(1));
  EXPECT_EQ(Condition("Complete"), "");
  EndPod(Active().front(), "Succeeded");
  world_.Settle();
  EXPECT_EQ(Condition("Complete"), "True");
}

TEST_F(JobsTest, IsStoppedAtItsDeadline) {
  world_.Create(kJobs, Job(R"("completions":1,"parallelism":1,"activeDeadlineSeconds":5)"));
  world_.Settle();
  world_.Pass(std::chrono::seconds(4));
  EXPECT_THAT(world_.Names("pods"), SizeIs(1));
  world_.Pass(std::chrono::seconds(2));
  EXPECT_EQ(Condition("Failed", "reason"), "DeadlineExceeded");
  EXPECT_THAT(world_.Names("pods"), IsEmpty());
}

TEST_F(JobsTest, IsDeletedWhenItsTimeToLiveIsOver) {
  world_.Create(kJobs, Job(R"("completions":1,"parallelism":1,"ttlSecondsAfterFinished":5)"));
  world_.Settle();
  EndPod(Active().front(), "Succeeded");
  world_.Pass(std::chrono::seconds(3));
  EXPECT_TRUE(world_.Has(kJobs, "j"));
  world_.Pass(std::chrono::seconds(3));
  EXPECT_FALSE(world_.Has(kJobs, "j"));
  EXPECT_THAT(world_.Names("pods"), IsEmpty());
}

TEST_F(JobsTest, ASuspendedJobHasNoPodsAndCountsNoFailures) {
  world_.Create(kJobs, Job(R"("completions":1,"parallelism":1,"suspend":true)"));
  world_.Settle();
  EXPECT_THAT(world_.Names("pods"), IsEmpty());
  EXPECT_EQ(Condition("Suspended"), "True");
  EXPECT_EQ(StatusOf("startTime"), "");
  world_.Set(kJobs, "j", {"spec", "suspend"}, "false");
  world_.Settle();
  EXPECT_THAT(world_.Names("pods"), SizeIs(1));
  EXPECT_EQ(Condition("Suspended"), "False");
  world_.Set(kJobs, "j", {"spec", "suspend"}, "true");
  world_.Settle();
  EXPECT_THAT(world_.Names("pods"), IsEmpty());
  EXPECT_EQ(StatusOf("failed"), "");
}

TEST_F(JobsTest, AnIndexedJobRunsEachIndexOnce) {
  world_.Create(kJobs, Job(R"("completions":3,"parallelism":2,"completionMode":"Indexed")"));
  world_.Settle();
  EXPECT_THAT(world_.Names("pods"), ElementsAre(testing::StartsWith("j-0-"), testing::StartsWith("j-1-")));
  const Stored pod = world_.At("pods", 1);
  EXPECT_EQ(TextAt(pod.metadata(), {"annotations", "batch.kubernetes.io/job-completion-index"}), "1");
  EXPECT_EQ(TextAt(pod.metadata(), {"labels", "batch.kubernetes.io/job-completion-index"}), "1");
  EXPECT_EQ(TextAt(pod.spec(), {"hostname"}), "j-1");
  EXPECT_THAT(TextAt(pod.spec(), {"containers"}), testing::HasSubstr("JOB_COMPLETION_INDEX"));
  EndPod(pod.key().name, "Succeeded");
  world_.Settle();
  EXPECT_EQ(StatusOf("completedIndexes"), "1");
  EXPECT_THAT(Active(), ElementsAre(testing::StartsWith("j-0-"), testing::StartsWith("j-2-")));
  for (const std::string& name : Active()) EndPod(name, "Succeeded");
  world_.Settle();
  EXPECT_EQ(StatusOf("completedIndexes"), "0-2");
  EXPECT_EQ(Condition("Complete"), "True");
}

TEST_F(JobsTest, OrphansAreNotHeld) {
  world_.Create(kJobs, Job());
  world_.Settle();
  const std::string pod = world_.Names("pods").front();
  world_.Delete(kJobs, "j", "Orphan");
  world_.Settle();
  EXPECT_FALSE(world_.Has(kJobs, "j"));
  EXPECT_FALSE(HasFinalizer(world_.Get("pods", pod).json(), kJobTracking));
}

TEST_F(JobsTest, PodsGoWithTheirJob) {
  world_.Create(kJobs, Job());
  world_.Settle();
  world_.Delete(kJobs, "j");
  world_.Settle();
  EXPECT_THAT(world_.Names("pods"), IsEmpty());
}

TEST_F(JobsTest, AJobOfAnotherControllerIsLeftAlone) {
  world_.Create(kJobs, Job(R"("completions":1,"parallelism":1,"managedBy":"example.com/other")"));
  world_.Settle();
  EXPECT_THAT(world_.Names("pods"), IsEmpty());
}

}  // namespace
}  // namespace allot::apiserver

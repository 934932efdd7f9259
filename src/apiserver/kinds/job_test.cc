#include "apiserver/json_names.h"
#include "apiserver/kinds/core_test_util.h"
#include "apiserver/kinds/job_checks.h"
#include "apiserver/kinds/kind_rules.h"

namespace allot::apiserver {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kJob = R"(
metadata: {name: j, namespace: ns, uid: u}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}}
)";

class JobTest : public testing::Test {
 protected:
  Value Stored(std::string_view path = "metadata.name", std::string_view value = "j") {
    return trees_.Prepared(*rules_, trees_.With(trees_.Read(kJob), path, value));
  }
  std::vector<std::string> Update(const Value& old, std::string_view path, std::string_view value) {
    return trees_.Update(*rules_, trees_.With(old, path, value), old);
  }
  std::vector<std::string> Status(const Value& job, std::string_view old, std::string_view now) {
    const Value before = trees_.With(job, "status", old);
    return trees_.WriteStatus(*rules_, trees_.With(before, "status", now), before);
  }

  Trees trees_;
  std::shared_ptr<const KindRules> rules_ = JobKindRules();
};

TEST_F(JobTest, ASelectorForItsPodsIsGenerated) {
  const Value job = Stored();
  EXPECT_EQ(json::Write(job["spec"]["selector"]), R"({"matchLabels":{"batch.kubernetes.io/controller-uid":"u"}})");
  EXPECT_EQ(json::Write(job["spec"]["template"]["metadata"]["labels"]),
            R"({"job-name":"j","batch.kubernetes.io/job-name":"j","controller-uid":"u","batch.kubernetes.io/controller-uid":"u"})");
  EXPECT_TRUE(json::Equal(job["metadata"]["labels"], job["spec"]["template"]["metadata"]["labels"]));
}

TEST_F(JobTest, ASelectorOfItsOwnNeedsAFlag) {
  const Value job = trees_.Read(kJob);
  EXPECT_THAT(trees_.Create(*rules_, trees_.With(job, "spec.selector", "{matchLabels: {a: b}}")),
              ElementsAre("spec.selector FieldValueInvalid", "spec.template.metadata.labels FieldValueInvalid"));
  Value manual = trees_.With(trees_.With(job, "spec.selector", "{matchLabels: {a: b}}"), "spec.manualSelector", "true");
  EXPECT_THAT(trees_.Create(*rules_, trees_.With(manual, "spec.template.metadata.labels", "{a: b}")), IsEmpty());
}

TEST_F(JobTest, IndexedJobsHaveLimits) {
  const Value job = trees_.Read(kJob);
  const auto causes = [&](std::string_view spec) {
    Value object = job;
    const Value members = trees_.Read(spec);
    for (const auto& [key, value] : members.Members()) object = trees_.edit().SetAt(object, {"spec", key}, value);
    return trees_.Create(*rules_, object);
  };
  EXPECT_THAT(causes("{completionMode: Indexed, completions: 3, backoffLimitPerIndex: 1, maxFailedIndexes: 2}"), IsEmpty());
  EXPECT_THAT(causes("{maxFailedIndexes: 2}"),
              ElementsAre("spec.backoffLimitPerIndex FieldValueRequired", "spec.maxFailedIndexes FieldValueInvalid"));
  EXPECT_THAT(causes("{completionMode: Indexed, completions: 100001, backoffLimitPerIndex: 1}"),
              ElementsAre("spec.maxFailedIndexes FieldValueRequired"));
  EXPECT_THAT(causes("{completionMode: Sometimes}"), ElementsAre("spec.completionMode FieldValueNotSupported"));
  EXPECT_THAT(causes("{podFailurePolicy: {rules: [{action: FailIndex, onExitCodes: {operator: In, values: [2, 1, 0]}}]}}"),
              ElementsAre("spec.podFailurePolicy.rules[0].action FieldValueInvalid",
                          "spec.podFailurePolicy.rules[0].onExitCodes.values[2] FieldValueInvalid",
                          "spec.podFailurePolicy.rules[0].onExitCodes.values FieldValueInvalid"));
  EXPECT_THAT(causes("{completionMode: Indexed, completions: 3, successPolicy: {rules: [{succeededIndexes: 0-1, succeededCount: 3}]}}"),
              ElementsAre("spec.successPolicy.rules[0].succeededCount FieldValueInvalid"));
}

TEST_F(JobTest, ASuspendedJobMayMoveItsPods) {
  const Value running = Stored();
  EXPECT_THAT(Update(running, "spec.template.spec.nodeSelector", "{a: b}"), ElementsAre("spec.template FieldValueInvalid"));
  const Value suspended = Stored("spec.suspend", "true");
  EXPECT_THAT(Update(suspended, "spec.template.spec.nodeSelector", "{a: b}"), IsEmpty());
  EXPECT_THAT(Update(suspended, "spec.template.spec.affinity.nodeAffinity", "{}"), IsEmpty());
  EXPECT_THAT(Update(suspended, "spec.template.spec.containers[0].resources", "{limits: {cpu: 1}}"), IsEmpty());
  EXPECT_THAT(Update(suspended, "spec.template.spec.containers[0].image", "other"), ElementsAre("spec.template.spec FieldValueInvalid"));
  EXPECT_THAT(Update(running, "spec.completions", "2"), ElementsAre("spec.completions FieldValueInvalid"));
  EXPECT_THAT(Update(running, "spec.parallelism", "2"), IsEmpty());
}

TEST_F(JobTest, AFinishedJobStaysFinished) {
  constexpr std::string_view kStart = "startTime: '2026-01-01T00:00:01Z'";
  const Value job = Stored();
  const std::string active = StrCat("{active: 1, ", kStart, "}");
  const std::string done = StrCat("{", kStart,
                                  ", completionTime: '2026-01-01T00:00:02Z', conditions: [{type: SuccessCriteriaMet, status: 'True'}, "
                                  "{type: Complete, status: 'True'}]}");
  EXPECT_THAT(Status(job, active, done), IsEmpty());
  EXPECT_THAT(Status(job, done, StrCat("{", kStart, "}")),
              ElementsAre("status.conditions FieldValueInvalid", "status.conditions FieldValueInvalid"));
  EXPECT_THAT(
      Status(job, active, StrCat("{active: 1, ", kStart, ", conditions: [{type: Complete, status: 'True'}]}")),
      ElementsAre("status.conditions FieldValueInvalid", "status.active FieldValueInvalid", "status.completionTime FieldValueRequired"));
  EXPECT_THAT(Status(job, "{failed: 2}", "{failed: 1, ready: 1}"),
              ElementsAre("status.failed FieldValueInvalid", "status.ready FieldValueInvalid"));
}

TEST(Indexes, AreCountedAndInOrder) {
  EXPECT_EQ(ReadIndexes("1,3-5", 6).count, 4);
  EXPECT_EQ(ReadIndexes("", 0).problem, "");
  EXPECT_THAT(ReadIndexes("1,3-5", 5).problem, HasSubstr("too large index: \"5\""));
  EXPECT_THAT(ReadIndexes("3,1", 9).problem, HasSubstr("non-increasing order, previous: 3, current: 1"));
  EXPECT_THAT(ReadIndexes("3-3", 9).problem, HasSubstr("non-increasing order"));
  EXPECT_THAT(ReadIndexes("1-2-3", 9).problem, HasSubstr("at most two parts"));
  EXPECT_THAT(ReadIndexes("a", 9).problem, HasSubstr("cannot convert"));
}

}  // namespace
}  // namespace allot::apiserver

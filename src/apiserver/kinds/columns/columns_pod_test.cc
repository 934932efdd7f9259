// The row of a Pod in the situations that people look at tables for.

#include "apiserver/kinds/columns/columns.h"
#include "base/test_util.h"
#include "json/json.h"
#include "json/yaml.h"
#include "kube/timestamp.h"

namespace allot::apiserver {
namespace {

using ::testing::ElementsAre;

// The row of a Pod with the containers a and b, and what is said of it.
std::vector<std::string> Row(std::string_view status, std::string_view init = "[]", std::string_view metadata = "{name: p}") {
  const auto documents = json::ParseYaml(
      StrCat("metadata: ", metadata, "\nspec: {containers: [{name: a}, {name: b}], initContainers: ", init, "}\nstatus: ", status, "\n"));
  EXPECT_OK(documents);
  if (!documents.ok()) return std::vector<std::string>(9);
  json::Arena arena;
  json::Editor edit(arena);
  std::vector<std::string> cells;
  for (const json::Value& cell : PodColumns().row(edit, documents->front().root(), *kube::ParseTime("2026-03-01T12:00:00Z"))) {
    cells.emplace_back(cell.AsString());
  }
  return cells;
}

// READY, STATUS and RESTARTS.
std::vector<std::string> Short(std::string_view status, std::string_view init = "[]", std::string_view metadata = "{name: p}") {
  const auto row = Row(status, init, metadata);
  return {row[1], row[2], row[3]};
}

TEST(PodRow, OfANewPodIsPending) {
  EXPECT_THAT(Row("{phase: Pending}"), ElementsAre("p", "0/2", "Pending", "0", "<unknown>", "<none>", "<none>", "<none>", "<none>"));
}

TEST(PodRow, OfARunningPodCountsReadyContainersAndRestarts) {
  EXPECT_THAT(Row(R"({phase: Running, podIPs: [{ip: 10.1.0.7}], nominatedNodeName: n2, containerStatuses: [
      {name: a, ready: true, restartCount: 1, state: {running: {}}, lastState: {terminated: {finishedAt: "2026-03-01T11:30:00Z"}}},
      {name: b, ready: false, restartCount: 2, state: {running: {}}, lastState: {terminated: {finishedAt: "2026-03-01T11:55:00Z"}}}]})",
                  "[]", "{name: p, creationTimestamp: '2026-02-27T12:00:00Z'}"),
              ElementsAre("p", "1/2", "Running", "3 (5m ago)", "2d", "10.1.0.7", "<none>", "n2", "<none>"));
}

TEST(PodRow, RestartsWithoutATimeAreANumber) {
  EXPECT_THAT(Short("{phase: Running, containerStatuses: [{name: a, restartCount: 4}]}"), ElementsAre("0/2", "Running", "4"));
}

TEST(PodRow, ReasonOfThePodBeatsItsPhase) { EXPECT_THAT(Short("{phase: Failed, reason: Evicted}"), ElementsAre("0/2", "Evicted", "0")); }

TEST(PodRow, SchedulingGateIsShown) {
  EXPECT_EQ(Short("{phase: Pending, conditions: [{type: PodScheduled, status: 'False', reason: SchedulingGated}]}")[1], "SchedulingGated");
  EXPECT_EQ(Short("{phase: Pending, conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable}]}")[1], "Pending");
}

TEST(PodRow, WaitingReasonOfTheFirstContainerWins) {
  EXPECT_EQ(Short(R"({phase: Pending, containerStatuses: [
      {name: a, state: {waiting: {reason: ErrImagePull}}}, {name: b, state: {waiting: {reason: ContainerCreating}}}]})")[1],
            "ErrImagePull");
}

TEST(PodRow, EndOfAContainerIsItsReasonSignalOrExitCode) {
  const auto end = [](std::string_view terminated) {
    return Short(StrCat("{phase: Running, containerStatuses: [{name: a, state: {terminated: ", terminated, "}}]}"))[1];
  };
  EXPECT_EQ(end("{exitCode: 1, reason: OOMKilled}"), "OOMKilled");
  EXPECT_EQ(end("{exitCode: 137, signal: 9}"), "Signal:9");
  EXPECT_EQ(end("{exitCode: 3}"), "ExitCode:3");
}

TEST(PodRow, CompletedBesideARunningContainerIsRunningOrNotReady) {
  constexpr std::string_view kStatuses = R"([
      {name: a, state: {terminated: {exitCode: 0, reason: Completed}}}, {name: b, ready: true, state: {running: {}}}])";
  EXPECT_THAT(Short(StrCat("{phase: Running, containerStatuses: ", kStatuses, ", conditions: [{type: Ready, status: 'True'}]}")),
              ElementsAre("1/2", "Running", "0"));
  EXPECT_THAT(Short(StrCat("{phase: Running, containerStatuses: ", kStatuses, ", conditions: [{type: Ready, status: 'False'}]}")),
              ElementsAre("1/2", "NotReady", "0"));
}

TEST(PodRow, CompletedBesideAFailureIsTheFailure) {
  EXPECT_EQ(Short(R"({phase: Failed, containerStatuses: [{name: a, state: {terminated: {exitCode: 0, reason: Completed}}},
      {name: b, state: {terminated: {exitCode: 1, reason: Error}}}]})")[1],
            "Error");
  EXPECT_EQ(Short(R"({phase: Succeeded, containerStatuses: [{name: a, state: {terminated: {exitCode: 0, reason: Completed}}},
      {name: b, state: {terminated: {exitCode: 0, reason: Completed}}}]})")[1],
            "Completed");
}

TEST(PodRow, InitContainersAreCountedUntilTheyAreDone) {
  constexpr std::string_view kInit = "[{name: x}, {name: y}]";
  const auto status = [&](std::string_view second) {
    return Short(StrCat("{phase: Pending, initContainerStatuses: [{name: x, state: {terminated: {exitCode: 0}}}, {name: y, state: ", second,
                        ", restartCount: 2}]}"),
                 kInit);
  };
  EXPECT_THAT(status("{running: {}}"), ElementsAre("0/2", "Init:1/2", "2"));
  EXPECT_THAT(status("{waiting: {reason: PodInitializing}}"), ElementsAre("0/2", "Init:1/2", "2"));
  EXPECT_THAT(status("{waiting: {reason: CrashLoopBackOff}}"), ElementsAre("0/2", "Init:CrashLoopBackOff", "2"));
  EXPECT_THAT(status("{terminated: {exitCode: 2}}"), ElementsAre("0/2", "Init:ExitCode:2", "2"));
  EXPECT_THAT(status("{terminated: {exitCode: 137, signal: 9}}"), ElementsAre("0/2", "Init:Signal:9", "2"));
  EXPECT_THAT(status("{terminated: {exitCode: 2, reason: Error}}"), ElementsAre("0/2", "Init:Error", "2"));
  EXPECT_THAT(status("{terminated: {exitCode: 0}}"), ElementsAre("0/2", "Pending", "0"));
}

TEST(PodRow, SidecarsCountAsContainers) {
  EXPECT_THAT(Short(R"({phase: Running,
      initContainerStatuses: [{name: s, started: true, ready: true, restartCount: 1, state: {running: {}},
                               lastState: {terminated: {finishedAt: "2026-03-01T11:59:00Z"}}}],
      containerStatuses: [{name: a, ready: true, state: {running: {}}}, {name: b, ready: true, state: {running: {}}}]})",
                    "[{name: s, restartPolicy: Always}]"),
              ElementsAre("3/3", "Running", "1 (60s ago)"));
}

TEST(PodRow, SidecarThatHasNotStartedHoldsThePodUp) {
  EXPECT_THAT(Short("{phase: Pending, initContainerStatuses: [{name: s, started: false, state: {running: {}}}]}",
                    "[{name: s, restartPolicy: Always}]"),
              ElementsAre("0/3", "Init:0/1", "0"));
}

TEST(PodRow, ContainersAreLookedAtOnceThePodWasInitialized) {
  EXPECT_THAT(Short(R"({phase: Running, conditions: [{type: Initialized, status: "True"}],
      initContainerStatuses: [{name: s, started: false, state: {waiting: {reason: CrashLoopBackOff}}}],
      containerStatuses: [{name: a, state: {waiting: {reason: ImagePullBackOff}}}]})",
                    "[{name: s, restartPolicy: Always}]"),
              ElementsAre("0/3", "ImagePullBackOff", "0"));
}

TEST(PodRow, DeletionIsShownUnlessThePodIsDone) {
  constexpr std::string_view kDeleted = "{name: p, deletionTimestamp: '2026-03-01T12:00:30Z'}";
  EXPECT_EQ(Short("{phase: Running}", "[]", kDeleted)[1], "Terminating");
  EXPECT_EQ(Short("{phase: Succeeded}", "[]", kDeleted)[1], "Succeeded");
  EXPECT_EQ(Short("{phase: Running, reason: NodeLost}", "[]", kDeleted)[1], "Unknown");
}

TEST(PodRow, ReadinessGatesCountTrueConditions) {
  const auto documents = json::ParseYaml(R"(
spec: {readinessGates: [{conditionType: x.example.com/a}, {conditionType: x.example.com/b}, {conditionType: x.example.com/c}]}
status: {conditions: [{type: x.example.com/a, status: "True"}, {type: x.example.com/b, status: "False"}]})");
  ASSERT_OK(documents);
  json::Arena arena;
  json::Editor edit(arena);
  EXPECT_EQ(PodColumns().row(edit, documents->front().root(), WallTime())[8].AsString(), "1/3");
}

}  // namespace
}  // namespace allot::apiserver

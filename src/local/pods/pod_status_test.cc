#include "local/pods/pod_status.h"

#include "base/test_util.h"
#include "json/editor.h"
#include "json/json.h"
#include "kube/timestamp.h"

namespace allot::local {
namespace {

using ::testing::HasSubstr;

const WallTime kNow = *kube::ParseTime("2026-01-02T03:04:05Z");

ContainerView Container(const std::string& name) {
  ContainerView view;
  view.name = name;
  view.image = "x";
  return view;
}
Instance Running(int attempt = 0) { return {attempt, kNow, {}, ""}; }
Instance Ended(int code, int attempt = 0) { return {attempt, kNow, ContainerExit{code, 0, "", "", kNow}, ""}; }

PodView Of(std::optional<Instance> instance, bool finished = false) {
  PodView view;
  view.main.push_back(Container("c"));
  view.main[0].current = std::move(instance);
  view.prepared = true;
  view.finished = finished;
  return view;
}

TEST(PodStatus, ThePhaseIsKubernetes) {
  EXPECT_EQ(PhaseOf(Of(std::nullopt)), "Pending");
  EXPECT_EQ(PhaseOf(Of(Running())), "Running");
  EXPECT_EQ(PhaseOf(Of(Ended(0), true)), "Succeeded");
  EXPECT_EQ(PhaseOf(Of(Ended(1), true)), "Failed");
  // The container will restart.
  PodView crashed = Of(Ended(1));
  crashed.main[0].waiting_reason = "CrashLoopBackOff";
  EXPECT_EQ(PhaseOf(crashed), "Running");
  // A sidecar is still being stopped.
  EXPECT_EQ(PhaseOf(Of(Ended(0))), "Running");
  PodView failed = Of(std::nullopt, true);
  failed.failure_reason = "DeadlineExceeded";
  EXPECT_EQ(PhaseOf(failed), "Failed");
  PodView with_init = Of(std::nullopt, true);
  with_init.init.push_back(Container("i"));
  with_init.init[0].init = true;
  with_init.init[0].current = Ended(1);
  EXPECT_EQ(PhaseOf(with_init), "Failed");
}

// The patch as a Pod.
json::Document Patched(const std::string& patch) {
  auto document = json::Parse(patch);
  EXPECT_OK(document);
  return *std::move(document);
}

TEST(PodStatus, AnUnchangedStatusIsNotWrittenAgain) {
  const auto fresh = json::Parse(R"({"metadata":{"uid":"u","generation":1},"spec":{},"status":{"phase":"Pending"}})");
  const std::optional<std::string> patch = StatusPatch(fresh->root(), Of(Running()), kNow);
  ASSERT_TRUE(patch);
  // The server drops null fields.
  std::string stored = *patch;
  for (const std::string_view none : {R"("reason":null,"message":null,)", R"("reason":null,"message":null)"}) {
    for (size_t at = stored.find(none); at != std::string::npos; at = stored.find(none)) stored.erase(at, none.size());
  }
  const json::Document pod = Patched(stored);
  EXPECT_EQ(StatusPatch(pod.root(), Of(Running()), kNow + std::chrono::hours(1)), std::nullopt);
  EXPECT_TRUE(StatusPatch(pod.root(), Of(Ended(0), true), kNow));
}

TEST(PodStatus, AConditionKeepsItsTimeWhileItHolds) {
  const auto pod = json::Parse(R"({"metadata":{"uid":"u"},"spec":{},"status":{"conditions":[
      {"type":"Ready","status":"True","lastTransitionTime":"2020-01-01T00:00:00Z"},
      {"type":"Initialized","status":"False","lastTransitionTime":"2020-01-01T00:00:00Z"}]}})");
  const json::Document patch = Patched(*StatusPatch(pod->root(), Of(Running()), kNow));
  std::map<std::string, std::string> times;
  for (const json::Value& one : json::ItemsOf(patch.root()["status"]["conditions"])) {
    times[std::string(json::TextOf(one["type"]))] = json::TextOf(one["lastTransitionTime"]);
  }
  EXPECT_EQ(times["Ready"], "2020-01-01T00:00:00Z");
  EXPECT_EQ(times["Initialized"], "2026-01-02T03:04:05Z");
}

TEST(PodStatus, AReadinessGateHoldsThePodUp) {
  const std::string gates = R"({"metadata":{"uid":"u"},"spec":{"readinessGates":[{"conditionType":"example.com/fed"}]},"status":{)";
  const auto ready = [&](const std::string& status) {
    const auto pod = json::Parse(gates + status + "}}");
    const json::Document patch = Patched(*StatusPatch(pod->root(), Of(Running()), kNow));
    for (const json::Value& one : json::ItemsOf(patch.root()["status"]["conditions"])) {
      if (json::TextOf(one["type"]) == "Ready") return std::string(json::TextOf(one["status"]));
    }
    return std::string();
  };
  EXPECT_EQ(ready(""), "False");
  EXPECT_EQ(ready(R"("conditions":[{"type":"example.com/fed","status":"True"}])"), "True");
}

TEST(PodStatus, TheRunBeforeIsTheLastState) {
  const auto pod = json::Parse(R"({"metadata":{"uid":"u"},"spec":{},"status":{}})");
  PodView view = Of(Running(2));
  view.main[0].last = Ended(7, 1);
  const json::Document patch = Patched(*StatusPatch(pod->root(), view, kNow));
  const json::Value& status = json::ItemsOf(patch.root()["status"]["containerStatuses"])[0];
  EXPECT_EQ(status["restartCount"].NumberText(), "2");
  EXPECT_EQ(json::TextOf(status["containerID"]), "process://u/c/2");
  EXPECT_EQ(status["lastState"]["terminated"]["exitCode"].NumberText(), "7");
  EXPECT_EQ(json::TextOf(status["lastState"]["terminated"]["containerID"]), "process://u/c/1");
}

}  // namespace
}  // namespace allot::local

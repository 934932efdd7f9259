// Columns of Pods. STATUS condenses the phase, the state of every container and the conditions into the most notable word.

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "apiserver/kinds/columns/cells.h"
#include "apiserver/kinds/columns/columns.h"
#include "base/strings.h"
#include "kube/age.h"
#include "kube/timestamp.h"

namespace allot::apiserver {

using namespace cells;  // NOLINT(google-build-using-namespace)

namespace {

// How often containers were restarted, and when the last one ended before that.
struct Restarts {
  int64_t count = 0;
  std::optional<WallTime> last;

  void Add(const Value& container) {
    count += IntOf(container["restartCount"]);
    last = std::max(last, kube::ParseTime(TextOf(container["lastState"]["terminated"]["finishedAt"])));
  }
};

struct PodState {
  std::string reason;
  int64_t ready = 0, total = 0;
  Restarts restarts;
};

// "Error", "Signal:9", "ExitCode:3"
std::string EndOf(const Value& terminated) {
  const std::string_view reason = TextOf(terminated["reason"]);
  if (!reason.empty()) return std::string(reason);
  const int64_t signal = IntOf(terminated["signal"]);
  return signal != 0 ? StrCat("Signal:", signal) : StrCat("ExitCode:", IntOf(terminated["exitCode"]));
}

// An init container that runs beside the others, as a sidecar.
bool IsSidecar(const Value& init_container) { return TextOf(init_container["restartPolicy"]) == "Always"; }

std::unordered_set<std::string_view> SidecarNames(const Value& pod) {
  std::unordered_set<std::string_view> names;
  for (const Value& container : ItemsOf(pod["spec"]["initContainers"])) {
    if (IsSidecar(container)) names.insert(TextOf(container["name"]));
  }
  return names;
}

std::string InitReason(const Value& state, size_t index, size_t all) {
  const Value& terminated = state["terminated"];
  if (terminated.IsObject()) return StrCat("Init:", EndOf(terminated));
  const std::string_view waiting = TextOf(state["waiting"]["reason"]);
  if (!waiting.empty() && waiting != "PodInitializing") return StrCat("Init:", waiting);
  return StrCat("Init:", index, "/", all);
}

// Examines the init containers up to the first that is not done. Returns true if the Pod waits for that one.
bool LookAtInitContainers(const Value& pod, PodState& state, Restarts& sidecars) {
  const std::unordered_set<std::string_view> names = SidecarNames(pod);
  const auto statuses = ItemsOf(pod["status"]["initContainerStatuses"]);
  for (size_t i = 0; i < statuses.size(); ++i) {
    const Value& status = statuses[i];
    const bool sidecar = names.contains(TextOf(status["name"]));
    state.restarts.Add(status);
    if (sidecar) sidecars.Add(status);
    const Value& terminated = status["state"]["terminated"];
    if (terminated.IsObject() && IntOf(terminated["exitCode"]) == 0) continue;
    if (sidecar && json::IsTrue(status["started"])) {
      if (json::IsTrue(status["ready"])) ++state.ready;
      continue;
    }
    state.reason = InitReason(status["state"], i, ItemsOf(pod["spec"]["initContainers"]).size());
    return true;
  }
  return false;
}

void LookAtContainers(const Value& pod, PodState& state) {
  const auto statuses = ItemsOf(pod["status"]["containerStatuses"]);
  bool running = false;
  std::string failure;
  for (auto status = statuses.rbegin(); status != statuses.rend(); ++status) {  // backwards, so that the first container decides
    state.restarts.Add(*status);
    const Value& now = (*status)["state"];
    const Value& terminated = now["terminated"];
    if (!TextOf(now["waiting"]["reason"]).empty()) {
      state.reason = TextOf(now["waiting"]["reason"]);
    } else if (terminated.IsObject()) {
      state.reason = EndOf(terminated);
      if (IntOf(terminated["exitCode"]) != 0) failure = state.reason;
    } else if (json::IsTrue((*status)["ready"]) && now["running"].IsObject()) {
      running = true;
      ++state.ready;
    }
  }
  if (state.reason != "Completed") return;
  // One container is done, but the Pod is not, or not successfully.
  if (running && HasTrueCondition(pod["status"], "Ready")) {
    state.reason = "Running";
  } else if (!failure.empty()) {
    state.reason = failure;
  } else if (running) {
    state.reason = "NotReady";
  }
}

PodState StateOf(const Value& pod) {
  const Value& status = pod["status"];
  const std::string_view phase = TextOf(status["phase"]);
  PodState state;
  state.reason = TextOf(status["reason"]).empty() ? phase : TextOf(status["reason"]);
  for (const Value& condition : ItemsOf(status["conditions"])) {
    if (TextOf(condition["type"]) == "PodScheduled" && TextOf(condition["reason"]) == "SchedulingGated") state.reason = "SchedulingGated";
  }
  const auto init = ItemsOf(pod["spec"]["initContainers"]);
  state.total = static_cast<int64_t>(ItemsOf(pod["spec"]["containers"]).size()) + std::count_if(init.begin(), init.end(), IsSidecar);

  Restarts sidecars;
  const bool waits = LookAtInitContainers(pod, state, sidecars);
  if (!waits || HasTrueCondition(status, "Initialized")) {
    state.restarts = sidecars;  // ignore the restarts of init containers
    LookAtContainers(pod, state);
  }

  if (pod["metadata"]["deletionTimestamp"].IsString()) {
    if (TextOf(status["reason"]) == "NodeLost") {
      state.reason = "Unknown";
    } else if (phase != "Succeeded" && phase != "Failed") {
      state.reason = "Terminating";
    }
  }
  return state;
}

// "3 (5m ago)"
std::string RestartsText(const Restarts& restarts, WallTime now) {
  if (restarts.count == 0 || !restarts.last) return StrCat(restarts.count);
  return StrCat(restarts.count, " (", kube::HumanDuration(now - *restarts.last), " ago)");
}

// How many readiness gates are satisfied: "1/2".
std::string GatesText(const Value& pod) {
  const auto gates = ItemsOf(pod["spec"]["readinessGates"]);
  if (gates.empty()) return "<none>";
  std::unordered_map<std::string_view, std::string_view> conditions;
  for (const Value& condition : ItemsOf(pod["status"]["conditions"])) {
    conditions.try_emplace(TextOf(condition["type"]), TextOf(condition["status"]));
  }
  const auto open = std::count_if(gates.begin(), gates.end(), [&conditions](const Value& gate) {
    const auto found = conditions.find(TextOf(gate["conditionType"]));
    return found != conditions.end() && found->second == "True";
  });
  return StrCat(open, "/", gates.size());
}

std::vector<Value> PodRow(Editor& edit, const Value& pod, WallTime now) {
  const PodState state = StateOf(pod);
  const Value& status = pod["status"];
  const auto addresses = ItemsOf(status["podIPs"]);
  return {Name(edit, pod),
          Ratio(edit, state.ready, state.total),
          edit.String(state.reason),
          edit.String(RestartsText(state.restarts, now)),
          Age(edit, pod, now),
          addresses.empty() ? TextOr(edit, status["podIP"], "<none>") : TextOr(edit, addresses[0]["ip"], "<none>"),
          TextOr(edit, pod["spec"]["nodeName"], "<none>"),
          TextOr(edit, status["nominatedNodeName"], "<none>"),
          edit.String(GatesText(pod))};
}

}  // namespace

ColumnsAndRow PodColumns() {
  return {{NameColumn(), TextColumn("Ready", "How many containers are ready, of how many that should be."),
           TextColumn("Status", "What the Pod does, or what keeps it from doing it."),
           TextColumn("Restarts", "How often containers were started again, and how long ago the last time was."), AgeColumn(),
           TextColumn("IP", "The address of the Pod.", 1), TextColumn("Node", "The node that the Pod is bound to.", 1),
           TextColumn("Nominated Node", "The node where room is being made for the Pod.", 1),
           TextColumn("Readiness Gates", "How many of the conditions that others set are true.", 1)},
          PodRow};
}

}  // namespace allot::apiserver

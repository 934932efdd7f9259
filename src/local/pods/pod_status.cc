#include "local/pods/pod_status.h"

#include <algorithm>

#include "json/editor.h"
#include "json/json.h"
#include "kube/timestamp.h"

namespace allot::local {
namespace {

using json::ItemsOf;
using json::TextOf;
using json::Value;

constexpr std::string_view kOwnConditions[] = {"PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"};

bool InitDone(const ContainerView& one) { return one.sidecar ? one.current.has_value() : one.succeeded(); }
bool IsReady(const ContainerView& one) { return one.init && !one.sidecar ? one.succeeded() : one.running(); }

struct Condition {
  bool holds = false;
  std::string reason, message;
};

class Writer {
 public:
  Writer(json::Editor& edit, const Value& pod, const PodView& view, WallTime now) : edit_(edit), pod_(pod), view_(view), now_(now) {}

  Value Status() {
    const std::string phase = PhaseOf(view_);
    const Value& old = pod_["status"];
    const WallTime started = kube::ParseTime(TextOf(old["startTime"])).value_or(view_.started_at.value_or(now_));
    const Value address = edit_.String(view_.address);
    const Value addresses = edit_.Array({edit_.Object({{"ip", address}})});
    const bool rejected = !view_.failure_reason.empty() && std::none_of(view_.main.begin(), view_.main.end(), [](const ContainerView& one) {
      return one.current.has_value();
    }) && !view_.prepared;
    std::vector<json::Member> members = {{"phase", edit_.String(phase)},
                                         {"reason", TextOrNull(view_.failure_reason)},
                                         {"message", TextOrNull(view_.failure_message)},
                                         {"hostIP", address},
                                         {"hostIPs", addresses},
                                         {"startTime", edit_.String(kube::WriteTime(started))}};
    if (pod_["metadata"]["generation"].IsNumber()) members.push_back({"observedGeneration", pod_["metadata"]["generation"]});
    if (!rejected) {
      members.push_back({"podIP", address});
      members.push_back({"podIPs", addresses});
      if (!view_.init.empty()) members.push_back({"initContainerStatuses", Containers(view_.init)});
      members.push_back({"containerStatuses", Containers(view_.main)});
      members.push_back({"conditions", Conditions(phase)});
    }
    return edit_.Object(members);
  }

 private:
  Value TextOrNull(const std::string& text) { return text.empty() ? Value() : edit_.String(text); }

  Value Ended(const ContainerView& container, const Instance& instance) {
    const ContainerExit& exit = *instance.exit;
    const std::string reason = !exit.reason.empty() ? exit.reason : exit.exit_code == 0 ? "Completed" : "Error";
    std::vector<json::Member> members = {{"exitCode", edit_.Int(exit.exit_code)}, {"reason", edit_.String(reason)}};
    const std::string& message = instance.message.empty() ? exit.message : instance.message;
    if (!message.empty()) members.push_back({"message", edit_.String(message)});
    members.push_back({"startedAt", edit_.String(kube::WriteTime(instance.started_at.value_or(exit.finished_at)))});
    members.push_back({"finishedAt", edit_.String(kube::WriteTime(exit.finished_at))});
    members.push_back({"containerID", edit_.String(ContainerId(TextOf(pod_["metadata"]["uid"]), container.name, instance.attempt))});
    return edit_.Object({{"terminated", edit_.Object(members)}});
  }

  Value State(const ContainerView& one) {
    if (one.running()) {
      return edit_.Object(
          {{"running", edit_.Object({{"startedAt", edit_.String(kube::WriteTime(one.current->started_at.value_or(now_)))}})}});
    }
    if (one.ended()) return Ended(one, *one.current);
    std::vector<json::Member> members = {{"reason", edit_.String(one.waiting_reason.empty() ? "ContainerCreating" : one.waiting_reason)}};
    if (!one.waiting_message.empty()) members.push_back({"message", edit_.String(one.waiting_message)});
    return edit_.Object({{"waiting", edit_.Object(members)}});
  }

  Value Container(const ContainerView& one) {
    // A run that ended, in a container that will restart, is already the last state.
    const bool waits_again = one.current && one.current->exit && !one.ended();
    const std::optional<Instance>& last = waits_again ? one.current : one.last;
    std::vector<json::Member> members = {{"name", edit_.String(one.name)},
                                         {"state", State(one)},
                                         {"lastState", last && last->exit ? Ended(one, *last) : edit_.Object({})},
                                         {"ready", edit_.Bool(IsReady(one))},
                                         {"restartCount", edit_.Int(one.current ? one.current->attempt : 0)},
                                         {"image", edit_.String(one.image)},
                                         {"imageID", edit_.Literal("")}};
    if (one.current) {
      members.push_back({"containerID", edit_.String(ContainerId(TextOf(pod_["metadata"]["uid"]), one.name, one.current->attempt))});
    }
    members.push_back({"started", edit_.Bool(one.running())});
    return edit_.Object(members);
  }

  Value Containers(const std::vector<ContainerView>& containers) {
    std::vector<Value> items;
    for (const ContainerView& one : containers) items.push_back(Container(one));
    return edit_.Array(items);
  }

  static std::string Names(const std::vector<const ContainerView*>& containers) {
    std::vector<std::string> names;
    for (const ContainerView* one : containers) names.push_back(one->name);
    return StrCat("[", Join(names, " "), "]");
  }

  Condition Initialized(const std::string& phase) const {
    if (phase == "Succeeded") return {true, "PodCompleted", ""};
    std::vector<const ContainerView*> missing;
    for (const ContainerView& one : view_.init) {
      if (!InitDone(one)) missing.push_back(&one);
    }
    if (missing.empty()) return {true, "", ""};
    return {false, "ContainersNotInitialized", StrCat("containers with incomplete status: ", Names(missing))};
  }

  Condition ContainersReady(const std::string& phase) const {
    if (phase == "Succeeded") return {false, "PodCompleted", ""};
    if (phase == "Failed") return {false, "PodFailed", ""};
    std::vector<const ContainerView*> missing;
    for (const ContainerView& one : view_.init) {
      if (one.sidecar && !IsReady(one)) missing.push_back(&one);
    }
    for (const ContainerView& one : view_.main) {
      if (!IsReady(one)) missing.push_back(&one);
    }
    if (missing.empty()) return {true, "", ""};
    return {false, "ContainersNotReady", StrCat("containers with unready status: ", Names(missing))};
  }

  Condition Ready(const Condition& containers) const {
    if (!containers.holds) return containers;
    for (const Value& gate : ItemsOf(pod_["spec"]["readinessGates"])) {
      const std::string_view type = TextOf(gate["conditionType"]);
      const Value* found = nullptr;
      for (const Value& one : ItemsOf(pod_["status"]["conditions"])) {
        if (TextOf(one["type"]) == type) found = &one;
      }
      if (found != nullptr && TextOf((*found)["status"]) == "True") continue;
      const std::string_view what = found == nullptr ? "does not exist." : "is not \"True\".";
      return {false, "ReadinessGatesNotReady", StrCat("corresponding condition of pod readiness gate \"", type, "\" ", what)};
    }
    return {true, "", ""};
  }

  Value OneCondition(std::string_view type, const Condition& condition) {
    const std::string_view status = condition.holds ? "True" : "False";
    std::string since = kube::WriteTime(now_);
    for (const Value& old : ItemsOf(pod_["status"]["conditions"])) {
      const std::string_view time = TextOf(old["lastTransitionTime"]);
      if (TextOf(old["type"]) == type && TextOf(old["status"]) == status && !time.empty()) since = time;
    }
    std::vector<json::Member> members = {
        {"type", edit_.String(type)}, {"status", edit_.String(status)}, {"lastTransitionTime", edit_.String(since)}};
    members.push_back({"reason", TextOrNull(condition.reason)});
    members.push_back({"message", TextOrNull(condition.message)});
    if (pod_["metadata"]["generation"].IsNumber()) members.push_back({"observedGeneration", pod_["metadata"]["generation"]});
    return edit_.Object(members);
  }

  Value Conditions(const std::string& phase) {
    const Condition containers = ContainersReady(phase);
    const Condition all[] = {
        {view_.prepared && !view_.finished, "", ""}, Initialized(phase), Ready(containers), containers, {true, "", ""}};
    std::vector<Value> items;
    for (size_t i = 0; i < std::size(all); ++i) items.push_back(OneCondition(kOwnConditions[i], all[i]));
    return edit_.Array(items);
  }

  json::Editor& edit_;
  const Value& pod_;
  const PodView& view_;
  const WallTime now_;
};

// Whether merging `wanted` into `now` would change nothing.
bool Covers(const Value& now, const Value& wanted) {
  if (wanted.IsNull()) return now.IsNull();
  if (!wanted.IsObject()) return json::Equal(now, wanted);
  return std::all_of(wanted.Members().begin(), wanted.Members().end(),
                     [&](const json::Member& member) { return Covers(now[member.key], member.value); });
}

bool StatusCovers(const Value& now, const Value& wanted) {
  return std::all_of(wanted.Members().begin(), wanted.Members().end(), [&](const json::Member& member) {
    if (member.key != "conditions") return json::Equal(now[member.key], member.value);
    return std::all_of(member.value.Items().begin(), member.value.Items().end(), [&](const Value& condition) {
      const auto old = ItemsOf(now["conditions"]);
      return std::any_of(old.begin(), old.end(),
                         [&](const Value& one) { return TextOf(one["type"]) == TextOf(condition["type"]) && Covers(one, condition); });
    });
  });
}

}  // namespace

std::string PhaseOf(const PodView& view) {
  const bool finished = view.finished;
  if (finished && !view.failure_reason.empty()) return "Failed";
  const auto began = [](const ContainerView& one) { return one.current.has_value(); };
  if (finished) {
    const auto good = [](const ContainerView& one) { return one.succeeded(); };
    const bool initialized = std::all_of(view.init.begin(), view.init.end(), [](const ContainerView& one) { return InitDone(one); });
    return initialized && std::all_of(view.main.begin(), view.main.end(), good) ? "Succeeded" : "Failed";
  }
  return std::all_of(view.main.begin(), view.main.end(), began) ? "Running" : "Pending";
}

std::optional<std::string> StatusPatch(const Value& pod, const PodView& view, WallTime now) {
  json::Arena arena;
  json::Editor edit(arena);
  const Value status = Writer(edit, pod, view, now).Status();
  if (StatusCovers(pod["status"], status)) return std::nullopt;
  return json::Write(edit.Object({{"metadata", edit.Object({{"uid", pod["metadata"]["uid"]}})}, {"status", status}}));
}

std::string ContainerId(std::string_view pod_uid, std::string_view container, int attempt) {
  return StrCat("process://", pod_uid, "/", container, "/", attempt);
}

}  // namespace allot::local

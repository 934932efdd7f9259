#include "local/run/runs.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>

#include "apiserver/access/user_admission.h"
#include "base/rest.h"
#include "json/json.h"
#include "kube/timestamp.h"
#include "local/pods/pod_user.h"

namespace allot::local {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLookEvery{100};
constexpr std::chrono::seconds kCall{15};
constexpr milliseconds kAgain{500};
constexpr int64_t kDefaultGrace = 30;  // seconds

kube::Informer::Options OnlyRuns() {
  kube::Informer::Options options;
  options.label_selector = kRunLabel;
  return options;
}

// The user that the command must run as; nullopt if unknown.
std::optional<uid_t> UserOfPod(const kube::Object& pod) {
  const json::Value& containers = pod.json()["spec"]["containers"];
  const Result<PodUser> user = UserOf(pod.json(), containers.IsArray() ? containers.Items()[0] : json::Value());
  if (user.ok()) return user->run_as ? user->run_as->uid : ::geteuid();
  // "uid-N": a user without an entry in the user database (apiserver/access/local_users.h). A Pod cannot run as such a user, but the user's
  // own command can.
  const std::string_view name = pod.Annotation(apiserver::kUserAnnotation);
  uid_t uid = 0;
  if (!name.starts_with("uid-")) return std::nullopt;
  const auto [end, error] = std::from_chars(name.data() + 4, name.data() + name.size(), uid);
  return error == std::errc() && end == name.data() + name.size() ? std::optional(uid) : std::nullopt;
}

std::string_view ContainerIdOf(const kube::Object& pod) {
  const json::Value& statuses = pod.json()["status"]["containerStatuses"];
  return statuses.IsArray() && !statuses.Items().empty() ? kube::Object::Text(statuses.Items()[0]["containerID"]) : std::string_view();
}

std::string_view PhaseOf(const kube::Object& pod) { return kube::Object::Text(pod.json()["status"]["phase"]); }

std::string_view NodeOf(const kube::Object& pod) { return kube::Object::Text(pod.json()["spec"]["nodeName"]); }

bool IsDeleting(const kube::Object& pod) { return !pod.json()["metadata"]["deletionTimestamp"].IsNull(); }

// The Pod's finalizers, with ours or without it.
json::Value Finalizers(json::Editor& edit, const kube::Object& pod, bool with_ours) {
  std::vector<json::Value> all;
  for (const json::Value& one : json::ItemsOf(pod.json()["metadata"]["finalizers"])) {
    if (json::TextOf(one) != kRunFinalizer) all.push_back(one);
  }
  if (with_ours) all.push_back(edit.String(kRunFinalizer));
  return edit.Array(all);
}

json::Value EnvironmentPatch(json::Editor& edit, const kube::Object& pod, const Environment& environment) {
  std::vector<json::Member> members;
  for (const auto& [name, value] : environment) members.push_back({name, edit.String(value)});
  const std::string text = json::Write(edit.Object(members));
  const json::Value patch = edit.SetAt(json::Value(), {"metadata", "annotations", kEnvironment}, edit.String(text));
  return edit.SetAt(patch, {"metadata", "finalizers"}, Finalizers(edit, pod, true));
}

json::Value RunningPatch(json::Editor& edit, const kube::Object& pod, const ProcessId& command, WallTime now) {
  const json::Value time = edit.String(kube::WriteTime(now));
  std::vector<json::Value> conditions;
  for (const std::string_view type : {"PodReadyToStartContainers", "Initialized", "ContainersReady", "Ready"}) {
    conditions.push_back(edit.Object({{"type", edit.String(type)}, {"status", edit.String("True")}, {"lastTransitionTime", time}}));
  }
  const json::Value& containers = pod.json()["spec"]["containers"];
  const json::Value name = containers.IsArray() ? containers.Items()[0]["name"] : json::Value();
  const json::Value image = containers.IsArray() ? containers.Items()[0]["image"] : json::Value();
  const json::Value container = edit.Object({{"name", name},
                                             {"image", image},
                                             {"imageID", edit.String("")},
                                             {"ready", edit.Bool(true)},
                                             {"started", edit.Bool(true)},
                                             {"restartCount", edit.Int(0)},
                                             {"containerID", edit.String(ContainerIdText(command))},
                                             {"state", edit.Object({{"running", edit.Object({{"startedAt", time}})}})}});
  const json::Value status = edit.Object({{"phase", edit.String("Running")},
                                          {"startTime", time},
                                          {"message", json::Value()},
                                          {"conditions", edit.Array(conditions)},
                                          {"containerStatuses", edit.Array({container})}});
  return edit.Object({{"status", status}});
}

}  // namespace

Runs::Runs(kube::Client& client, DevicesOf devices, const Clock& clock, Random& random, Log& log)
    : client_(client),
      devices_(std::move(devices)),
      clock_(clock),
      log_(log),
      informer_(client, kube::types::kPods, OnlyRuns(), random, this) {}

void Runs::Start() {
  informer_.Start();
  for (int i = 0; i < kWorkers; ++i) workers_.emplace_back([this] { Work(); });
  looker_ = std::thread([this] { Look(); });
}

void Runs::Stop() {
  stop_.Request();
  informer_.Stop();
  queue_.ShutDown();
  for (std::thread& worker : workers_) worker.join();
  workers_.clear();
  if (looker_.joinable()) looker_.join();
}

size_t Runs::running() const {
  const std::lock_guard lock(mutex_);
  size_t count = 0;
  for (const auto& [uid, pod] : pods_) count += ParseContainerId(ContainerIdOf(*pod)) ? 1 : 0;
  return count;
}

void Runs::OnAdded(const kube::ObjectPtr& pod) {
  {
    const std::lock_guard lock(mutex_);
    pods_[std::string(pod->uid())] = pod;
  }
  queue_.Add(std::string(pod->uid()));
}

void Runs::OnUpdated(const kube::ObjectPtr& /*before*/, const kube::ObjectPtr& after) { OnAdded(after); }

void Runs::OnDeleted(const kube::ObjectPtr& last) {
  {
    const std::lock_guard lock(mutex_);
    pods_.erase(std::string(last->uid()));
    gone_[std::string(last->uid())] = last;
  }
  queue_.Add(std::string(last->uid()));
}

Patience Runs::CallTime() const { return {std::chrono::steady_clock::now() + kCall, &stop_}; }

void Runs::Work() {
  while (const std::optional<std::string> uid = queue_.Take()) {
    const Result<bool> synced = Sync(*uid);
    if (!synced.ok() || *synced) queue_.AddAfter(*uid, kAgain);
    queue_.Done(*uid);
  }
}

// Polls, because the end of a process notifies only its parent.
void Runs::Look() {
  while (Rest(kLookEvery, stop_)) {
    std::map<std::string, kube::ObjectPtr> pods;
    {
      const std::lock_guard lock(mutex_);
      pods = pods_;
    }
    for (const auto& [uid, pod] : pods) {
      const std::string_view id = ContainerIdOf(*pod);
      const std::optional<ProcessId> command = ParseContainerId(id);
      const std::optional<ProcessId> waiter = ParseProcess(pod->Annotation(kWaiter));
      const bool over = !id.empty() ? !command || !IsGroupAlive(*command) : !waiter || !IsAlive(*waiter);
      if (over || IsDeleting(*pod)) queue_.Add(uid);
    }
  }
}

Result<bool> Runs::Sync(const std::string& uid) {
  View view;
  Run run;
  {
    const std::lock_guard lock(mutex_);
    const auto here = pods_.find(uid);
    const auto last = gone_.find(uid);
    view.pod = here != pods_.end() ? here->second : last != gone_.end() ? last->second : nullptr;
    view.gone = here == pods_.end();
    if (const auto known = runs_.find(uid); known != runs_.end()) run = known->second;
  }
  if (view.pod == nullptr) return false;
  if (!NodeOf(*view.pod).empty() && devices_(NodeOf(*view.pod)) == nullptr) {  // a node of another machine
    const std::lock_guard lock(mutex_);
    gone_.erase(uid);
    return false;
  }
  const std::string_view id = ContainerIdOf(*view.pod);
  view.command = id.empty() ? run.command : ParseContainerId(id);
  view.user = UserOfPod(*view.pod);
  Result<bool> again = Step(view, run);
  const std::string error(again.ok() ? "" : again.status().message());
  // The error repeats at every look: log it once.
  if (std::exchange(run.told, error) != error && !error.empty() && !stop_.requested())
    log_.Warning("cannot serve a command of `allot run`", {{"pod", kube::KeyOf(*view.pod)}, {"error", error}});
  const std::lock_guard lock(mutex_);
  if (view.gone && again.ok() && !*again) {
    runs_.erase(uid);
    gone_.erase(uid);
  } else {
    runs_[uid] = run;
  }
  return again;
}

Result<bool> Runs::Step(const View& view, Run& run) {
  const kube::Object& pod = *view.pod;
  const bool begun = !ContainerIdOf(pod).empty();
  const std::optional<ProcessId> waiter = ParseProcess(pod.Annotation(kWaiter));
  const bool over = view.command ? !IsGroupAlive(*view.command) : begun || !waiter || !IsAlive(*waiter);
  if (view.gone || over || IsDeleting(pod)) return End(view, run);
  if (begun || PhaseOf(pod) != "Pending") return false;
  if (!view.user || OwnerOf(waiter->pid) != view.user) {
    return Fail(pod, ::geteuid() == 0
                         ? Invalid("the waiting process does not belong to this Pod's user")
                         : Invalid("this `allot up` does not run as root, so it can give shares only to commands of its own user"));
  }
  if (NodeOf(pod).empty()) return false;
  // Prepare even if the Pod has kEnvironment: the user may have written it, and only Prepare makes sure that the share is held.
  if (!run.prepared) {
    if (!prepare_slots_.try_acquire()) return true;
    const Status prepared = Prepare(pod, run);
    prepare_slots_.release();
    if (prepared.code() == Code::kInvalid || prepared.code() == Code::kExhausted) return Fail(pod, prepared);
    if (!prepared.ok()) {
      TRY(Tell(pod, prepared));
      return prepared;
    }
    run.prepared = true;
  }
  // Remember the command before writing Running: `run` may resume it before the informer delivers the change.
  if (!run.command) run.command = Candidate(view);
  if (run.command) TRY(Begin(pod, *run.command));
  return false;
}

// The claim that was created for the Pod; kNotFound if there is none.
Result<node::ClaimRef> Runs::ClaimOf(const kube::Object& pod) {
  const json::Value& claims = pod.json()["spec"]["resourceClaims"];
  if (!claims.IsArray() || claims.Items().empty()) return NotFound("the Pod has no claim");
  const std::string name(kube::Object::Text(claims.Items()[0]["resourceClaimName"]));
  ASSIGN_OR_RETURN(const kube::ObjectPtr claim, client_.Get(kube::types::kResourceClaims, pod.namespace_name(), name, CallTime()));
  const json::Value& owners = claim->json()["metadata"]["ownerReferences"];
  const auto is_pod = [&](const json::Value& owner) { return kube::Object::Text(owner["uid"]) == pod.uid(); };
  if (!owners.IsArray() || std::none_of(owners.Items().begin(), owners.Items().end(), is_pod)) {
    return NotFound("claim ", pod.namespace_name(), "/", name, " was not created for this Pod");
  }
  return node::ClaimRef{std::string(pod.namespace_name()), name, std::string(claim->uid())};
}

Status Runs::Prepare(const kube::Object& pod, Run& run) {
  ASSIGN_OR_RETURN(run.claim, ClaimOf(pod));
  ASSIGN_OR_RETURN(const DeviceAccess access, devices_(NodeOf(pod))->Prepare(*run.claim, {}, CallTime()));
  json::Arena arena;
  json::Editor edit(arena);
  return Patch(pod, "", edit, EnvironmentPatch(edit, pod, access.environment));
}

std::optional<ProcessId> Runs::Candidate(const View& view) {
  const std::optional<ProcessId> named = ParseProcess(view.pod->Annotation(kCommand));
  if (!named || !view.user) return std::nullopt;
  const std::optional<ProcessInfo> now = ReadProcess(named->pid);
  if (!now || now->id != *named || now->ended || now->group != named->pid || OwnerOf(named->pid) != view.user) return std::nullopt;
  return named;
}

Status Runs::Begin(const kube::Object& pod, const ProcessId& command) {
  json::Arena arena;
  json::Editor edit(arena);
  return Patch(pod, "status", edit, RunningPatch(edit, pod, command, clock_.Now()));
}

// Another Pod may have the name by now: the API refuses a patch with the wrong UID.
Status Runs::Patch(const kube::Object& pod, std::string_view subresource, json::Editor& edit, const json::Value& patch) {
  const std::string text = json::Write(edit.SetAt(patch, {"metadata", "uid"}, edit.String(pod.uid())));
  return client_.Patch(kube::types::kPods, pod.namespace_name(), pod.name(), kube::PatchType::kMerge, text, subresource, {}, CallTime())
      .status();
}

// Ends the command's processes, releases its share, then deletes the Pod.
Result<bool> Runs::End(const View& view, Run& run) {
  if (view.command && IsGroupAlive(*view.command)) {
    const json::Value& grace = view.pod->json()["metadata"]["deletionGracePeriodSeconds"];
    const MonotonicTime now = std::chrono::steady_clock::now();
    const int64_t given = view.gone ? 0 : grace.IsNumber() ? grace.AsInt64().value_or(kDefaultGrace) : kDefaultGrace;
    const int64_t seconds = std::max<int64_t>(given, 1);
    const MonotonicTime kill_at = now + std::chrono::seconds(seconds);
    const uid_t user = view.user.value_or(::geteuid());
    if (!run.kill_at) SignalGroup(*view.command, user, SIGTERM);
    run.kill_at = std::min(run.kill_at.value_or(kill_at), kill_at);
    if (now >= *run.kill_at) SignalGroup(*view.command, user, SIGKILL);
    return true;
  }
  TRY(Release(*view.pod, run));
  if (!view.gone) TRY(Delete(*view.pod));
  return false;
}

Status Runs::Release(const kube::Object& pod, Run& run) {
  if (run.released || NodeOf(pod).empty()) return Status();
  if (!run.claim) {
    // An earlier `up` may have prepared the claim. If the claim is gone, the agent's sweep unprepares it.
    Result<node::ClaimRef> claim = ClaimOf(pod);
    if (!claim.ok()) return claim.status().code() == Code::kNotFound ? Status() : claim.status();
    run.claim = *std::move(claim);
  }
  TRY(devices_(NodeOf(pod))->Unprepare(*run.claim, CallTime()));
  run.released = true;
  return Status();
}

Status Runs::Tell(const kube::Object& pod, const Status& why) {
  if (kube::Object::Text(pod.json()["status"]["message"]) == why.message()) return Status();
  json::Arena arena;
  json::Editor edit(arena);
  return Patch(pod, "status", edit, edit.SetAt(json::Value(), {"status", "message"}, edit.String(why.message())));
}

Result<bool> Runs::Fail(const kube::Object& pod, const Status& why) {
  json::Arena arena;
  json::Editor edit(arena);
  const json::Value status = edit.Object({{"phase", edit.String("Failed")},
                                          {"reason", edit.String("FailedPrepareDynamicResources")},
                                          {"message", edit.String(why.message())}});
  TRY(Patch(pod, "status", edit, edit.Object({{"status", status}})));
  return false;
}

Status Runs::Delete(const kube::Object& pod) {
  json::Arena arena;
  json::Editor edit(arena);
  const Status freed = Patch(pod, "", edit, edit.SetAt(json::Value(), {"metadata", "finalizers"}, Finalizers(edit, pod, false)));
  if (!freed.ok()) return freed.code() == Code::kNotFound ? Status() : freed;
  kube::DeleteOptions options;
  options.uid = pod.uid();
  options.grace_seconds = 0;
  const Status deleted = client_.Delete(kube::types::kPods, pod.namespace_name(), pod.name(), options, CallTime()).status();
  return deleted.code() == Code::kNotFound ? Status() : deleted;
}

}  // namespace allot::local

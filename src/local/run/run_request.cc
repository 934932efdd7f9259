#include "local/run/run_request.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <thread>
#include <utility>

#include "dialect/translate.h"
#include "json/editor.h"
#include "json/json.h"
#include "kube/error.h"
#include "local/run/run_request_gpus.h"
#include "sched/words.h"

namespace allot::local {
namespace {

constexpr std::chrono::seconds kCall{30};
constexpr std::chrono::milliseconds kPause{500};
constexpr std::chrono::seconds kLookAgain{2};              // the place in the queue changes without an event of the Pod
constexpr std::chrono::seconds kMostOffered{15};           // how long to wait for the first GPU to be offered
constexpr std::chrono::seconds kMostFree{2};               // how long to wait for the share to be released
constexpr std::chrono::milliseconds kMostStragglers{200};  // how long to wait for other processes of the group
constexpr size_t kMostCommand = 200;                       // characters of the command in the Pod
constexpr size_t kMostClaimName = 240;                     // characters of the Pod's name in the claim's name

Patience Soon(const Cancel& cancel) { return {std::chrono::steady_clock::now() + kCall, &cancel}; }

// Retries while the API does not answer, because `up` may be restarting. `call` must be idempotent.
template <typename Call>
auto Insist(const Cancel& cancel, const Call& call) {
  const MonotonicTime deadline = std::chrono::steady_clock::now() + kCall;
  for (;;) {
    auto result = call();
    const bool again = !result.ok() && result.status().code() == Code::kUnavailable && kube::ApiErrorOf(result.status()) == nullptr;
    if (!again || std::chrono::steady_clock::now() > deadline || cancel.requested()) return result;
    std::this_thread::sleep_for(kPause);
  }
}

// Creates the object, with retries. `is_ours` tells whether an existing object was created by an earlier try.
Result<kube::ObjectPtr> Create(kube::Client& client, const kube::ResourceType& type, const std::string& name_space, const std::string& name,
                               const std::string& text, const Cancel& cancel, const std::function<bool(const kube::Object&)>& is_ours) {
  bool tried = false;
  return Insist(cancel, [&]() -> Result<kube::ObjectPtr> {
    Result<kube::ObjectPtr> made = client.Create(type, name_space, text, {.field_manager = "allot-run"}, Soon(cancel));
    if (!std::exchange(tried, true) || !kube::HasReason(made.status(), "AlreadyExists")) return made;
    Result<kube::ObjectPtr> there = client.Get(type, name_space, name, Soon(cancel));
    return there.ok() && !is_ours(**there) ? made : there;
  });
}

// "-x7k2p"
std::string Suffix(Random& random) {
  constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  std::string suffix = "-";
  for (int i = 0; i < 5; ++i) suffix += kLetters[random.Below(kLetters.size())];
  return suffix;
}

// "run-python-x7k2p"
std::string NameFor(const std::string& program, Random& random) {
  std::string name = "run-";
  for (const char c : std::filesystem::path(program).filename().string().substr(0, 30)) {
    const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    const bool fits = (lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9');
    if (fits || name.back() != '-') name += fits ? lower : '-';
  }
  if (name.back() == '-') name.pop_back();
  return name + Suffix(random);
}

// A name with a random suffix, because the claim of the last Pod with this name may still exist for a moment.
std::string ClaimNameFor(const std::string& pod, Random& random) {
  std::string name = pod.substr(0, kMostClaimName);
  while (name.back() == '-' || name.back() == '.') name.pop_back();
  return name + Suffix(random);
}

json::Value PodOf(json::Editor& edit, const std::string& name, const RunSpec& spec, const ProcessId& waiter) {
  std::vector<json::Value> words;
  size_t length = 0;
  for (const std::string& word : spec.argv) {
    length += word.size();
    if (length > kMostCommand) break;
    words.push_back(edit.String(word));
  }
  const json::Value container =
      edit.Object({{"name", edit.String("command")}, {"image", edit.String("process")}, {"command", edit.Array(words)}});
  const json::Value metadata = edit.Object({{"name", edit.String(name)},
                                            {"labels", edit.Object({{kRunLabel, edit.String("command")}})},
                                            {"annotations", edit.Object({{kWaiter, edit.String(ProcessText(waiter))}})}});
  const json::Value pod_spec = edit.Object({{"restartPolicy", edit.String("Never")}, {"containers", edit.Array({container})}});
  return edit.Object({{"apiVersion", edit.String("v1")}, {"kind", edit.String("Pod")}, {"metadata", metadata}, {"spec", pod_spec}});
}

// The Pod with a claim that `run` makes itself instead of a template. The claim is owned by the Pod and goes with it, so no template is
// left behind in the user's namespace.
json::Value WithOwnClaim(json::Editor& edit, const json::Value& pod, const std::string& claim_name) {
  const json::Value claim = edit.Object({{"name", edit.String(dialect::kShareClaim)}, {"resourceClaimName", edit.String(claim_name)}});
  return edit.SetAt(pod, {"spec", "resourceClaims"}, edit.Array({claim}));
}

// The user gave the share as flags, so the error names the flag.
Status RefusedShare(const dialect::Refusal& refusal) {
  const std::string text = StrCat("--", refusal.field, ": ", refusal.message);
  return refusal.retry ? Unavailable(text) : Invalid(text);
}

// The claim is owned by the Pod, and deleted with it.
std::string ClaimText(const std::string& name, const std::string& pod, const std::string& uid, const json::Value& claim_spec) {
  json::Arena arena;
  json::Editor edit(arena);
  const json::Value owner = edit.Object({{"apiVersion", edit.String("v1")},
                                         {"kind", edit.String("Pod")},
                                         {"name", edit.String(pod)},
                                         {"uid", edit.String(uid)},
                                         {"controller", edit.Bool(true)},
                                         {"blockOwnerDeletion", edit.Bool(true)}});
  const json::Value metadata = edit.Object({{"name", edit.String(name)}, {"ownerReferences", edit.Array({owner})}});
  return json::Write(edit.Object({{"apiVersion", edit.String("resource.k8s.io/v1")},
                                  {"kind", edit.String("ResourceClaim")},
                                  {"metadata", metadata},
                                  {"spec", claim_spec}}));
}

// Whether the claim was created for the Pod.
bool IsOwned(const kube::Object& claim, std::string_view pod_uid) {
  const json::Value& owners = claim.json()["metadata"]["ownerReferences"];
  return owners.IsArray() && !owners.Items().empty() && kube::Object::Text(owners.Items()[0]["uid"]) == pod_uid;
}

}  // namespace

Result<RunRequest> RunRequest::Make(kube::Client& client, const std::string& name_space, const RunSpec& spec, Random& random,
                                    const Cancel& cancel) {
  // Fail now if there is no API. Later calls wait for one that is restarting.
  http::Request version;
  version.target = "/version";
  TRY(client.Raw(std::move(version), "ask for the version", Soon(cancel)).status());
  dialect::Facts facts;
  if (spec.share.fraction) {
    ASSIGN_OR_RETURN(const std::vector<OfferedGpu> gpus, OfferedGpus(client, Soon(cancel)));
    for (const OfferedGpu& gpu : gpus) facts.gpu_sizes.emplace_back(gpu.mib);
  }
  const std::optional<ProcessInfo> self = ReadProcess(::getpid());
  if (!self) return Unavailable("`allot run` cannot read /proc");
  const std::string name = spec.name.empty() ? NameFor(spec.argv[0], random) : spec.name;

  json::Arena arena;
  json::Editor edit(arena);
  const dialect::Translation translation = dialect::Translate(edit, PodOf(edit, name, spec, self->id), spec.share, facts);
  if (!translation.refusals.empty()) return RefusedShare(translation.refusals[0]);

  RunRequest request(client, name_space);
  request.share_ = spec.share;
  request.wait_ = spec.wait;
  request.claim_ = ClaimNameFor(name, random);
  request.warnings_ = translation.warnings;
  const std::string pod_text = json::Write(WithOwnClaim(edit, translation.pod, request.claim_));
  ASSIGN_OR_RETURN(const kube::ObjectPtr pod,
                   Create(client, kube::types::kPods, name_space, name, pod_text, cancel,
                          [&](const kube::Object& there) { return there.Annotation(kWaiter) == ProcessText(self->id); }));
  request.pod_ = name;
  request.uid_ = pod->uid();
  TRY(Create(client, kube::types::kResourceClaims, name_space, request.claim_,
             ClaimText(request.claim_, name, request.uid_, translation.templates[0].spec), cancel,
             [&](const kube::Object& there) { return IsOwned(there, request.uid_); })
          .status());
  return request;
}

RunRequest::RunRequest(RunRequest&& other) noexcept
    : client_(other.client_),
      space_(std::move(other.space_)),
      pod_(std::exchange(other.pod_, {})),
      claim_(std::move(other.claim_)),
      uid_(std::move(other.uid_)),
      share_(std::move(other.share_)),
      warnings_(std::move(other.warnings_)),
      wait_(other.wait_),
      attached_(other.attached_) {}

RunRequest::~RunRequest() {
  if (pod_.empty() || attached_) return;
  // If this fails, `up` deletes the Pod when this process has ended.
  const Patience patience{std::chrono::steady_clock::now() + kMostFree, nullptr};
  static_cast<void>(client_->Delete(kube::types::kPods, space_, pod_, {.uid = uid_, .grace_seconds = 0}, patience));
}

Status RunRequest::Follow(const Cancel& cancel, std::optional<std::chrono::milliseconds> again,
                          const std::function<Result<bool>(const kube::Object*)>& done, const std::function<void()>& away) {
  // List instead of Get: a watch can always start at the list's resourceVersion, but not at that of an old Pod.
  kube::ListOptions list;
  list.field_selector = StrCat("metadata.name=", pod_);
  for (;; std::this_thread::sleep_for(kPause)) {  // `up` may be restarting
    kube::ObjectPtr last;
    const Result<std::string> version = client_->List(
        kube::types::kPods, space_, list,
        [&](kube::ObjectPtr pod) {
          if (pod->uid() == uid_) last = std::move(pod);
        },
        Soon(cancel));
    if (cancel.requested()) return Unavailable("cancelled");
    if (!version.ok() && away) away();
    if (!version.ok()) continue;
    ASSIGN_OR_RETURN(bool is_done, done(last.get()));
    if (is_done) return Status();
    kube::WatchOptions options;
    options.field_selector = list.field_selector;
    options.resource_version = *version;
    const auto watch = client_->StartWatch(kube::types::kPods, space_, options, {std::nullopt, &cancel});
    while (watch.ok()) {
      const std::optional<MonotonicTime> look = again ? std::optional(std::chrono::steady_clock::now() + *again) : std::nullopt;
      Result<std::optional<kube::WatchEvent>> event = (*watch)->Next({look, &cancel});
      if (cancel.requested()) return Unavailable("cancelled");
      const bool silent = !event.ok() && look && std::chrono::steady_clock::now() >= *look;
      if (!silent && (!event.ok() || !*event)) break;
      if (!silent && (**event).type == kube::WatchEvent::Type::kBookmark) continue;
      if (!silent) last = (**event).type == kube::WatchEvent::Type::kDeleted ? nullptr : (**event).object;
      ASSIGN_OR_RETURN(is_done, done(last.get()));
      if (is_done) return Status();
    }
  }
}

Status RunRequest::Never(const std::string& why, const Result<std::vector<OfferedGpu>>& gpus) const {
  const std::string plain = gpus.ok() ? WhyNever(share_, *gpus) : "";
  return Exhausted(plain.empty() ? why : sched::NeverWords(plain));
}

Wait RunRequest::WaitOf(const std::string& why, bool never, const Cancel& cancel) {
  return {why, never, never ? 0 : view::AskForPlace(*client_, uid_, Soon(cancel))};
}

Result<Environment> RunRequest::AwaitShare(const Cancel& cancel, const std::function<void(const Wait&)>& tell) {
  Environment environment;
  Wait told;
  const MonotonicTime offered_until = std::chrono::steady_clock::now() + kMostOffered;
  const auto away = [&] {
    const Wait now{.away = true};
    if (tell && now != std::exchange(told, now)) tell(now);
  };
  const auto look = [&](const kube::Object* pod) -> Result<bool> {
    if (pod == nullptr || !pod->json()["metadata"]["deletionTimestamp"].IsNull()) {
      return Unavailable("Pod ", space_, "/", pod_, " was deleted while it waited");
    }
    const std::string_view text = pod->Annotation(kEnvironment);
    if (!text.empty()) {
      ASSIGN_OR_RETURN(const json::Document variables, json::Parse(text).Context(kEnvironment));
      if (!variables.root().IsObject()) return Invalid(kEnvironment, ": is not an object");
      for (const json::Member& member : variables.root().Members()) environment[std::string(member.key)] = kube::Object::Text(member.value);
      return true;
    }
    if (kube::Object::Text(pod->json()["status"]["phase"]) == "Failed") {
      return Unavailable(kube::Object::Text(pod->json()["status"]["message"]));
    }
    const bool placed = !kube::Object::Text(pod->json()["spec"]["nodeName"]).empty();
    const std::string why = placed ? std::string(kube::Object::Text(pod->json()["status"]["message"])) : view::WhyNot(*pod);
    const bool never = view::NeverFits(*pod);
    if (!wait_ && never) {
      // `up` may have just started.
      const Result<std::vector<OfferedGpu>> gpus = OfferedGpus(*client_, Soon(cancel));
      const bool not_yet = gpus.ok() && gpus->empty() && std::chrono::steady_clock::now() < offered_until;
      if (!not_yet) return Never(why, gpus);
      const Wait now{.why = "no GPU is offered yet"};
      if (tell && now != std::exchange(told, now)) tell(now);
      return false;
    }
    if (why.empty() || !tell) return false;
    const Wait now = placed ? Wait{.why = why} : WaitOf(why, never, cancel);
    if (now != std::exchange(told, now)) tell(now);
    return false;
  };
  TRY(Follow(cancel, tell || !wait_ ? std::optional<std::chrono::milliseconds>(kLookAgain) : std::nullopt, look, away));
  return environment;
}

Status RunRequest::Attach(const ProcessId& command, const Cancel& cancel) {
  json::Arena arena;
  json::Editor edit(arena);
  const json::Value named = edit.SetAt(json::Value(), {"metadata", "annotations", kCommand}, edit.String(ProcessText(command)));
  const json::Value patch = edit.SetAt(named, {"metadata", "uid"}, edit.String(uid_));
  TRY(Insist(cancel, [&] {
        return client_->Patch(kube::types::kPods, space_, pod_, kube::PatchType::kMerge, json::Write(patch), "", {}, Soon(cancel));
      }).status());
  TRY(Follow(cancel, std::nullopt, [&](const kube::Object* pod) -> Result<bool> {
    if (pod == nullptr || !pod->json()["metadata"]["deletionTimestamp"].IsNull()) {
      return Unavailable("Pod ", space_, "/", pod_, " was deleted before the command could start");
    }
    if (kube::Object::Text(pod->json()["status"]["phase"]) == "Failed") {
      return Unavailable(kube::Object::Text(pod->json()["status"]["message"]));
    }
    return kube::Object::Text(pod->json()["status"]["phase"]) == "Running";
  }));
  attached_ = true;
  return Status();
}

void RunRequest::AwaitFree(const ProcessId& command, const Cancel& cancel) {
  const MonotonicTime start = std::chrono::steady_clock::now();
  const Patience patience{start + kMostFree, &cancel};
  std::chrono::milliseconds pause{2};
  // Returns false when the time is over.
  const auto rest = [&](MonotonicTime until) {
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::milliseconds(50));
    return !cancel.requested() && std::chrono::steady_clock::now() < until;
  };
  while (IsGroupAlive(command)) {
    if (!rest(start + kMostStragglers)) return;
  }
  // Delete the Pod instead of waiting until `up` notices the end. With a grace period, because `up` must release the share before the API
  // deletes the Pod.
  const Status asked =
      client_->Delete(kube::types::kPods, space_, pod_, {.uid = uid_, .grace_seconds = kMostFree.count()}, patience).status();
  if (!asked.ok() && asked.code() != Code::kNotFound) return;
  // The claim is deleted last. Then the scheduler can allocate its devices again.
  for (pause = std::chrono::milliseconds(2);;) {
    const Result<kube::ObjectPtr> claim = client_->Get(kube::types::kResourceClaims, space_, claim_, patience);
    if (!claim.ok() || !IsOwned(**claim, uid_) || !rest(*patience.deadline)) return;
  }
}

}  // namespace allot::local

#include "local/run_request.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <thread>
#include <utility>

#include "json/editor.h"
#include "json/json.h"
#include "kube/error.h"
#include "local/run_request_gpus.h"

namespace allot::local {
namespace {

constexpr std::chrono::seconds kCall{30};
constexpr std::chrono::milliseconds kPause{500};
constexpr std::chrono::seconds kLookAgain{2};              // at its place, which changes when others start
constexpr std::chrono::seconds kMostOffered{15};           // for GPUs to be offered, where none is
constexpr std::chrono::seconds kMostFree{2};               // for the share to be given back
constexpr std::chrono::milliseconds kMostStragglers{200};  // for processes that end with the command's first one
constexpr size_t kMostCommand = 200;                       // characters of it that the Pod shows
constexpr size_t kMostClaimName = 240;                     // of a Pod's name in its claim's

http::Patience Soon(const Cancel& cancel) { return {std::chrono::steady_clock::now() + kCall, &cancel}; }

// Again while nobody answers: `up` may be on its way back. `call` may be done twice.
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

// Makes the object, whichever of our tries did it. `is_ours` tells one of an earlier try from one that was there before.
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

// Another one than that of the last Pod of this name, which may still be there for a moment.
std::string ClaimNameFor(const std::string& pod, Random& random) {
  std::string name = pod.substr(0, kMostClaimName);
  while (name.back() == '-' || name.back() == '.') name.pop_back();
  return name + Suffix(random);
}

std::string PodText(const std::string& name, const std::string& claim_name, const RunSpec& spec, const ProcessId& waiter) {
  json::Arena arena;
  json::Editor edit(arena);
  std::vector<json::Value> words;
  size_t length = 0;
  for (const std::string& word : spec.argv) {
    length += word.size();
    if (length > kMostCommand) break;
    words.push_back(edit.String(word));
  }
  const json::Value claim_use = edit.Object({{"name", edit.String("gpu")}});
  const json::Value container = edit.Object({{"name", edit.String("command")},
                                             {"image", edit.String("process")},
                                             {"command", edit.Array(words)},
                                             {"resources", edit.Object({{"claims", edit.Array({claim_use})}})}});
  const json::Value claim = edit.Object({{"name", edit.String("gpu")}, {"resourceClaimName", edit.String(claim_name)}});
  const json::Value metadata = edit.Object({{"name", edit.String(name)},
                                            {"labels", edit.Object({{kRunLabel, edit.String("command")}})},
                                            {"annotations", edit.Object({{kWaiter, edit.String(ProcessText(waiter))}})}});
  const json::Value pod_spec = edit.Object(
      {{"restartPolicy", edit.String("Never")}, {"containers", edit.Array({container})}, {"resourceClaims", edit.Array({claim})}});
  return json::Write(
      edit.Object({{"apiVersion", edit.String("v1")}, {"kind", edit.String("Pod")}, {"metadata", metadata}, {"spec", pod_spec}}));
}

// Goes with the Pod.
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

// Whether the claim was made for the Pod.
bool IsOwned(const kube::Object& claim, std::string_view pod_uid) {
  const json::Value& owners = claim.json()["metadata"]["ownerReferences"];
  return owners.IsArray() && !owners.Items().empty() && kube::Object::Text(owners.Items()[0]["uid"]) == pod_uid;
}

}  // namespace

Result<RunRequest> RunRequest::Make(kube::Client& client, const std::string& name_space, const RunSpec& spec, Random& random,
                                    const Cancel& cancel) {
  // Whether anybody is there: later, one who went away is waited for.
  http::Request version;
  version.target = "/version";
  TRY(client.Raw(std::move(version), "ask for the version", Soon(cancel)).status());
  std::vector<int64_t> sizes;
  if (spec.share.fraction) {
    ASSIGN_OR_RETURN(const std::vector<OfferedGpu> gpus, OfferedGpus(client, Soon(cancel)));
    for (const OfferedGpu& gpu : gpus) sizes.push_back(gpu.mib);
  }
  ASSIGN_OR_RETURN(const std::string claim_text, dialect::ClaimSpec(spec.share, sizes));
  ASSIGN_OR_RETURN(const json::Document claim_spec, json::Parse(claim_text));
  const std::optional<ProcessInfo> self = ReadProcess(::getpid());
  if (!self) return Unavailable("/proc cannot be read: `allot run` needs it");
  const std::string name = spec.name.empty() ? NameFor(spec.argv[0], random) : spec.name;

  RunRequest request(client, name_space);
  request.share_ = spec.share;
  request.wait_ = spec.wait;
  request.claim_ = ClaimNameFor(name, random);
  ASSIGN_OR_RETURN(const kube::ObjectPtr pod,
                   Create(client, kube::types::kPods, name_space, name, PodText(name, request.claim_, spec, self->id), cancel,
                          [&](const kube::Object& there) { return there.Annotation(kWaiter) == ProcessText(self->id); }));
  request.pod_ = name;
  request.uid_ = pod->uid();
  TRY(Create(client, kube::types::kResourceClaims, name_space, request.claim_,
             ClaimText(request.claim_, name, request.uid_, claim_spec.root()), cancel,
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
      wait_(other.wait_),
      attached_(other.attached_) {}

RunRequest::~RunRequest() {
  if (pod_.empty() || attached_) return;
  // Where this fails, `up` sees that we are gone.
  const http::Patience patience{std::chrono::steady_clock::now() + kMostFree, nullptr};
  static_cast<void>(client_->Delete(kube::types::kPods, space_, pod_, {.uid = uid_, .grace_seconds = 0}, patience));
}

Status RunRequest::Follow(const Cancel& cancel, std::optional<std::chrono::milliseconds> again,
                          const std::function<Result<bool>(const kube::Object*)>& done, const std::function<void()>& away) {
  // A list, not a Get: its version is one that a watch can begin with, however long ago the Pod changed.
  kube::ListOptions list;
  list.field_selector = StrCat("metadata.name=", pod_);
  for (;; std::this_thread::sleep_for(kPause)) {  // `up` is being started anew, say
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
  return Exhausted(plain.empty() ? why : StrCat(kNeverStarts, plain));
}

Wait RunRequest::WaitOf(const std::string& why, const Cancel& cancel) {
  const bool never = why.starts_with(kNeverStarts);
  return {why, never, never ? 0 : AskForPlace(*client_, uid_, Soon(cancel))};
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
      if (!variables.root().IsObject()) return Invalid(kEnvironment, ": is no object");
      for (const json::Member& member : variables.root().Members()) environment[std::string(member.key)] = kube::Object::Text(member.value);
      return true;
    }
    if (kube::Object::Text(pod->json()["status"]["phase"]) == "Failed") {
      return Unavailable(kube::Object::Text(pod->json()["status"]["message"]));
    }
    const bool placed = !kube::Object::Text(pod->json()["spec"]["nodeName"]).empty();
    const std::string why = placed ? std::string(kube::Object::Text(pod->json()["status"]["message"])) : WhyNot(*pod);
    if (!wait_ && why.starts_with(kNeverStarts)) {
      // `up` may only just have been started.
      const Result<std::vector<OfferedGpu>> gpus = OfferedGpus(*client_, Soon(cancel));
      const bool not_yet = gpus.ok() && gpus->empty() && std::chrono::steady_clock::now() < offered_until;
      if (!not_yet) return Never(why, gpus);
      const Wait now{.why = "no GPU is offered yet"};
      if (tell && now != std::exchange(told, now)) tell(now);
      return false;
    }
    if (why.empty() || !tell) return false;
    const Wait now = placed ? Wait{.why = why} : WaitOf(why, cancel);
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
  const http::Patience patience{start + kMostFree, &cancel};
  std::chrono::milliseconds pause{2};
  // False: it takes too long.
  const auto rest = [&](MonotonicTime until) {
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::milliseconds(50));
    return !cancel.requested() && std::chrono::steady_clock::now() < until;
  };
  while (IsGroupAlive(command)) {
    if (!rest(start + kMostStragglers)) return;
  }
  // `up` would see it by itself a moment later. It gives the share back first: so not at once, as the API would do with a grace of 0.
  const Status asked =
      client_->Delete(kube::types::kPods, space_, pod_, {.uid = uid_, .grace_seconds = kMostFree.count()}, patience).status();
  if (!asked.ok() && asked.code() != Code::kNotFound) return;
  // The claim goes last: with it the scheduler has the devices back.
  for (pause = std::chrono::milliseconds(2);;) {
    const Result<kube::ObjectPtr> claim = client_->Get(kube::types::kResourceClaims, space_, claim_, patience);
    if (!claim.ok() || !IsOwned(**claim, uid_) || !rest(*patience.deadline)) return;
  }
}

}  // namespace allot::local

#include "cli/status_waiting.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/strings.h"
#include "cli/description.h"
#include "cli/status_devices.h"
#include "local/run_request_place.h"
#include "model/placement.h"

namespace allot::cli {
namespace {

constexpr std::string_view kFailedPreparation = "FailedPrepareDynamicResources";
constexpr std::string_view kClassResource = "deviceclass.resource.kubernetes.io/";  // every class has one (Kubernetes 1.34)

bool IsGpuClass(std::string_view name) { return name == kGpuDriver || name == "mig.nvidia.com"; }

bool IsPlaced(const kube::Object& pod) { return !Text(pod.json()["spec"]["nodeName"]).empty(); }

bool AsksForAll(const json::Value& ask) { return Text(ask["allocationMode"]) == "All"; }

// "2 x gpu.nvidia.com, 6144 MiB each". `times`: so many requests ask for this.
std::string AskText(const json::Value& ask, int64_t times = 1) {
  const int64_t count = times * (ask["count"].IsNumber() ? ask["count"].AsInt64().value_or(1) : 1);
  std::string text = AsksForAll(ask) ? StrCat("all of ", Text(ask["deviceClassName"])) : StrCat(count, " x ", Text(ask["deviceClassName"]));
  if (const std::optional<int64_t> mib = MemoryMib(ask["capacity"]["requests"])) {
    text += StrCat(", ", *mib, " MiB", count == 1 && !AsksForAll(ask) ? "" : " each");
  }
  return text;
}

void AddAsks(const json::Value& claim_spec, WaitingPod& waiting) {
  const auto requests = ItemsOf(claim_spec["devices"]["requests"]);
  std::map<std::string, int64_t> times;  // by the text of one
  for (const json::Value& request : requests) ++times[AskText(request["exactly"])];
  for (const json::Value& request : requests) {
    if (request["exactly"].IsObject()) {
      int64_t& alike = times[AskText(request["exactly"])];
      if (alike > 0) waiting.asks.push_back(AskText(request["exactly"], alike));
      alike = 0;  // said
    }
    if (IsGpuClass(Text(request["exactly"]["deviceClassName"]))) waiting.for_gpus = true;
    std::string alternatives;
    for (const json::Value& ask : ItemsOf(request["firstAvailable"])) {
      alternatives += StrCat(alternatives.empty() ? "" : ", or ", AskText(ask));
      if (IsGpuClass(Text(ask["deviceClassName"]))) waiting.for_gpus = true;
    }
    if (!alternatives.empty()) waiting.asks.push_back(std::move(alternatives));
  }
}

bool AsksForGpus(const json::Value& claim_spec) {
  const auto requests = ItemsOf(claim_spec["devices"]["requests"]);
  return std::any_of(requests.begin(), requests.end(),
                     [](const json::Value& one) { return IsGpuClass(Text(one["exactly"]["deviceClassName"])); });
}

bool HoldsGpus(const json::Value& claim) {
  const auto results = ItemsOf(claim["status"]["allocation"]["devices"]["results"]);
  return std::any_of(results.begin(), results.end(), [](const json::Value& result) { return Text(result["driver"]) == kGpuDriver; });
}

// nullptr: there is none, or it cannot be seen.
const kube::Object* FindClaim(const Listing& claims, std::string_view namespace_name, std::string_view name) {
  for (const kube::ObjectPtr& claim : claims.objects) {
    if (claim->namespace_name() == namespace_name && claim->name() == name) return claim.get();
  }
  return nullptr;
}

// The name of the claim behind the Pod's entry; empty where none is made yet.
std::string_view ClaimNameOf(const json::Value& pod, const json::Value& entry) {
  if (entry["resourceClaimName"].IsString()) return Text(entry["resourceClaimName"]);
  for (const json::Value& status : ItemsOf(pod["status"]["resourceClaimStatuses"])) {
    if (Text(status["name"]) == Text(entry["name"])) return Text(status["resourceClaimName"]);
  }
  return "";
}

// What the Pod's claim asks for, or where it would stand.
void AddClaimAsks(Session& session, const kube::Object& pod, const json::Value& entry, const Listing& claims, WaitingPod& waiting) {
  const std::string_view name = ClaimNameOf(pod.json(), entry);
  if (const kube::Object* const claim = FindClaim(claims, pod.namespace_name(), name)) {
    if (HoldsGpus(claim->json())) waiting.for_gpus = true;
    return AddAsks(claim->json()["spec"], waiting);
  }
  if (!entry["resourceClaimTemplateName"].IsString()) {
    waiting.asks.push_back(StrCat("claim ", name, claims.ok() ? ", which does not exist" : ", which cannot be seen"));
    return;
  }
  const std::string_view from = Text(entry["resourceClaimTemplateName"]);
  const Result<kube::ObjectPtr> found = session.client().Get(kube::types::kResourceClaimTemplates, pod.namespace_name(), from);
  if (found.ok()) return AddAsks((*found)->json()["spec"]["spec"], waiting);
  if (IsMissing(found.status())) {
    waiting.why = StrCat("template ", from, " does not exist in namespace ", pod.namespace_name(), ": make it, or correct the name");
  }
  waiting.asks.push_back(StrCat("claim template ", from, IsMissing(found.status()) ? ", which does not exist" : ", which cannot be seen"));
}

// What the Pod asks for as amounts of resources that a class stands for, or that a claim was made for: nvidia.com/gpu: 1.
void AddExtendedAsks(const json::Value& pod, const Listing& classes, WaitingPod& waiting) {
  const Result<model::Placement> placement = model::Placement::Read(pod);
  if (!placement.ok()) return;
  model::Amounts asked = placement->requests;
  model::AddAmounts(asked, placement->claimed);
  for (const auto& [resource, amount] : asked) {
    if (amount <= 0 || resource.find('/') == resource.npos) continue;
    std::string by(resource.starts_with(kClassResource) ? resource.substr(kClassResource.size()) : "");
    for (const kube::ObjectPtr& one : classes.objects) {
      if (by.empty() && Text(one->json()["spec"]["extendedResourceName"]) == resource) by = one->name();
    }
    if (IsGpuClass(by)) waiting.for_gpus = true;
    if (resource.starts_with(kClassResource)) {
      waiting.asks.push_back(StrCat(amount, " x ", by));
    } else if (!by.empty()) {
      waiting.asks.push_back(StrCat(amount, " x ", by, " (", resource, ")"));
    } else if (model::AmountOf(placement->claimed, resource) > 0) {
      waiting.asks.push_back(StrCat(amount, " x ", resource));
    }
  }
}

// Whether a claim of the Pod is not made yet; the scheduler does not look at it before.
bool LacksClaim(const json::Value& pod) {
  const auto entries = ItemsOf(pod["spec"]["resourceClaims"]);
  return std::any_of(entries.begin(), entries.end(), [&](const json::Value& entry) { return ClaimNameOf(pod, entry).empty(); });
}

// "node n1 has room, but is kept for lab/large, which is ahead of it", of our scheduler's "0/1 nodes will do: n1: has room, ...": what
// explain says first. Empty: it said something else.
std::string KeptWords(std::string_view message) {
  constexpr std::string_view kRoom = ": has room, but is kept for ", kAhead = ", which is ahead of it";
  const size_t room = message.find(kRoom), end = room == message.npos ? message.npos : message.find(kAhead, room);
  if (end == message.npos) return "";
  const std::string_view before = message.substr(0, room);
  const size_t begin = before.find_last_of(":;") + 1;
  const std::string_view nodes = before.substr(std::min(before.size(), before.find_first_not_of(' ', begin)));
  const std::string_view rest = message.substr(room + 2, end + kAhead.size() - room - 2);
  return StrCat(nodes.find(',') == nodes.npos ? "node " : "each of ", nodes, " ", rest);
}

void SetSchedulersWords(const json::Value& pod, WaitingPod& waiting) {
  for (const json::Value& condition : ItemsOf(pod["status"]["conditions"])) {
    if (Text(condition["type"]) != "PodScheduled" || Text(condition["status"]) == "True") continue;
    waiting.reason = Text(condition["reason"]);
    waiting.message = Text(condition["message"]);
    waiting.why = KeptWords(waiting.message);
    return;
  }
  if (LacksClaim(pod)) {
    waiting.message = "its claim is not made yet, and no scheduler looks at it before";
    return;
  }
  const std::string_view scheduler = Text(pod["spec"]["schedulerName"]);
  waiting.message = StrCat("no scheduler has looked at it yet; does ", scheduler.empty() ? "default-scheduler" : scheduler, " run?");
}

bool HasCondition(const json::Value& pod, std::string_view type) {
  const auto conditions = ItemsOf(pod["status"]["conditions"]);
  return std::any_of(conditions.begin(), conditions.end(),
                     [&](const json::Value& condition) { return Text(condition["type"]) == type && Text(condition["status"]) == "True"; });
}

std::string_view TimeOf(const json::Value& event) {
  for (const json::Value* time : {&event["series"]["lastObservedTime"], &event["lastTimestamp"], &event["eventTime"]}) {
    if (time->IsString()) return Text(*time);
  }
  return "";
}

// Why the Pod does not run on its node; false: it is just being started.
bool SetKubeletsWords(const kube::Object& pod, const Listing& events, WaitingPod& waiting) {
  for (const std::string_view list : {"initContainerStatuses", "containerStatuses"}) {
    for (const json::Value& status : ItemsOf(pod.json()["status"][list])) {
      const json::Value& state = status["state"]["waiting"];
      if (!SpeaksOfCdi(Text(state["message"]))) continue;
      waiting.reason = Text(state["reason"]);
      waiting.message = Text(state["message"]);
      return true;
    }
  }
  // Its sandbox is there, which comes after its devices (Kubernetes 1.29): the events are of the time before.
  if (HasCondition(pod.json(), "PodReadyToStartContainers")) return false;
  const json::Value* newest = nullptr;
  for (const kube::ObjectPtr& event : events.objects) {
    const json::Value& json = event->json();
    if (Text(json["involvedObject"]["uid"]) != pod.uid()) continue;
    if (newest == nullptr || TimeOf(*newest) <= TimeOf(json)) newest = &json;
  }
  if (newest == nullptr) return false;
  waiting.reason = Text((*newest)["reason"]);
  waiting.message = Text((*newest)["message"]);
  return true;
}

}  // namespace

Listing PendingPods(Session& session) {
  kube::ListOptions options;
  options.field_selector = "status.phase=Pending";
  return ListAll(session, kube::types::kPods, "", options);
}

Listing FailedPreparations(Session& session, const Listing& pods) {
  if (std::none_of(pods.objects.begin(), pods.objects.end(), [](const auto& pod) { return IsPlaced(*pod); })) return {};
  kube::ListOptions options;
  options.field_selector = StrCat("reason=", kFailedPreparation);
  return ListAll(session, kube::types::kEvents, "", options);
}

std::vector<WaitingPod> WaitingPods(Session& session, const WaitingFacts& facts) {
  std::vector<WaitingPod> all;
  std::vector<kube::ObjectPtr> pods = facts.pods.objects;
  std::sort(pods.begin(), pods.end(), [](const kube::ObjectPtr& a, const kube::ObjectPtr& b) {
    return IsPlaced(*a) != IsPlaced(*b) ? IsPlaced(*a) : local::IsAheadOf(*a, *b);
  });
  for (const kube::ObjectPtr& pod : pods) {
    const json::Value& json = pod->json();
    WaitingPod waiting;
    waiting.namespace_name = pod->namespace_name();
    waiting.name = pod->name();
    waiting.node = Text(json["spec"]["nodeName"]);
    waiting.since = Text(json["metadata"]["creationTimestamp"]);
    if (IsPlaced(*pod)) {
      if (!SetKubeletsWords(*pod, facts.events, waiting)) continue;
    } else {
      SetSchedulersWords(json, waiting);
    }
    for (const json::Value& entry : ItemsOf(json["spec"]["resourceClaims"])) {
      AddClaimAsks(session, *pod, entry, facts.claims, waiting);
    }
    AddExtendedAsks(json, facts.classes, waiting);
    // The claim that was made of them, by whatever class.
    const std::string_view extended = Text(json["status"]["extendedResourceClaimStatus"]["resourceClaimName"]);
    const kube::Object* const claim = extended.empty() ? nullptr : FindClaim(facts.claims, pod->namespace_name(), extended);
    if (claim != nullptr && (HoldsGpus(claim->json()) || AsksForGpus(claim->json()["spec"]))) waiting.for_gpus = true;
    if (!facts.claims.ok() && waiting.message.find(kGpuDriver) != std::string::npos) waiting.for_gpus = true;
    if (!waiting.asks.empty()) all.push_back(std::move(waiting));
  }
  return all;
}

bool SpeaksOfCdi(std::string_view text) { return text.find("CDI") != text.npos; }

}  // namespace allot::cli

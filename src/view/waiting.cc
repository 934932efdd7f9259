#include "view/waiting.h"

#include <algorithm>
#include <tuple>

#include "base/strings.h"
#include "json/editor.h"
#include "model/memory.h"
#include "model/placement.h"
#include "sched/objects.h"
#include "view/devices.h"
#include "view/events.h"
#include "view/queue.h"

namespace allot::view {
namespace {

using json::ItemsOf;
using kube::Object;

constexpr std::string_view kFailedPreparation = "FailedPrepareDynamicResources";
constexpr std::string_view kClassResource = "deviceclass.resource.kubernetes.io/";  // every class has one (Kubernetes 1.34)

std::string_view Text(const json::Value& value) { return Object::Text(value); }

bool IsGpuClass(std::string_view name) { return name == kGpuDriver || name == "mig.nvidia.com"; }

bool HasNode(const Object& pod) { return !Text(pod.json()["spec"]["nodeName"]).empty(); }

DeviceAsk AskOf(const model::DeviceRequest& request) {
  DeviceAsk ask{std::string(request.class_name), request.count == 0 ? 1 : request.count, request.allocation_mode == "All"};
  if (const model::NamedQuantity* const memory = model::MemoryOf(request.capacity)) ask.mib = model::MiB::Taken(memory->amount).count();
  return ask;
}

bool AreAlike(const DeviceAsk& a, const DeviceAsk& b) {
  return std::tie(a.class_name, a.count, a.all, a.mib) == std::tie(b.class_name, b.count, b.all, b.mib);
}

bool AsksForGpus(const model::ResourceClaim& claim) {
  return std::any_of(claim.requests.begin(), claim.requests.end(), [](const model::Request& request) {
    return request.exactly ? IsGpuClass(request.exactly->class_name)
                           : std::any_of(request.first_available.begin(), request.first_available.end(),
                                         [](const model::DeviceRequest& one) { return IsGpuClass(one.class_name); });
  });
}

bool HoldsGpus(const model::ResourceClaim& claim) {
  return claim.allocation && std::any_of(claim.allocation->results.begin(), claim.allocation->results.end(),
                                         [](const model::DeviceResult& result) { return result.driver == kGpuDriver; });
}

// Requests that are alike become one with their sum, at the place of the first.
void AddRequests(const model::ResourceClaim& claim, WaitingPod& waiting) {
  std::vector<std::pair<DeviceAsk, size_t>> singles;  // as one request has it, and where its sum is in `asks`
  for (const model::Request& request : claim.requests) {
    if (!request.exactly) {
      Ask ask;
      for (const model::DeviceRequest& one : request.first_available) ask.alternatives.push_back(AskOf(one));
      if (!ask.alternatives.empty()) waiting.asks.push_back(std::move(ask));
      continue;
    }
    const DeviceAsk single = AskOf(*request.exactly);
    const auto same = std::find_if(singles.begin(), singles.end(), [&](const auto& other) { return AreAlike(single, other.first); });
    if (same != singles.end()) {
      waiting.asks[same->second].alternatives[0].count += single.count;
      continue;
    }
    singles.emplace_back(single, waiting.asks.size());
    waiting.asks.push_back({Ask::Source::kRequest, {single}});
  }
  waiting.for_gpus = waiting.for_gpus || AsksForGpus(claim) || HoldsGpus(claim);
}

// The claim of this name; nullptr: there is none, or it cannot be seen or read.
sched::ClaimPtr FindClaim(const Listing& claims, std::string_view namespace_name, std::string_view name) {
  for (const kube::ObjectPtr& claim : claims.objects) {
    if (claim->namespace_name() != namespace_name || claim->name() != name) continue;
    const Result<sched::ClaimPtr> read = sched::Claim::Read(claim);
    return read.ok() ? *read : nullptr;
  }
  return nullptr;
}

// The name of the claim behind the Pod's entry; empty: it is not made yet.
std::string_view ClaimNameOf(const json::Value& pod, const json::Value& entry) {
  if (entry["resourceClaimName"].IsString()) return Text(entry["resourceClaimName"]);
  for (const json::Value& status : ItemsOf(pod["status"]["resourceClaimStatuses"])) {
    if (Text(status["name"]) == Text(entry["name"])) return Text(status["resourceClaimName"]);
  }
  return "";
}

// What the Pod's claim asks for, or the template that it is to be made from.
void AddClaim(const Object& pod, const json::Value& entry, const Listing& claims, const GetTemplate& get_template, WaitingPod& waiting) {
  const std::string_view name = ClaimNameOf(pod.json(), entry);
  if (const sched::ClaimPtr claim = FindClaim(claims, pod.namespace_name(), name)) return AddRequests(claim->claim, waiting);
  if (!entry["resourceClaimTemplateName"].IsString()) {
    waiting.asks.push_back({Ask::Source::kClaim, {}, std::string(name), !claims.ok()});
    return;
  }
  const std::string_view from = Text(entry["resourceClaimTemplateName"]);
  const Result<kube::ObjectPtr> found = get_template(pod.namespace_name(), from);
  if (found.ok()) {
    const Result<model::ResourceClaimTemplate> read = model::ResourceClaimTemplate::Read((*found)->json());
    if (read.ok()) return AddRequests(read->spec, waiting);
  }
  waiting.asks.push_back({Ask::Source::kTemplate, {}, std::string(from), !IsMissing(found.status())});
}

// What the Pod asks for as amounts of resources that a class stands for, or that a claim was made for: nvidia.com/gpu: 1.
void AddResources(const json::Value& pod, const Listing& classes, WaitingPod& waiting) {
  const Result<model::Placement> placement = model::Placement::Read(pod);
  if (!placement.ok()) return;
  model::Amounts asked = placement->requests;
  model::AddAmounts(asked, placement->claimed);
  for (const auto& [resource, amount] : asked) {
    if (amount <= 0 || resource.find('/') == resource.npos) continue;
    const bool names_class = resource.starts_with(kClassResource);
    std::string by(names_class ? resource.substr(kClassResource.size()) : "");
    for (const kube::ObjectPtr& one : classes.objects) {
      if (by.empty() && Text(one->json()["spec"]["extendedResourceName"]) == resource) by = one->name();
    }
    if (by.empty() && model::AmountOf(placement->claimed, resource) <= 0) continue;
    waiting.for_gpus = waiting.for_gpus || IsGpuClass(by);
    waiting.asks.push_back({Ask::Source::kResource, {{by, amount}}, names_class ? "" : std::string(resource)});
  }
}

void SetSchedulersCause(const Object& pod, WaitingPod& waiting) {
  const json::Value& json = pod.json();
  for (const json::Value& condition : ItemsOf(json["status"]["conditions"])) {
    if (Text(condition["type"]) != "PodScheduled" || Text(condition["status"]) == "True") continue;
    waiting.cause = WaitingPod::Cause::kRefused;
    waiting.reason = Text(condition["reason"]);
    waiting.message = Text(condition["message"]);
    return;
  }
  const auto entries = ItemsOf(json["spec"]["resourceClaims"]);
  const bool lacks_claim =
      std::any_of(entries.begin(), entries.end(), [&](const json::Value& entry) { return ClaimNameOf(json, entry).empty(); });
  waiting.cause = lacks_claim ? WaitingPod::Cause::kNoClaim : WaitingPod::Cause::kNotLookedAt;
}

bool HasCondition(const json::Value& pod, std::string_view type) {
  const auto conditions = ItemsOf(pod["status"]["conditions"]);
  return std::any_of(conditions.begin(), conditions.end(),
                     [&](const json::Value& condition) { return Text(condition["type"]) == type && Text(condition["status"]) == "True"; });
}

// Why the Pod does not run on its node; false: it is just being started.
bool SetNodesCause(const Object& pod, const Listing& events, WaitingPod& waiting) {
  for (const std::string_view list : {"initContainerStatuses", "containerStatuses"}) {
    for (const json::Value& status : ItemsOf(pod.json()["status"][list])) {
      const json::Value& state = status["state"]["waiting"];
      if (Text(state["message"]).find("CDI") == std::string_view::npos) continue;
      waiting.cause = WaitingPod::Cause::kNoCdiDevice;
      waiting.reason = Text(state["reason"]);
      waiting.message = Text(state["message"]);
      return true;
    }
  }
  // The Pod's sandbox is made after its devices are prepared (Kubernetes 1.29), so the events are older.
  if (HasCondition(pod.json(), "PodReadyToStartContainers")) return false;
  const json::Value* newest = nullptr;
  for (const kube::ObjectPtr& event : events.objects) {
    const json::Value& json = event->json();
    if (Text(json["involvedObject"]["uid"]) != pod.uid()) continue;
    if (newest == nullptr || TimeOf(*newest) <= TimeOf(json)) newest = &json;
  }
  if (newest == nullptr) return false;
  waiting.cause = WaitingPod::Cause::kNotPrepared;
  waiting.reason = Text((*newest)["reason"]);
  waiting.message = Text((*newest)["message"]);
  return true;
}

// nullopt: the Pod waits for no devices.
std::optional<WaitingPod> WaitingPodOf(const Object& pod, const WaitingLists& lists, const GetTemplate& get_template) {
  const json::Value& json = pod.json();
  WaitingPod waiting;
  waiting.namespace_name = pod.namespace_name();
  waiting.name = pod.name();
  waiting.node = Text(json["spec"]["nodeName"]);
  waiting.since = Text(json["metadata"]["creationTimestamp"]);
  waiting.scheduler = Text(json["spec"]["schedulerName"]).empty() ? "default-scheduler" : Text(json["spec"]["schedulerName"]);
  if (!HasNode(pod)) {
    SetSchedulersCause(pod, waiting);
  } else if (!SetNodesCause(pod, lists.events, waiting)) {
    return std::nullopt;
  }
  for (const json::Value& entry : ItemsOf(json["spec"]["resourceClaims"])) AddClaim(pod, entry, lists.claims, get_template, waiting);
  AddResources(json, lists.classes, waiting);
  if (waiting.asks.empty()) return std::nullopt;
  // The claim that was made for the amounts, by whatever class.
  const std::string_view extended = Text(json["status"]["extendedResourceClaimStatus"]["resourceClaimName"]);
  const sched::ClaimPtr claim = extended.empty() ? nullptr : FindClaim(lists.claims, pod.namespace_name(), extended);
  if (claim != nullptr && (HoldsGpus(claim->claim) || AsksForGpus(claim->claim))) waiting.for_gpus = true;
  if (!lists.claims.ok() && waiting.message.find(kGpuDriver) != std::string::npos) waiting.for_gpus = true;
  return waiting;
}

}  // namespace

std::string WaitingPod::MissingTemplate() const {
  for (const Ask& ask : asks) {
    if (ask.source == Ask::Source::kTemplate && !ask.exists) return ask.name;
  }
  return "";
}

Listing PendingPods(kube::Client& client) {
  kube::ListOptions options;
  options.field_selector = "status.phase=Pending";
  return ListAll(client, kube::types::kPods, "", options);
}

Listing FailedPreparations(kube::Client& client, const Listing& pending_pods) {
  const auto& pods = pending_pods.objects;
  if (std::none_of(pods.begin(), pods.end(), [](const kube::ObjectPtr& pod) { return HasNode(*pod); })) return {};
  kube::ListOptions options;
  options.field_selector = StrCat("reason=", kFailedPreparation);
  return ListAll(client, kube::types::kEvents, "", options);
}

std::vector<WaitingPod> WaitingPods(const WaitingLists& lists, const GetTemplate& get_template) {
  std::vector<kube::ObjectPtr> pods = InQueueOrder(lists.pods.objects);
  std::stable_partition(pods.begin(), pods.end(), [](const kube::ObjectPtr& pod) { return HasNode(*pod); });
  std::vector<WaitingPod> all;
  size_t place = 0;
  for (const kube::ObjectPtr& pod : pods) {
    const bool is_in_queue = !HasNode(*pod) && IsInQueue(*pod);
    if (is_in_queue) ++place;
    std::optional<WaitingPod> waiting = WaitingPodOf(*pod, lists, get_template);
    if (!waiting) continue;
    waiting->place = is_in_queue ? place : 0;
    all.push_back(*std::move(waiting));
  }
  return all;
}

}  // namespace allot::view

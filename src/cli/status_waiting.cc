#include "cli/status_waiting.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "base/strings.h"
#include "cli/description.h"
#include "cli/status_devices.h"

namespace allot::cli {
namespace {

constexpr std::string_view kFailedPreparation = "FailedPrepareDynamicResources";
constexpr std::string_view kClassResource = "deviceclass.resource.kubernetes.io/";  // every class has one (Kubernetes 1.34)

bool IsGpuClass(std::string_view name) { return name == kGpuDriver || name == "mig.nvidia.com"; }

bool IsPlaced(const kube::Object& pod) { return !Text(pod.json()["spec"]["nodeName"]).empty(); }

// "2 x gpu.nvidia.com, 6144 MiB each"
std::string AskText(const json::Value& ask) {
  const bool all = Text(ask["allocationMode"]) == "All";
  const std::string count = all ? "all" : ask["count"].IsNull() ? "1" : OneLine(ask["count"]);
  std::string text = StrCat(count, all ? " of " : " x ", Text(ask["deviceClassName"]));
  if (const std::optional<int64_t> mib = MemoryMib(ask["capacity"]["requests"])) {
    text += StrCat(", ", *mib, " MiB", count == "1" ? "" : " each");
  }
  return text;
}

void AddAsks(const json::Value& claim_spec, WaitingPod& waiting) {
  for (const json::Value& request : ItemsOf(claim_spec["devices"]["requests"])) {
    if (request["exactly"].IsObject()) waiting.asks.push_back(AskText(request["exactly"]));
    if (IsGpuClass(Text(request["exactly"]["deviceClassName"]))) waiting.for_gpus = true;
    std::string alternatives;
    for (const json::Value& ask : ItemsOf(request["firstAvailable"])) {
      alternatives += StrCat(alternatives.empty() ? "" : ", or ", AskText(ask));
      if (IsGpuClass(Text(ask["deviceClassName"]))) waiting.for_gpus = true;
    }
    if (!alternatives.empty()) waiting.asks.push_back(std::move(alternatives));
  }
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
  waiting.asks.push_back(StrCat("claim template ", from, IsMissing(found.status()) ? ", which does not exist" : ", which cannot be seen"));
}

// What containers ask for by an extended resource that a class stands for: nvidia.com/gpu: 1.
void AddExtendedAsks(const json::Value& spec, const Listing& classes, WaitingPod& waiting) {
  std::map<std::string, model::Quantity> asked;
  for (const std::string_view list : {"initContainers", "containers"}) {
    for (const json::Value& container : ItemsOf(spec[list])) {
      for (const json::Member& amount : MembersOf(container["resources"]["limits"])) {
        const Result<model::Quantity> quantity = model::Quantity::Parse(OneLine(amount.value));
        if (quantity.ok() && !quantity->IsZero()) asked[std::string(amount.key)].Add(*quantity);
      }
    }
  }
  for (const auto& [resource, amount] : asked) {
    if (resource.starts_with(kClassResource)) {
      waiting.asks.push_back(StrCat(amount.Canonical(), " x ", resource.substr(kClassResource.size())));
      if (IsGpuClass(resource.substr(kClassResource.size()))) waiting.for_gpus = true;
      continue;
    }
    for (const kube::ObjectPtr& device_class : classes.objects) {
      if (Text(device_class->json()["spec"]["extendedResourceName"]) != resource) continue;
      waiting.asks.push_back(StrCat(amount.Canonical(), " x ", device_class->name(), " (", resource, ")"));
      if (IsGpuClass(device_class->name())) waiting.for_gpus = true;
      break;
    }
  }
}

// Whether a claim of the Pod is not made yet; the scheduler does not look at it before.
bool LacksClaim(const json::Value& pod) {
  const auto entries = ItemsOf(pod["spec"]["resourceClaims"]);
  return std::any_of(entries.begin(), entries.end(), [&](const json::Value& entry) { return ClaimNameOf(pod, entry).empty(); });
}

void SetSchedulersWords(const json::Value& pod, WaitingPod& waiting) {
  for (const json::Value& condition : ItemsOf(pod["status"]["conditions"])) {
    if (Text(condition["type"]) != "PodScheduled" || Text(condition["status"]) == "True") continue;
    waiting.reason = Text(condition["reason"]);
    waiting.message = Text(condition["message"]);
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
  for (const kube::ObjectPtr& pod : facts.pods.objects) {
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
    AddExtendedAsks(json["spec"], facts.classes, waiting);
    // What the scheduler allocated for extended resources, by whatever class.
    const std::string_view extended = Text(json["status"]["extendedResourceClaimStatus"]["resourceClaimName"]);
    const kube::Object* const claim = extended.empty() ? nullptr : FindClaim(facts.claims, pod->namespace_name(), extended);
    if (claim != nullptr && HoldsGpus(claim->json())) waiting.for_gpus = true;
    if (!facts.claims.ok() && waiting.message.find(kGpuDriver) != std::string::npos) waiting.for_gpus = true;
    if (!waiting.asks.empty()) all.push_back(std::move(waiting));
  }
  std::sort(all.begin(), all.end(), [](const WaitingPod& a, const WaitingPod& b) {
    return std::tie(a.namespace_name, a.name) < std::tie(b.namespace_name, b.name);
  });
  return all;
}

bool SpeaksOfCdi(std::string_view text) { return text.find("CDI") != text.npos; }

}  // namespace allot::cli

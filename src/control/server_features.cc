#include "control/server_features.h"

#include "json/editor.h"

namespace allot::control {
namespace {

namespace types = kube::types;

constexpr std::string_view kNamespace = "default";  // which every cluster has

// An alternative needs firstAvailable to be valid, so the second claim shows a server without it.
constexpr std::string_view kAlternatives =
    R"({"name":"alternatives","firstAvailable":[{"name":"one","deviceClassName":"features.allot"}]},)";

std::string QuestionClaim(bool with_alternatives) {
  return StrCat(R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"generateName":"allot-features-"},"spec":{)",
                R"("devices":{"requests":[)", with_alternatives ? kAlternatives : "",
                R"({"name":"one","exactly":{"deviceClassName":"features.allot","capacity":{"requests":{"memory":"1Mi"}},)",
                R"("tolerations":[{"key":"features.allot/question","operator":"Exists"}]}}]}}})");
}

constexpr std::string_view kQuestionSlice =
    R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":{"generateName":"allot-features-"},"spec":{
    "driver":"features.allot","allNodes":true,"pool":{"name":"features","generation":1,"resourceSliceCount":1},"devices":[{
    "name":"question","allowMultipleAllocations":true,"capacity":{"memory":{"value":"1Mi"}},
    "taints":[{"key":"features.allot/question","effect":"NoSchedule"}],
    "bindingConditions":["features.allot/ready"],"bindingFailureConditions":["features.allot/failed"],
    "consumesCounters":[{"counterSet":"question","counters":{"memory":{"value":"1Mi"}}}]}]}})";

Result<kube::ObjectPtr> DryRun(kube::Client& client, const kube::ResourceType& type, std::string_view object, const Patience& patience) {
  kube::WriteOptions options;
  options.dry_run = true;
  options.field_validation = "Ignore";  // a server that does not know a field has the feature off
  return client.Create(type, type.namespaced ? kNamespace : std::string_view(), object, options, patience);
}

Status AskWithClaim(kube::Client& client, const Patience& patience, alloc::Features& features) {
  bool alternatives = true;
  Result<kube::ObjectPtr> answer = DryRun(client, types::kResourceClaims, QuestionClaim(true), patience);
  if (answer.status().code() == Code::kInvalid) {
    alternatives = false;
    answer = DryRun(client, types::kResourceClaims, QuestionClaim(false), patience);
  }
  TRY(answer.status());
  const auto requests = json::ItemsOf((*answer)->json()["spec"]["devices"]["requests"]);
  if (requests.empty()) return Status();
  const json::Value& exactly = requests.back()["exactly"];
  features.prioritized_list = alternatives && !json::ItemsOf(requests.front()["firstAvailable"]).empty();
  features.consumable_capacity = !exactly["capacity"].IsNull();
  features.device_taints = !json::ItemsOf(exactly["tolerations"]).empty();
  return Status();
}

Status AskWithSlice(kube::Client& client, const Patience& patience, alloc::Features& features) {
  ASSIGN_OR_RETURN(const kube::ObjectPtr answer, DryRun(client, types::kResourceSlices, kQuestionSlice, patience));
  const auto devices = json::ItemsOf(answer->json()["spec"]["devices"]);
  if (devices.empty()) return Status();
  features.consumable_capacity = features.consumable_capacity && !devices[0]["allowMultipleAllocations"].IsNull();
  features.device_taints = features.device_taints && !json::ItemsOf(devices[0]["taints"]).empty();
  features.binding_conditions = !json::ItemsOf(devices[0]["bindingConditions"]).empty();
  features.partitionable_devices = !json::ItemsOf(devices[0]["consumesCounters"]).empty();
  return Status();
}

}  // namespace

Result<alloc::Features> AskFeatures(kube::Client& client, const Patience& patience) {
  alloc::Features features = alloc::Features::Defaults();
  // A refusal leaves the defaults.
  for (const auto ask : {AskWithClaim, AskWithSlice}) {
    const Status status = ask(client, patience, features);
    if (status.code() == Code::kUnavailable) return Status(status).Context("ask for the features of the API server");
  }
  return features;
}

}  // namespace allot::control

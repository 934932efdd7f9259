#include "control/extended_claim.h"

#include <algorithm>

#include "json/editor.h"
#include "json/json.h"
#include "kube/error.h"

namespace allot::control {
namespace {

namespace types = kube::types;

bool IsOwnedBy(const kube::Object& claim, std::string_view uid) {
  const auto owners = json::ItemsOf(claim.json()["metadata"]["ownerReferences"]);
  return std::any_of(owners.begin(), owners.end(), [&](const json::Value& one) { return json::TextOf(one["uid"]) == uid; });
}

// Whether the claim was made with the same classes.
bool AsksForTheSame(const kube::Object& claim, const dialect::ExtendedClaim& made) {
  const Result<json::Document> wanted = json::Parse(made.claim);
  constexpr auto requests = [](const json::Value& object) -> const json::Value& { return object["spec"]["devices"]["requests"]; };
  return wanted.ok() && json::Equal(requests(claim.json()), requests(wanted->root()));
}

// A claim of this name exists. Keeps it, or replaces it if it was made for other classes.
Status Renew(kube::Client& client, const kube::Object& pod, const dialect::ExtendedClaim& made, const Patience& patience) {
  ASSIGN_OR_RETURN(const kube::ObjectPtr there, client.Get(types::kResourceClaims, pod.namespace_name(), made.name, patience));
  if (!IsOwnedBy(*there, pod.uid())) return Conflict("claim ", made.name, " exists and does not belong to this Pod; delete it");
  if (AsksForTheSame(*there, made)) return Status();
  if (!there->json()["status"]["allocation"].IsNull()) return Conflict("claim ", made.name, " is allocated for other classes");
  // The preconditions spare a claim that is allocated in between.
  const kube::DeleteOptions as_it_is{.uid = std::string(there->uid()), .resource_version = std::string(there->resource_version())};
  TRY(client.Delete(types::kResourceClaims, pod.namespace_name(), made.name, as_it_is, patience).status());
  return client.Create(types::kResourceClaims, pod.namespace_name(), made.claim, {}, patience).status();
}

}  // namespace

Status MakeExtendedClaim(kube::Client& client, const kube::Object& pod, const dialect::ExtendedClaim& made, const Patience& patience) {
  const Status created = client.Create(types::kResourceClaims, pod.namespace_name(), made.claim, {}, patience).status();
  TRY(kube::HasReason(created, "AlreadyExists") ? Renew(client, pod, made, patience) : created);
  const std::string patch =
      StrCat(R"({"metadata":{"uid":")", pod.uid(), R"("},"status":{"extendedResourceClaimStatus":)", made.pod_status, "}}");
  ASSIGN_OR_RETURN(const kube::ObjectPtr told,
                   client.Patch(types::kPods, pod.namespace_name(), pod.name(), kube::PatchType::kMerge, patch, "status", {}, patience));
  if (told->json()["status"]["extendedResourceClaimStatus"].IsNull()) {
    return Conflict(
        "the API server does not keep the claim's name in the Pod: its feature gate DRAExtendedResource is off; ask for the "
        "devices with a ResourceClaim");
  }
  return Status();
}

}  // namespace allot::control

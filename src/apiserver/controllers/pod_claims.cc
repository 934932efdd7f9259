#include "apiserver/controllers/pod_claims.h"

#include <algorithm>

#include "apiserver/controllers/pods.h"

namespace allot::apiserver {

namespace {

constexpr std::string_view kClaims = "resourceclaims.resource.k8s.io", kTemplates = "resourceclaimtemplates.resource.k8s.io";
constexpr std::string_view kPodClaimName = "resource.kubernetes.io/pod-claim-name";
constexpr size_t kMostReservations = 256;  // per claim, enforced by validation

// Returns the status of an entry of spec.resourceClaims, or nullptr.
const json::Value* StatusOf(const json::Value& pod, std::string_view wanted) {
  for (const json::Value& one : json::ItemsOf(pod["status"]["resourceClaimStatuses"])) {
    if (json::TextOf(one["name"]) == wanted) return &one;
  }
  return nullptr;
}

// Returns "<pod>-<claim>-". Shortens both in proportion to their lengths if there is no room for the random part of the name.
std::string NamePrefix(std::string_view pod, std::string_view wanted) {
  constexpr size_t kLongest = 57;
  std::string prefix = StrCat(pod, "-", wanted, "-");
  if (prefix.size() <= kLongest) return prefix;
  return StrCat(pod.substr(0, pod.size() * kLongest / prefix.size()), "-", wanted.substr(0, wanted.size() * kLongest / prefix.size()));
}

bool IsReservedFor(const json::Value& claim, std::string_view uid) {
  const auto reserved = json::ItemsOf(claim["status"]["reservedFor"]);
  return std::any_of(reserved.begin(), reserved.end(), [&](const json::Value& one) { return json::TextOf(one["uid"]) == uid; });
}

}  // namespace

void PodClaims::Notice(const Sight& sight) {
  const Key& key = sight.key();
  if (sight.Is("pods")) {
    // The Pod needs a claim of its own, or a claim must be reserved for a bound Pod.
    const bool bound = sight.Mentions("\"nodeName\"") && sight.Mentions("\"resourceClaims\"");
    if (!sight.deleted() && (bound || sight.Mentions("\"resourceClaimTemplateName\""))) Add(key);
  } else if (sight.Is(kTemplates) && sight.created()) {
    const std::string text = StrCat("\"resourceClaimTemplateName\":\"", key.name, "\"");
    for (const EntryPtr& pod : store().List("pods", key.space).entries) {
      if (pod->json.find(text) != std::string::npos) Add(pod->key);
    }
  } else if (sight.Is(kClaims) && sight.deleted()) {
    const json::Value* owner = ControllerOf(sight.json());
    if (owner != nullptr && json::TextOf((*owner)["kind"]) == "Pod") Add({"pods", key.space, std::string(json::TextOf((*owner)["name"]))});
  } else if (sight.Is(kClaims) && sight.Mentions("\"allocation\"")) {
    // A Pod may have been bound before its claim was allocated.
    const json::Value* owner = ControllerOf(sight.json());
    if (owner != nullptr && !IsReservedFor(sight.json(), json::TextOf((*owner)["uid"])) && json::TextOf((*owner)["kind"]) == "Pod") {
      Add({"pods", key.space, std::string(json::TextOf((*owner)["name"]))});
    }
  }
}

Result<Again> PodClaims::Reconcile(const Key& key) {
  const std::optional<Stored> pod = Read(store(), key);
  if (!pod || IsDeleting(pod->json()) || HasEnded(pod->json())) return Again();
  // The index of owners must contain every claim made for this Pod.
  world().catch_up();
  std::vector<std::pair<std::string, std::string>> names;  // entry name and claim name
  for (const json::Value& wanted : json::ItemsOf(pod->spec()["resourceClaims"])) {
    if (json::TextOf(wanted["resourceClaimTemplateName"]).empty()) continue;
    ASSIGN_OR_RETURN(std::string claim, ClaimFor(*pod, wanted));
    if (!claim.empty()) names.emplace_back(json::TextOf(wanted["name"]), std::move(claim));
  }
  if (!names.empty()) TRY(WriteNames(*pod, names));
  if (json::TextOf(pod->spec()["nodeName"]).empty()) return Again();
  for (const auto& [wanted, claim] : names) TRY(Reserve(*pod, claim));
  for (const json::Value& wanted : json::ItemsOf(pod->spec()["resourceClaims"])) {
    const std::string name(json::TextOf(wanted["resourceClaimName"]));
    if (!name.empty()) TRY(Reserve(*pod, name));
  }
  return Again();
}

Result<std::string> PodClaims::ClaimFor(const Stored& pod, const json::Value& wanted) {
  const std::string_view name = json::TextOf(wanted["name"]);
  if (const json::Value* known = StatusOf(pod.json(), name)) {
    const std::string claim_name(json::TextOf((*known)["resourceClaimName"]));
    if (claim_name.empty()) return claim_name;  // the status says that no claim is needed
    const std::optional<Stored> claim = Read(store(), {std::string(kClaims), pod.key().space, claim_name});
    if (claim && IsControlledBy(claim->json(), pod.uid())) return claim_name;
  }
  if (std::optional<std::string> claim = FindClaim(pod, name)) return *claim;
  const std::string template_name(json::TextOf(wanted["resourceClaimTemplateName"]));
  const std::optional<Stored> claim_template = Read(store(), {std::string(kTemplates), pod.key().space, template_name});
  if (!claim_template) return std::string();  // the controller notices the template when it is created
  return MakeClaim(pod, wanted, *claim_template);
}

std::optional<std::string> PodClaims::FindClaim(const Stored& pod, std::string_view wanted) const {
  for (const Key& key : world().owners.Of(pod.uid(), pod.key().space)) {
    if (key.resource != kClaims) continue;
    const std::optional<Stored> claim = Read(store(), key);
    if (!claim || !IsControlledBy(claim->json(), pod.uid()) || IsDeleting(claim->json())) continue;
    if (json::TextOf(claim->metadata()["annotations"][kPodClaimName]) == wanted) return key.name;
  }
  return std::nullopt;
}

Result<std::string> PodClaims::MakeClaim(const Stored& pod, const json::Value& wanted, const Stored& claim_template) {
  json::Arena arena;
  json::Editor edit(arena);
  const json::Value& made_of = claim_template.spec();
  const std::string_view name = json::TextOf(wanted["name"]);
  json::Value metadata = edit.Object({{"generateName", edit.String(NamePrefix(pod.key().name, name))}});
  if (!made_of["metadata"]["labels"].IsNull()) metadata = edit.Set(metadata, "labels", made_of["metadata"]["labels"]);
  metadata = edit.Set(metadata, "annotations", edit.Set(made_of["metadata"]["annotations"], kPodClaimName, edit.String(name)));
  // Do not block: a Pod deleted in the foreground would wait for a claim that waits for the Pod.
  metadata = edit.Set(metadata, "ownerReferences", edit.Array({edit.Without(ControllerReference(edit, pod.json()), "blockOwnerDeletion")}));
  const json::Value claim = edit.Object({{"metadata", metadata}, {"spec", made_of["spec"]}});
  ASSIGN_OR_RETURN(const Stored made, Create(kClaims, pod.key().space, claim));
  return made.key().name;
}

Status PodClaims::WriteNames(const Stored& pod, const std::vector<std::pair<std::string, std::string>>& names) {
  return Change(TargetOf(pod.key(), "status"), pod.uid(), [&](json::Editor& edit, const json::Value& stored) -> Result<json::Value> {
    json::Value statuses = stored["status"]["resourceClaimStatuses"];
    bool changed = false;
    for (const auto& [wanted, claim] : names) {
      const json::Value* known = StatusOf(stored, wanted);
      if (known != nullptr && json::TextOf((*known)["resourceClaimName"]) == claim) continue;
      changed = true;
      const json::Value made = edit.Object({{"name", edit.String(wanted)}, {"resourceClaimName", edit.String(claim)}});
      statuses = known == nullptr
                     ? edit.Append(statuses, made)
                     : edit.Map(statuses, [&](const json::Value& one) { return json::TextOf(one["name"]) == wanted ? made : one; });
    }
    return changed ? edit.SetAt(stored, {"status", "resourceClaimStatuses"}, statuses) : stored;
  });
}

// The scheduler reserves claims before it binds. A Pod bound without the scheduler has no reservation yet.
Status PodClaims::Reserve(const Stored& pod, const std::string& claim) {
  const Key key{std::string(kClaims), pod.key().space, claim};
  const std::optional<Stored> there = Read(store(), key);
  const auto needs = [&](const json::Value& object) {
    return !object["status"]["allocation"].IsNull() && !IsReservedFor(object, pod.uid()) &&
           json::ItemsOf(object["status"]["reservedFor"]).size() < kMostReservations;
  };
  if (!there || !needs(there->json())) return Status();
  return Change(TargetOf(key, "status"), there->uid(), [&](json::Editor& edit, const json::Value& stored) -> Result<json::Value> {
    if (!needs(stored)) return stored;
    const json::Value consumer =
        edit.Object({{"resource", edit.Literal("pods")}, {"name", edit.String(pod.key().name)}, {"uid", edit.String(pod.uid())}});
    return edit.SetAt(stored, {"status", "reservedFor"}, edit.Append(stored["status"]["reservedFor"], consumer));
  });
}

}  // namespace allot::apiserver

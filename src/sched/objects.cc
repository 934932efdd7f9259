#include "sched/objects.h"

#include <algorithm>
#include <charconv>

#include "json/json.h"

namespace allot::sched {
namespace {

std::string_view Text(const json::Value& value) { return value.IsString() ? value.AsString() : std::string_view(); }

std::optional<Volume> VolumeToPlace(const json::Value& spec) {
  if (!spec["volumes"].IsArray()) return std::nullopt;
  for (const json::Value& volume : spec["volumes"].Items()) {
    const json::Value& claim = volume["persistentVolumeClaim"];
    if (claim.IsNull() && volume["ephemeral"].IsNull()) continue;
    return Volume{std::string(Text(volume["name"])), std::string(Text(claim["claimName"]))};
  }
  return std::nullopt;
}

// Kubernetes promises numbers since 1.35, and etcd always gave them.
uint64_t VersionOf(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : 0;
}

}  // namespace

std::string KeyOf(std::string_view name_space, std::string_view name) { return StrCat(name_space, "/", name); }

Result<PodPtr> Pod::Read(json::DocumentPtr document) {
  const json::Value& object = document->root();
  auto read = std::make_shared<Pod>();
  ASSIGN_OR_RETURN(read->pod, model::Pod::Read(object));
  ASSIGN_OR_RETURN(read->placement, model::Placement::Read(object));
  read->key = KeyOf(read->pod.name_space, read->pod.name);
  read->created = Text(object["metadata"]["creationTimestamp"]);
  read->ended = read->pod.phase == "Succeeded" || read->pod.phase == "Failed";
  read->deleting = !object["metadata"]["deletionTimestamp"].IsNull();
  const json::Value& spec = object["spec"];
  read->volume = VolumeToPlace(spec);
  for (const std::string_view field : {"nodeSelector", "affinity", "tolerations"}) {
    read->shape += StrCat(json::Write(spec[field]), "\n");
  }
  for (const auto& [name, amount] : read->placement.requests) read->shape += StrCat(name, "=", amount, "\n");
  for (const model::HostPort& port : read->placement.ports) read->shape += StrCat(port.port, "/", port.protocol, "@", port.ip, "\n");
  read->document = std::move(document);
  return PodPtr(std::move(read));
}

Result<ClaimPtr> Claim::Read(json::DocumentPtr document) {
  const json::Value& object = document->root();
  auto read = std::make_shared<Claim>();
  ASSIGN_OR_RETURN(read->claim, model::ResourceClaim::Read(object));
  read->key = KeyOf(read->claim.name_space, read->claim.name);
  const json::Value& metadata = object["metadata"];
  read->deleting = !metadata["deletionTimestamp"].IsNull();
  read->version = VersionOf(Text(metadata["resourceVersion"]));
  read->created = Text(metadata["creationTimestamp"]);
  read->allocated = Text(object["status"]["allocation"]["allocationTimestamp"]);
  if (metadata["ownerReferences"].IsArray()) {
    for (const json::Value& owner : metadata["ownerReferences"].Items()) {
      if (Text(owner["kind"]) == "Pod" && json::IsTrue(owner["controller"])) read->owner = Text(owner["name"]);
    }
  }
  read->shape = json::Write(object["spec"]["devices"]);
  read->document = std::move(document);
  return ClaimPtr(std::move(read));
}

std::string PodWithClaims::Shape() const {
  std::string shape = pod->shape;
  for (const ClaimPtr& claim : claims) {
    // The devices of an allocated claim are decided: what it asks for no longer matters.
    shape += claim->claim.allocation ? StrCat("allocated ", claim->claim.uid, "\n") : StrCat(claim->shape, "\n");
  }
  return shape;
}

bool Has(const PodWithClaims& asking, const Claim& claim) {
  return std::any_of(asking.claims.begin(), asking.claims.end(), [&](const ClaimPtr& one) { return one->claim.uid == claim.claim.uid; });
}

}  // namespace allot::sched

#include "cli/explain_world.h"

#include <algorithm>

#include "base/check.h"
#include "base/strings.h"
#include "cli/description.h"
#include "cli/explain_parts.h"
#include "dialect/extended_resources.h"
#include "json/editor.h"
#include "json/json.h"

namespace allot::cli {
namespace {

constexpr std::string_view kOwnVersion = "+allot";  // how the embedded API's gitVersion ends

// All objects of the kind, or, where that is forbidden, those of the namespaces that are not.
Listing ListWhatIsAllowed(Session& session, const kube::ResourceType& type, const std::set<std::string>& namespaces, bool& partly) {
  Listing all = ListAll(session, type);
  partly = IsForbidden(all.status);
  if (!partly) return all;
  Listing some;
  for (const std::string& name_space : namespaces) {
    Listing own = ListAll(session, type, name_space);
    if (!own.ok()) return own;
    some.objects.insert(some.objects.end(), own.objects.begin(), own.objects.end());
  }
  return some;
}

// What is not allowed, or not served, becomes a note. What else goes wrong is an error.
Status Notice(const Listing& listing, std::string_view what, ExplainWorld& world) {
  if (listing.ok()) return Status();
  if (!IsForbidden(listing.status) && !IsMissing(listing.status)) return listing.status;
  world.notes.push_back(StrCat(IsForbidden(listing.status) ? "you may not list " : "the server has no ", what));
  return Status();
}

// Nodes as slices name them, which take any Pod: all that is known to somebody who may not list nodes.
Listing NodesOfSlices(const Listing& slices) {
  std::set<std::string> names;
  for (const kube::ObjectPtr& slice : slices.objects) {
    if (const std::string_view name = Text(slice->json()["spec"]["nodeName"]); !name.empty()) names.emplace(name);
  }
  Listing nodes;
  for (const std::string& name : names) {
    Result<json::Document> made =
        json::Parse(StrCat(R"({"metadata":{"name":)", Quoted(name, 400), R"(,"labels":{"kubernetes.io/hostname":)", Quoted(name, 400),
                           R"(}},"status":{"allocatable":{"cpu":"1000000","memory":"1Pi","ephemeral-storage":"1Pi","pods":"1000000"}}})"));
    if (made.ok()) nodes.objects.push_back(kube::CopyObject(made->root()));
  }
  return nodes;
}

std::string_view TimeOf(const json::Value& event) {
  for (const json::Value* time : {&event["series"]["lastObservedTime"], &event["lastTimestamp"], &event["eventTime"]}) {
    if (time->IsString()) return Text(*time);
  }
  return "";
}

template <typename Put>
void PutAll(const Listing& listing, std::string_view kind, ExplainWorld& world, Put put) {
  for (const kube::ObjectPtr& object : listing.objects) {
    const Status status = put(object->json(), object);
    if (!status.ok()) world.notes.push_back(StrCat(kind, " ", kube::KeyOf(*object), " is left out: ", status.message()));
  }
}

// Kube-scheduler makes the claim for amounts of a resource only when it has found a place for the Pod.
void PutClaimToBe(const sched::Request& request, const ExplainWorld& world, sched::Cluster& cluster) {
  const kube::Object* const object = world.FindPod(request.pod->key);
  if (object == nullptr) return;
  const dialect::ExtendedClaim made = dialect::ClaimForResources(object->json(), request.to_claim);
  if (cluster.FindClaim(sched::KeyOf(object->namespace_name(), made.name)) != nullptr) return;
  const Result<json::Document> claim = json::Parse(made.claim), told = json::Parse(made.pod_status);
  CHECK(claim.ok() && told.ok());
  json::Arena arena;
  json::Editor edit(arena);
  const kube::ObjectPtr to_be = kube::CopyObject(edit.SetAt(claim->root(), {"metadata", "uid"}, edit.String(made.name)));
  const kube::ObjectPtr user = kube::CopyObject(edit.SetAt(object->json(), {"status", "extendedResourceClaimStatus"}, told->root()));
  CHECK(cluster.PutClaim(to_be->json(), to_be).ok() && cluster.PutPod(user->json(), user).ok());
}

}  // namespace

const kube::Object* ExplainWorld::FindPod(std::string_view key) const {
  for (const kube::ObjectPtr& pod : pods.objects) {
    if (kube::KeyOf(*pod) == key) return pod.get();
  }
  return nullptr;
}

Result<ExplainWorld> GatherWorld(Session& session, const std::set<std::string>& namespaces) {
  ExplainWorld world;
  bool some_pods = false, some_claims = false;
  world.pods = ListWhatIsAllowed(session, kube::types::kPods, namespaces, some_pods);
  if (!world.pods.ok()) return world.pods.status;
  world.claims = ListWhatIsAllowed(session, kube::types::kResourceClaims, namespaces, some_claims);
  world.slices = ListAll(session, kube::types::kResourceSlices);
  world.classes = ListAll(session, kube::types::kDeviceClasses);
  world.nodes = ListAll(session, kube::types::kNodes);
  world.namespaces = ListAll(session, kube::types::kNamespaces);
  const std::string own = Join({namespaces.begin(), namespaces.end()}, ", ");
  if (some_pods) {
    world.notes.push_back(
        StrCat("you may list Pods of ", own,
               " only: claims say what others hold of the GPUs, but not what they take of CPU and memory, nor who of them "
               "waits"));
  }
  if (some_claims && world.claims.ok()) {
    world.notes.push_back(
        StrCat("you may list claims of ", own, " only: what others hold is not known, and less may be free than is said"));
  }
  TRY(Notice(world.claims, "claims: it is not known what is held", world));
  TRY(Notice(world.slices, "slices: the devices are not known", world));
  TRY(Notice(world.classes, "classes: it is not known what claims may have", world));
  TRY(Notice(world.nodes, "nodes: their labels, taints, CPU and memory are not looked at", world));
  if (!world.nodes.ok()) world.nodes = NodesOfSlices(world.slices);
  if (!world.namespaces.ok() && !IsForbidden(world.namespaces.status)) TRY(world.namespaces.status);
  const Result<http::Response> version = session.client().Raw({"GET", "/version", {}, ""}, "get the server's version");
  if (version.ok()) {
    const Result<json::Document> read = json::Parse(version->body);
    world.own_api = read.ok() && Text(read->root()["gitVersion"]).ends_with(kOwnVersion);
  }
  return world;
}

void GatherDetails(Session& session, std::string_view pod_key, ExplainWorld& world) {
  const kube::Object* const pod = world.FindPod(pod_key);
  if (pod == nullptr) return;
  for (const json::Value& entry : json::ItemsOf(pod->json()["spec"]["resourceClaims"])) {
    const std::string_view name = Text(entry["resourceClaimTemplateName"]);
    if (name.empty()) continue;
    Result<kube::ObjectPtr> found = session.client().Get(kube::types::kResourceClaimTemplates, pod->namespace_name(), name);
    if (found.ok()) world.templates[StrCat(pod->namespace_name(), "/", name)] = *std::move(found);
    // The name may be mistyped: the others say what is meant.
    if (IsMissing(found.status())) {
      for (const kube::ObjectPtr& other : ListAll(session, kube::types::kResourceClaimTemplates, pod->namespace_name()).objects) {
        world.templates[kube::KeyOf(*other)] = other;
      }
    }
    if (!found.ok() && !IsMissing(found.status())) {
      world.notes.push_back(StrCat("template ", pod->namespace_name(), "/", name, " cannot be seen: ", Reason(found.status())));
    }
  }
  kube::ListOptions options;
  options.field_selector = StrCat("involvedObject.name=", pod->name());
  Listing events = ListAll(session, kube::types::kEvents, pod->namespace_name(), options);
  std::erase_if(events.objects, [&](const kube::ObjectPtr& event) { return Text(event->json()["involvedObject"]["uid"]) != pod->uid(); });
  std::stable_sort(events.objects.begin(), events.objects.end(),
                   [](const auto& a, const auto& b) { return TimeOf(a->json()) < TimeOf(b->json()); });
  world.events[std::string(pod_key)] = std::move(events.objects);
}

sched::Cluster ClusterOf(ExplainWorld& world) {
  sched::Cluster cluster;
  PutAll(world.nodes, "node", world, [&](const auto& json, const auto& kept) { return cluster.PutNode(json, kept); });
  PutAll(world.slices, "slice", world, [&](const auto& json, const auto& kept) { return cluster.PutSlice(json, kept); });
  PutAll(world.classes, "class", world, [&](const auto& json, const auto& kept) { return cluster.PutClass(json, kept); });
  PutAll(world.namespaces, "namespace", world, [&](const auto& json, const auto& kept) { return cluster.PutNamespace(json, kept); });
  PutAll(world.claims, "claim", world,
         [&](const auto& json, const auto& kept) { return kept->uid().empty() ? Invalid("it has no uid") : cluster.PutClaim(json, kept); });
  PutAll(world.pods, "Pod", world, [&](const auto& json, const auto& kept) { return cluster.PutPod(json, kept); });
  for (const sched::PodPtr& pod : cluster.Unplaced()) {
    const sched::Request request = cluster.RequestOf(pod);
    if (!request.to_claim.empty() && !IsOurs(world, *pod)) PutClaimToBe(request, world, cluster);
  }
  return cluster;
}

}  // namespace allot::cli

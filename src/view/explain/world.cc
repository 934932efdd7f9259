#include "view/explain/world.h"

#include <algorithm>

#include "base/check.h"
#include "base/strings.h"
#include "control/server_features.h"
#include "dialect/extended_resources.h"
#include "json/editor.h"
#include "json/json.h"
#include "view/events.h"

namespace allot::view {
namespace {

using json::TextOf;

constexpr std::string_view kOwnVersion = "+allot";  // the end of the embedded API's gitVersion

// All objects of the kind, or those of `namespaces` where listing all is forbidden; `partly` tells which.
Listing ListWhatIsAllowed(kube::Client& client, const kube::ResourceType& type, const std::set<std::string>& namespaces, bool& partly) {
  Listing all = ListAll(client, type);
  partly = IsForbidden(all.status);
  if (!partly) return all;
  Listing some;
  for (const std::string& name_space : namespaces) {
    Listing own = ListAll(client, type, name_space);
    if (!own.ok()) return own;
    some.objects.insert(some.objects.end(), own.objects.begin(), own.objects.end());
  }
  return some;
}

// Nodes that slices name, with room for any Pod: all that is known where nodes may not be listed.
Listing NodesOfSlices(const Listing& slices) {
  std::set<std::string> names;
  for (const kube::ObjectPtr& slice : slices.objects) {
    if (const std::string_view name = TextOf(slice->json()["spec"]["nodeName"]); !name.empty()) names.emplace(name);
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

// Enters the claim that kube-scheduler would make for amounts of a resource.
void PutClaimToBe(const sched::PodWithClaims& request, const World& world, sched::Cluster& cluster) {
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
  CHECK(cluster.PutClaim(to_be).ok() && cluster.PutPod(user).ok());
}

}  // namespace

const kube::Object* World::FindPod(std::string_view key) const {
  for (const kube::ObjectPtr& pod : pods.objects) {
    if (kube::KeyOf(*pod) == key) return pod.get();
  }
  return nullptr;
}

bool World::IsOurs(const sched::Pod& pod) const { return own_api || pod.placement.scheduler == kOwnScheduler; }

std::set<std::string, std::less<>> World::OurSchedulers() const {
  return own_api ? std::set<std::string, std::less<>>{} : std::set<std::string, std::less<>>{std::string(kOwnScheduler)};
}

Result<World> GatherWorld(kube::Client& client, const std::set<std::string>& namespaces) {
  World world;
  bool some_pods = false, some_claims = false;
  world.pods = ListWhatIsAllowed(client, kube::types::kPods, namespaces, some_pods);
  if (!world.pods.ok()) return world.pods.status;
  world.claims = ListWhatIsAllowed(client, kube::types::kResourceClaims, namespaces, some_claims);
  world.slices = ListAll(client, kube::types::kResourceSlices);
  world.classes = ListAll(client, kube::types::kDeviceClasses);
  world.nodes = ListAll(client, kube::types::kNodes);
  world.namespaces = ListAll(client, kube::types::kNamespaces);
  const std::vector<std::string> own(namespaces.begin(), namespaces.end());
  if (some_pods) world.notes.push_back({.kind = Note::Kind::kSomePods, .namespaces = own});
  if (some_claims && world.claims.ok()) world.notes.push_back({.kind = Note::Kind::kSomeClaims, .namespaces = own});
  TRY(Notice(world.claims, Note::List::kClaims, world.notes));
  TRY(Notice(world.slices, Note::List::kSlices, world.notes));
  TRY(Notice(world.classes, Note::List::kClasses, world.notes));
  TRY(Notice(world.nodes, Note::List::kNodes, world.notes));
  if (!world.nodes.ok()) world.nodes = NodesOfSlices(world.slices);
  if (!world.namespaces.ok() && !IsForbidden(world.namespaces.status)) TRY(world.namespaces.status);
  const Result<http::Response> version = client.Raw({"GET", "/version", {}, ""}, "get the server's version");
  if (version.ok()) {
    const Result<json::Document> read = json::Parse(version->body);
    world.own_api = read.ok() && TextOf(read->root()["gitVersion"]).ends_with(kOwnVersion);
  }
  if (const Result<alloc::Features> features = control::AskFeatures(client, {}); features.ok()) world.features = *features;
  return world;
}

void GatherDetails(kube::Client& client, std::string_view pod_key, World& world) {
  const kube::Object* const pod = world.FindPod(pod_key);
  if (pod == nullptr) return;
  for (const json::Value& entry : json::ItemsOf(pod->json()["spec"]["resourceClaims"])) {
    const std::string_view name = TextOf(entry["resourceClaimTemplateName"]);
    if (name.empty()) continue;
    const std::string key = StrCat(pod->namespace_name(), "/", name);
    Result<kube::ObjectPtr> found = client.Get(kube::types::kResourceClaimTemplates, pod->namespace_name(), name);
    if (found.ok()) {
      world.templates[key] = *std::move(found);
    } else if (IsMissing(found.status())) {
      // The name may be mistyped: the others show which one is meant.
      for (const kube::ObjectPtr& other : ListAll(client, kube::types::kResourceClaimTemplates, pod->namespace_name()).objects) {
        world.templates[kube::KeyOf(*other)] = other;
      }
    } else {
      world.notes.push_back({.kind = Note::Kind::kTemplate, .name = key, .message = ServerMessage(found.status())});
    }
  }
  kube::ListOptions options;
  options.field_selector = StrCat("involvedObject.name=", pod->name());
  Listing events = ListAll(client, kube::types::kEvents, pod->namespace_name(), options);
  std::erase_if(events.objects, [&](const kube::ObjectPtr& event) { return TextOf(event->json()["involvedObject"]["uid"]) != pod->uid(); });
  std::stable_sort(events.objects.begin(), events.objects.end(),
                   [](const auto& a, const auto& b) { return TimeOf(a->json()) < TimeOf(b->json()); });
  world.events[std::string(pod_key)] = std::move(events.objects);
}

sched::Cluster ClusterOf(World& world) {
  std::vector<LeftOut> left_out;
  sched::Cluster cluster = ClusterOf(static_cast<const Lists&>(world), left_out);
  cluster.SetFeatures(world.features);
  Notice(std::move(left_out), world.notes);
  for (const sched::PodPtr& pod : cluster.Unplaced()) {
    const sched::PodWithClaims request = cluster.WithClaims(pod);
    if (!request.to_claim.empty() && !world.IsOurs(*pod)) PutClaimToBe(request, world, cluster);
  }
  return cluster;
}

}  // namespace allot::view

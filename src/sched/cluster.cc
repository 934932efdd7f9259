#include "sched/cluster.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace allot::sched {

Status Cluster::PutNode(json::DocumentPtr document) {
  ASSIGN_OR_RETURN(model::Node node, model::Node::Read(document->root()));
  NodeEntry& entry = nodes_[std::string(node.name)];
  nodes_came_ = nodes_came_ || entry.node == nullptr;
  dirty_.insert(std::string(node.name));
  if (entry.node != nullptr) CountPlugins(*entry.node, -1);
  CountPlugins(node, 1);
  entry.node = std::make_shared<const model::Node>(std::move(node));
  entry.document = std::move(document);
  entry.devices = nullptr;
  entry.made = nullptr;
  return Status();
}

void Cluster::RemoveNode(std::string_view name) {
  const auto at = nodes_.find(name);
  if (at == nodes_.end()) return;
  // Its Pods still exist: they count again when the node comes back.
  for (const auto& [key, pod] : at->second.pods) pods_[key].node.clear();
  CountPlugins(*at->second.node, -1);
  nodes_.erase(at);
  // The other nodes are made already: they go into the next snapshot as they are.
  auto without = std::make_shared<Snapshot>();
  for (const auto& [other, node] : nodes_) {
    if (node.made != nullptr) without->Insert(without->nodes.size(), node.made);
  }
  snapshot_ = std::move(without);
  stale_ = true;
}

// Lets the Pod count where it is.
void Cluster::Place(PodEntry& entry) {
  const PodPtr& pod = entry.pod;
  if (pod->pod.node_name.empty() && entry.assumed.empty() && !entry.aside && !pod->ended && !pod->deleting) {
    unplaced_[entry.arrival] = pod;
  } else {
    unplaced_.erase(entry.arrival);
  }
  std::string node(pod->ended ? std::string_view() : pod->pod.node_name.empty() ? std::string_view(entry.assumed) : pod->pod.node_name);
  if (!entry.node.empty() && entry.node != node) {
    if (const auto at = nodes_.find(entry.node); at != nodes_.end()) {
      at->second.pods.erase(pod->key);
      dirty_.insert(at->first);
    }
  }
  const auto at = nodes_.find(node);
  if (at == nodes_.end()) {
    entry.node.clear();
    return;
  }
  at->second.pods[pod->key] = pod;
  dirty_.insert(at->first);
  entry.node = std::move(node);
}

Status Cluster::PutPod(json::DocumentPtr document) {
  ASSIGN_OR_RETURN(PodPtr pod, Pod::Read(std::move(document)));
  PodEntry& entry = pods_[pod->key];
  if (entry.pod == nullptr || entry.pod->pod.uid != pod->pod.uid) {  // new, or another one of that name
    entry.assumed.clear();
    unplaced_.erase(entry.arrival);
    entry.aside = false;
    entry.arrival = ++arrivals_;
  }
  entry.pod = std::move(pod);
  if (entry.pod->ended || !entry.pod->pod.node_name.empty()) entry.assumed.clear();
  Place(entry);
  return Status();
}

void Cluster::RemovePod(std::string_view name_space, std::string_view name) {
  const auto at = pods_.find(KeyOf(name_space, name));
  if (at == pods_.end()) return;
  if (const auto node = nodes_.find(at->second.node); node != nodes_.end()) {
    node->second.pods.erase(at->first);
    dirty_.insert(node->first);
  }
  unplaced_.erase(at->second.arrival);
  pods_.erase(at);
}

// The nodes that see what the claim holds are to be made again.
void Cluster::Touch(const Claim& claim) {
  for (const PoolId& pool : PoolsOf(claim)) {
    if (pools_.IsShared(pool)) {
      for (const auto& [name, node] : nodes_) {
        if (node.pools.contains(pool)) dirty_.insert(name);
      }
      continue;
    }
    // Most pools are of one node, and have its name.
    if (const auto own = nodes_.find(pool.second); own != nodes_.end() && own->second.pools.contains(pool)) {
      dirty_.insert(own->first);
    }
    dirty_.merge(pools_.NodesOf(pool));
  }
}

// The nodes that may see the slice look at their devices again.
void Cluster::TouchSlice(const Slice& slice) {
  const auto again = [&](const std::string& name, NodeEntry& node) {
    node.devices = nullptr;
    dirty_.insert(name);
  };
  const PoolId pool = PoolOf(slice);
  for (auto& [name, node] : nodes_) {
    if (node.pools.contains(pool) || NodeNameOf(slice).empty() || NodeNameOf(slice) == name) again(name, node);
  }
}

Status Cluster::PutSlice(json::DocumentPtr document) {
  ASSIGN_OR_RETURN(model::ResourceSlice slice, model::ResourceSlice::Read(document->root()));
  const auto held = std::make_shared<const Slice>(Slice{std::move(document), std::move(slice)});
  if (const SlicePtr before = pools_.PutSlice(held)) TouchSlice(*before);
  TouchSlice(*held);
  return Status();
}

void Cluster::RemoveSlice(std::string_view name) {
  if (const SlicePtr before = pools_.RemoveSlice(name)) TouchSlice(*before);
}

Status Cluster::PutClass(json::DocumentPtr document) {
  ASSIGN_OR_RETURN(model::DeviceClass device_class, model::DeviceClass::Read(document->root()));
  const std::string name(device_class.name);
  device_classes_[name] = std::make_shared<const DeviceClass>(DeviceClass{std::move(document), std::move(device_class)});
  classes_ = nullptr;
  return Status();
}

void Cluster::RemoveClass(std::string_view name) {
  const auto at = device_classes_.find(name);
  if (at == device_classes_.end()) return;
  device_classes_.erase(at);
  classes_ = nullptr;
}

Status Cluster::PutNamespace(json::DocumentPtr document) {
  const model::Reader reader(document->root());
  const model::Reader metadata = reader["metadata"];
  const std::string name(metadata.Text("name"));
  model::Labels labels = model::ReadLabels(metadata, "labels");
  TRY(reader.status());
  spaces_[name] = {std::move(document), std::move(labels)};
  namespaces_ = nullptr;
  return Status();
}

void Cluster::RemoveNamespace(std::string_view name) {
  const auto at = spaces_.find(name);
  if (at == spaces_.end()) return;
  spaces_.erase(at);
  namespaces_ = nullptr;
}

bool Cluster::SetFeatures(const alloc::Features& features) {
  CHECK(!features.list_type_attributes);  // the selectors of every Decider are compiled without it (alloc::SelectorOptions)
  if (features == features_) return false;
  features_ = features;
  for (auto& [name, node] : nodes_) {
    node.devices = nullptr;
    dirty_.insert(name);
  }
  stale_ = true;
  return true;
}

PodPtr Cluster::FindPod(std::string_view key) const {
  const auto at = pods_.find(key);
  return at == pods_.end() ? nullptr : at->second.pod;
}

std::vector<ClaimPtr> Cluster::Claims() const {
  std::vector<ClaimPtr> claims;
  for (const auto& [key, entry] : claims_) claims.push_back(entry.assumed != nullptr ? entry.assumed : entry.claim);
  return claims;
}

std::vector<PodPtr> Cluster::Unplaced() const {
  std::vector<PodPtr> pods;
  for (const auto& [arrival, pod] : unplaced_) pods.push_back(pod);
  return pods;
}

bool Cluster::AddClaim(std::string_view name, bool own, PodWithClaims& asking) const {
  constexpr size_t kMaxUsers = 256;  // Kubernetes' limit of reservedFor
  const model::Pod& pod = asking.pod->pod;
  const ClaimPtr claim = FindClaim(KeyOf(pod.name_space, name));
  if (claim == nullptr) {
    asking.obstacle = {.kind = Obstacle::Kind::kClaimMissing, .claim = KeyOf(pod.name_space, name)};
    return false;
  }
  const auto& users = claim->claim.reserved_for;
  const bool reserved = std::find(users.begin(), users.end(), pod.name) != users.end();
  if (own && claim->owner != pod.name) {
    asking.obstacle = {.kind = Obstacle::Kind::kClaimOfOther, .claim = claim->key};
  } else if (claim->deleting) {
    asking.obstacle = {.kind = Obstacle::Kind::kClaimDeleting, .claim = claim->key};
  } else if (!reserved && users.size() >= kMaxUsers) {
    asking.obstacle = {.kind = Obstacle::Kind::kClaimFull, .claim = claim->key, .users = users.size()};
  }
  if (!asking.obstacle.empty()) return false;
  // A Pod may name a claim twice, by two names of its own.
  if (std::find(asking.claims.begin(), asking.claims.end(), claim) == asking.claims.end()) asking.claims.push_back(claim);
  return true;
}

void Cluster::CountPlugins(const model::Node& node, int by) {
  for (const auto& [resource, amount] : node.allocatable) {
    if (amount <= 0 || resource.find('/') == resource.npos) continue;
    const auto at = plugins_.emplace(resource, 0).first;
    at->second += by;
    if (at->second == 0) plugins_.erase(at);
  }
}

dialect::Facts Cluster::DialectFacts() const {
  dialect::Facts facts;
  for (const auto& [name, entry] : device_classes_) facts.classes.push_back(&entry->device_class);
  for (const auto& [resource, nodes] : plugins_) facts.plugin_resources.insert(resource);
  return facts;
}

dialect::ResourceClasses Cluster::UnclaimedResources(const Pod& pod) const {
  const std::string_view name = pod.pod.extended_claim;
  const ClaimPtr claim = name.empty() ? nullptr : FindClaim(KeyOf(pod.pod.name_space, name));
  dialect::MadeClaim made;
  if (claim != nullptr) made = {&claim->claim, claim->owner, claim->deleting};
  return dialect::UnclaimedResources(pod.pod, pod.placement.claimed, made, [this] { return DialectFacts(); });
}

PodWithClaims Cluster::WithClaims(const PodPtr& pod) const {
  PodWithClaims asking{pod, {}};
  const model::Pod& spec = pod->pod;
  for (const model::PodClaim& use : spec.claims) {
    std::string_view name = use.claim_name.value_or(std::string_view());
    if (!use.claim_name) {
      const auto made = std::find_if(spec.generated_claims.begin(), spec.generated_claims.end(),
                                     [&](const auto& entry) { return entry.first == use.name; });
      if (made == spec.generated_claims.end()) {
        asking.obstacle = {.kind = Obstacle::Kind::kClaimNotMade,
                           .entry = std::string(use.name),
                           .name_space = std::string(spec.name_space),
                           .source = std::string(use.template_name.value_or(""))};
        return asking;
      }
      if (made->second.empty()) continue;  // no claim is needed
      name = made->second;
    }
    if (!AddClaim(name, !use.claim_name, asking)) return asking;
  }
  asking.to_claim = UnclaimedResources(*pod);
  if (!asking.to_claim.empty()) {
    asking.obstacle = {.kind = Obstacle::Kind::kResourceNotMade, .resource = std::string(asking.to_claim.begin()->first)};
  } else if (!spec.extended_claim.empty()) {
    AddClaim(spec.extended_claim, true, asking);
  }
  return asking;
}

std::shared_ptr<const Devices> Cluster::Gather(NodeEntry& entry) {
  auto devices = std::make_shared<Devices>();
  devices->node = entry.node;
  entry.pools = pools_.SeenBy(entry.node->name);
  devices->slices = pools_.SlicesOf(entry.pools);
  std::vector<const model::ResourceSlice*> views;
  for (const SlicePtr& slice : devices->slices) views.push_back(&slice->slice);
  std::sort(views.begin(), views.end(), [](const auto* a, const auto* b) { return a->name < b->name; });
  Result<alloc::Inventory> inventory = alloc::Inventory::Gather(*devices->node, views, features_, alloc::Quirks());
  devices->status = inventory.status();
  if (inventory.ok()) devices->inventory = *std::move(inventory);
  return devices;
}

NodePtr Cluster::Make(NodeEntry& entry) {
  if (entry.devices == nullptr) {
    entry.devices = Gather(entry);
    hardware_ = 0;
  }
  auto node = std::make_shared<Node>();
  node->serial = Serial(++*serials_);
  node->document = entry.document;
  node->node = entry.node;
  node->devices = entry.devices;
  for (const auto& [key, pod] : entry.pods) node->pods.push_back(pod);
  node->claims = pools_.ClaimsOf(entry.pools);
  Count(*node);
  return node;
}

std::shared_ptr<const Snapshot> Cluster::Take() {
  const bool same = !stale_ && dirty_.empty() && classes_ != nullptr && namespaces_ != nullptr;
  if (same) return snapshot_;
  if (stale_ || classes_ == nullptr) hardware_ = 0;
  stale_ = false;
  if (std::exchange(nodes_came_, false)) {
    for (auto& [key, entry] : pods_) {
      if (entry.node.empty()) Place(entry);
    }
  }
  if (classes_ == nullptr) {
    auto classes = std::make_shared<Classes>();
    for (const auto& [name, held] : device_classes_) {
      classes->held.push_back(held);
      classes->classes.Add(held->device_class);
    }
    classes_ = std::move(classes);
  }
  if (namespaces_ == nullptr) {
    namespaces_ = std::make_shared<const std::map<std::string, Snapshot::Namespace, std::less<>>>(spaces_);
  }
  auto snapshot = snapshot_ != nullptr ? std::make_shared<Snapshot>(*snapshot_) : std::make_shared<Snapshot>();
  for (const std::string& name : dirty_) {
    const auto at = nodes_.find(name);
    if (at == nodes_.end()) continue;
    const NodePtr node = at->second.made = Make(at->second);
    const size_t index = snapshot->IndexOf(name);
    if (index < snapshot->nodes.size() && snapshot->nodes[index]->name() == name) {
      snapshot->Replace(index, node);
    } else {
      snapshot->Insert(index, node);
    }
  }
  dirty_.clear();
  if (hardware_ == 0) hardware_ = ++*serials_;
  snapshot->hardware = hardware_;
  snapshot->classes = classes_;
  snapshot->features = features_;
  snapshot->namespaces = namespaces_;
  snapshot_ = std::move(snapshot);
  return snapshot_;
}

}  // namespace allot::sched

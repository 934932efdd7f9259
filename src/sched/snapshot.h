#pragma once
// The cluster at one moment, as decisions see it. Immutable: read by any number of threads.
//
// Without and WithNode answer "what if": the changed snapshot shares everything that stayed the same.

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "alloc/allocator.h"
#include "alloc/inventory.h"
#include "alloc/ledger.h"
#include "sched/objects.h"

namespace allot::sched {

struct Slice {
  json::DocumentPtr document;
  model::ResourceSlice slice;
};

struct DeviceClass {
  json::DocumentPtr document;
  model::DeviceClass device_class;
};

// The devices of a node, and the slices that they come from.
struct Devices {
  std::shared_ptr<const model::Node> node;
  std::vector<std::shared_ptr<const Slice>> slices;
  Status status;  // not ok: why there is no inventory
  std::optional<alloc::Inventory> inventory;
};

// The number of one state of one node, unique among all nodes and copies of a Cluster. Results about a state are cached by it; 0: results
// are not cached. A copy of a Node has 0, since a copy is made to be changed.
struct Serial {
  uint64_t value = 0;

  Serial() = default;
  explicit Serial(uint64_t number) : value(number) {}
  Serial(const Serial&) {}
  Serial& operator=(const Serial& other) {
    value = this == &other ? value : 0;
    return *this;
  }
  Serial(Serial&&) = default;
  Serial& operator=(Serial&&) = default;
};

struct Node {
  Serial serial;
  json::DocumentPtr document;
  std::shared_ptr<const model::Node> node;
  std::shared_ptr<const Devices> devices;
  std::vector<ClaimPtr> claims;    // that hold devices of pools that the node sees, in no particular order
  alloc::Ledger ledger;            // of these claims
  std::vector<PodPtr> pods;        // on the node, by key
  model::Amounts used;             // the sum of the Pods' requests
  bool has_anti_affinity = false;  // some Pod has required anti-affinity

  std::string_view name() const { return node->name; }
};
using NodePtr = std::shared_ptr<const Node>;

struct Classes {
  std::vector<std::shared_ptr<const DeviceClass>> held;
  alloc::Classes classes;  // of `held`
};

class Snapshot {
 public:
  std::vector<NodePtr> nodes;                // by name
  std::vector<NodePtr> anti_affinity_nodes;  // nodes with Pods that have required anti-affinity
  std::shared_ptr<const Classes> classes;
  alloc::Features features = alloc::Features::Defaults();  // of the API server
  // Changes with the nodes, their devices, the classes and the features, not with the Pods that run there; 0: unknown.
  uint64_t hardware = 0;
  struct Namespace {
    json::DocumentPtr document;
    model::Labels labels;
  };
  // By name.
  std::shared_ptr<const std::map<std::string, Namespace, std::less<>>> namespaces;

  const Node* Find(std::string_view name) const;
  // The index of the node in `nodes`, or the index where it would be inserted.
  size_t IndexOf(std::string_view name) const;
  void Insert(size_t index, NodePtr node);
  // Replaces nodes[index] by another state of the same node.
  void Replace(size_t index, NodePtr node);

  // The snapshot as if these Pods ("namespace/name") had ended: frees their amounts, and the claims that only they use.
  Snapshot Without(const std::set<std::string, std::less<>>& pods) const;
  // The snapshot with one more node.
  Snapshot WithNode(NodePtr node) const;
};

// The node's device that the result names; nullptr: there is none.
const alloc::InventoryDevice* DeviceOf(const Node& node, const model::DeviceResult& result);
// The node without these Pods. The claims of `waiting` keep their allocations even if no other Pod uses them.
NodePtr NodeWithout(const Node& node, const std::set<std::string, std::less<>>& pods, const PodWithClaims* waiting = nullptr);
// The node with the Pod on it.
NodePtr NodeWith(const Node& node, const PodWithClaims& asking, std::span<const model::Allocation> allocations);
// The node with the claims of `future`, a later state of it, added: a Pod that fits here fits now and disturbs neither state.
NodePtr NodeBeside(const Node& node, const Node& future);
// Computes the sums over the node's Pods and claims.
void Count(Node& node);

}  // namespace allot::sched

#pragma once
// The cluster at one moment, as decisions see it. Immutable: read by any number of threads.
//
// A question "what if" is a snapshot with a change: Without and With share all that stayed the same.

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
  Kept kept;
  model::ResourceSlice slice;
};

// The devices of a node, and the slices that they are read from.
struct Devices {
  std::shared_ptr<const model::Node> node;
  std::vector<std::shared_ptr<const Slice>> slices;
  Status status;  // not ok: why there is no inventory
  std::optional<alloc::Inventory> inventory;
};

// The number of one state of one node among all states of all nodes of a Cluster and its copies; 0: it has none, so nothing that is found
// out about it can be remembered. A copy of a node is made to be changed: it has none.
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
  Kept kept;
  std::shared_ptr<const model::Node> node;
  std::shared_ptr<const Devices> devices;
  std::vector<ClaimPtr> claims;  // that hold something of the pools that the node sees, in no particular order
  alloc::Ledger ledger;          // of these claims
  std::vector<PodPtr> pods;      // that take something of it, by key
  model::Amounts used;           // the sum of what they ask for
  bool keeps_away = false;       // some of them have required anti-affinity

  std::string_view name() const { return node->name; }
};
using NodePtr = std::shared_ptr<const Node>;

struct Classes {
  std::vector<std::pair<Kept, std::shared_ptr<const model::DeviceClass>>> held;
  alloc::Classes classes;
};

class Snapshot {
 public:
  std::vector<NodePtr> nodes;    // by name
  std::vector<NodePtr> keepers;  // those with Pods that keep others away
  std::shared_ptr<const Classes> classes;
  // Changes with the nodes themselves, their devices and the classes, not with what runs there; 0: unknown.
  uint64_t hardware = 0;
  // The labels of namespaces, by name; the pairs are views of `kept`.
  struct Namespace {
    Kept kept;
    model::Labels labels;
  };
  std::shared_ptr<const std::map<std::string, Namespace, std::less<>>> namespaces;

  const Node* Find(std::string_view name) const;
  // Where the node is in `nodes`, or would be.
  size_t IndexOf(std::string_view name) const;
  void Insert(size_t index, NodePtr node);
  // Puts another state of nodes[index] in its place.
  void Replace(size_t index, NodePtr node);

  // As if these Pods ("namespace/name") had ended: what they take, and what is held for them alone, is free.
  Snapshot Without(const std::set<std::string, std::less<>>& pods) const;
  // As if `node` were there too.
  Snapshot WithNode(NodePtr node) const;
};

// The device of the node that the result is about; nullptr: there is none.
const alloc::InventoryDevice* DeviceOf(const Node& node, const model::DeviceResult& result);
// The node as it is without these Pods. `waiting`, whose Pod is none of them: what its claims have, stays though nobody else uses it.
NodePtr NodeWithout(const Node& node, const std::set<std::string, std::less<>>& pods, const Request* waiting = nullptr);
// The node with the Pod on it. `kept`: what the allocations view besides the node and the claims (the classes).
NodePtr NodeWith(const Node& node, const Request& request, std::span<const model::Allocation> allocations, const Kept& kept);
// The node with what `future`, a later state of it, holds besides: what fits there fits now, and disturbs nothing of either.
NodePtr NodeBeside(const Node& node, const Node& future);
// Sums up the Pods and the claims of a node that is being made.
void Count(Node& node);

}  // namespace allot::sched

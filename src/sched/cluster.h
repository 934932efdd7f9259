#pragma once
// The cluster as the scheduler follows it: takes objects one by one, and gives out snapshots that share everything unchanged.
//
// A decision counts from the moment that it is made (Assume), until the API shows it. What is assumed of a claim ends only with a newer
// version of that claim that has this allocation, with its deletion, or when the binder knows how the decision ended: Forget, Written.
// Older events, and events about the decisions of other schedulers, do not end it; nor does the end of the Pod, since a write for it may
// still be under way.
// Not thread-safe: the owner serialises access. Snapshots are immutable.

#include <atomic>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "dialect/extended_resources.h"
#include "sched/pools.h"
#include "sched/snapshot.h"

namespace allot::sched {

class Cluster {
 public:
  // The root of the document is the object. kInvalid: the object cannot be read; an earlier version of it stays.
  Status PutNode(json::DocumentPtr document);
  Status PutPod(json::DocumentPtr document);
  Status PutClaim(json::DocumentPtr document);  // ignored where a newer version is known
  void PutClaim(ClaimPtr claim);                // the same
  Status PutSlice(json::DocumentPtr document);
  Status PutClass(json::DocumentPtr document);
  Status PutNamespace(json::DocumentPtr document);

  // Do nothing where the object does not exist.
  void RemoveNode(std::string_view name);
  void RemovePod(std::string_view name_space, std::string_view name);
  void RemoveClaim(std::string_view name_space, std::string_view name);
  void RemoveSlice(std::string_view name);
  void RemoveClass(std::string_view name);
  void RemoveNamespace(std::string_view name);

  // The features that the API server has; before the first call, Features::Defaults(). Returns whether they changed.
  // REQUIRES: list_type_attributes is off, since deciders compile selectors with the default options.
  bool SetFeatures(const alloc::Features& features);

  // nullptr: the object does not exist. FindClaim returns the claim with its assumed allocation, if it has one.
  PodPtr FindPod(std::string_view key) const;
  ClaimPtr FindClaim(std::string_view key) const;
  // The claim as the API has it.
  ClaimPtr FindStored(std::string_view claim_key) const;
  // The Pod with its claims as they are now, or the obstacle.
  PodWithClaims WithClaims(const PodPtr& pod) const;
  // All claims, by key, with what is assumed of them.
  std::vector<ClaimPtr> Claims() const;
  // All slices, by name, including those of older generations of a pool.
  std::vector<SlicePtr> Slices() const { return pools_.Slices(); }
  // Pods that are on no node and are not being deleted, in the order of their first PutPod.
  std::vector<PodPtr> Unplaced() const;

  // From now on, the Pod is on the node with these allocations, one for each of its claims that had none.
  // The place is assumed until the API shows the Pod on a node, or gone; the allocations as said above.
  void Assume(const PodWithClaims& asking, std::string_view node, std::vector<model::Allocation> allocations);
  // The decision was refused, and no longer counts. The Pod may be gone.
  void Forget(const Pod& pod);
  // The Pod's claims were written, and PutClaim got their new versions. The Pod's node stays assumed.
  void Written(const Pod& pod);
  // Frees what was assumed for the Pod, and leaves it out of Unplaced until TakeBack, or until another Pod of its name
  // comes. Both do nothing where the Pod does not exist.
  void SetAside(std::string_view pod_key);
  void TakeBack(std::string_view pod_key);

  std::shared_ptr<const Snapshot> Take();

 private:
  struct NodeEntry {
    std::shared_ptr<const model::Node> node;
    json::DocumentPtr document;
    std::map<std::string, PodPtr, std::less<>> pods;
    std::shared_ptr<const Devices> devices;  // null: to be gathered
    PoolIds pools;                           // that its devices are in
    NodePtr made;                            // null: to be made
  };
  struct PodEntry {
    PodPtr pod;
    std::string node;     // where the Pod counts; empty: on no node
    std::string assumed;  // the assumed node; empty: none
    bool aside = false;
    uint64_t arrival = 0;
  };
  struct ClaimEntry {
    ClaimPtr claim;           // as the API has it
    ClaimPtr assumed;         // with the assumed allocation; null: none
    std::string assumed_for;  // the uid of the Pod
  };

  void Place(PodEntry& entry);
  void Touch(const Claim& claim);
  void TouchSlice(const Slice& slice);
  void Enter(const ClaimEntry& entry);
  void Leave(const ClaimEntry& entry);
  void Enter(const ClaimPtr& claim, bool assumed);
  void Leave(const Claim& claim, bool assumed);
  void SetEffective(ClaimEntry& entry, ClaimPtr claim, ClaimPtr assumed);
  void ForgetClaims(std::string_view pod_uid);
  // Adds the claim to the Pod's, or sets the obstacle and returns false. `own`: the claim was made for the Pod.
  bool AddClaim(std::string_view name, bool own, PodWithClaims& asking) const;
  dialect::Facts DialectFacts() const;  // without the sizes of GPUs; views the classes
  dialect::ResourceClasses UnclaimedResources(const Pod& pod) const;
  void CountPlugins(const model::Node& node, int by);
  NodePtr Make(NodeEntry& entry);
  std::shared_ptr<const Devices> Gather(NodeEntry& entry);

  std::shared_ptr<std::atomic<uint64_t>> serials_ = std::make_shared<std::atomic<uint64_t>>(0);  // shared by all copies
  alloc::Features features_ = alloc::Features::Defaults();
  uint64_t hardware_ = 0;  // Snapshot::hardware; 0: changed
  std::map<std::string, NodeEntry, std::less<>> nodes_;
  std::map<std::string, int, std::less<>> plugins_;  // resources that nodes have by device plugins, and how many nodes
  std::map<std::string, PodEntry, std::less<>> pods_;
  std::map<uint64_t, PodPtr> unplaced_;  // by arrival
  uint64_t arrivals_ = 0;
  bool nodes_came_ = false;  // a node was added since the last snapshot; its Pods may be known already
  std::map<std::string, ClaimEntry, std::less<>> claims_;
  std::map<std::string, std::vector<std::string>, std::less<>> assumptions_;  // keys of claims, by the uid of the Pod that they are for
  Pools pools_;
  std::map<std::string, std::shared_ptr<const DeviceClass>, std::less<>> device_classes_;
  std::map<std::string, Snapshot::Namespace, std::less<>> spaces_;

  std::shared_ptr<const Classes> classes_;                                                     // null: changed
  std::shared_ptr<const std::map<std::string, Snapshot::Namespace, std::less<>>> namespaces_;  // null: changed
  std::set<std::string> dirty_;                                                                // nodes
  std::shared_ptr<const Snapshot> snapshot_;                                                   // the last one; null: none
  bool stale_ = true;  // something else than the nodes in dirty_ has changed
};

}  // namespace allot::sched

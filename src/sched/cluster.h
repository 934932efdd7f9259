#pragma once
// The cluster as the scheduler follows it: objects come in one by one, snapshots come out, of which only what changed is new.
//
// What was decided is assumed until the API says so too: a decision counts from the moment that it is made. What is assumed of a claim ends
// only by a newer fact about that claim (it has this allocation, or is gone), or when whoever carries the decision out knows how that
// ended: Forget, Written. An event that is older, or is about somebody else's decision, does not end it; nor does the end of the Pod, for
// which a write may be under way still.
// Not thread-safe: the owner serialises access. Snapshots are immutable.

#include <atomic>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "sched/pools.h"
#include "sched/snapshot.h"

namespace allot::sched {

class Cluster {
 public:
  // The object with whatever keeps its text alive. kInvalid: it cannot be read, and what was there under its name stays.
  Status PutNode(const json::Value& object, Kept kept);
  Status PutPod(const json::Value& object, Kept kept);
  Status PutClaim(const json::Value& object, Kept kept);  // nothing happens where a newer version of it is known
  Status PutSlice(const json::Value& object, Kept kept);
  Status PutClass(const json::Value& object, Kept kept);
  Status PutNamespace(const json::Value& object, Kept kept);

  // Nothing where there is none.
  void RemoveNode(std::string_view name);
  void RemovePod(std::string_view name_space, std::string_view name);
  void RemoveClaim(std::string_view name_space, std::string_view name);
  void RemoveSlice(std::string_view name);
  void RemoveClass(std::string_view name);
  void RemoveNamespace(std::string_view name);

  // nullptr: not there. Claims with what is assumed of them.
  PodPtr FindPod(std::string_view key) const;
  ClaimPtr FindClaim(std::string_view key) const;
  // As the API has it.
  ClaimPtr FindStored(std::string_view claim_key) const;
  // What the Pod needs, by the claims as they are now.
  Request RequestOf(const PodPtr& pod) const;
  // Pods that are nowhere yet, and are not on their way out, in the order in which they were first put.
  std::vector<PodPtr> Unplaced() const;

  // From now on, the Pod is on the node with these allocations (one for each claim of the request that had none; `snapshot` is what they
  // were decided on). Where it is ends when the API has it so, or the Pod is gone; what its claims have ends as said above.
  void Assume(const Request& request, std::string_view node, std::vector<model::Allocation> allocations, const Snapshot& snapshot);
  // The decision was not carried out, and will not be: nothing of it counts any more, whether the Pod is still there or not.
  void Forget(const Pod& pod);
  // Its claims were written, and have been put as they are now. The Pod's place is assumed still.
  void Written(const Pod& pod);
  // The Pod is not to be decided for a while: what was assumed for it is free, and Unplaced leaves it out until it is taken back, or
  // another Pod of its name comes. Nothing where there is none.
  void SetAside(std::string_view pod_key);
  void TakeBack(std::string_view pod_key);

  std::shared_ptr<const Snapshot> Take();

 private:
  struct NodeEntry {
    std::shared_ptr<const model::Node> node;
    Kept kept;
    std::map<std::string, PodPtr, std::less<>> pods;
    std::shared_ptr<const Devices> devices;  // null: to be gathered
    PoolIds pools;                           // that its devices are in
    NodePtr made;                            // null: to be made
  };
  struct PodEntry {
    PodPtr pod;
    std::string node;     // where it counts; empty: nowhere
    std::string assumed;  // the node; empty: nothing is
    bool aside = false;
    uint64_t arrival = 0;
  };
  struct ClaimEntry {
    ClaimPtr claim;           // as the API has it
    ClaimPtr assumed;         // null: nothing is
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
  // Adds the claim to the request, or says what is in the way. `own`: it was made for the Pod.
  bool AddClaim(std::string_view name, bool own, Request& request) const;
  // The resources of the Pod that devices stand for, each with its class. What some node has by itself is a device plugin's, on all nodes:
  // Kubernetes decides that node by node.
  std::map<std::string, std::string, std::less<>> ResourcesToClaim(const Pod& pod) const;
  // The same where a claim for them is still to be made, or was made when there were other classes.
  std::map<std::string, std::string, std::less<>> UnclaimedResources(const Pod& pod) const;
  void CountPlugins(const model::Node& node, int by);
  NodePtr Make(NodeEntry& entry);
  std::shared_ptr<const Devices> Gather(NodeEntry& entry);

  std::shared_ptr<std::atomic<uint64_t>> serials_ = std::make_shared<std::atomic<uint64_t>>(0);  // that its copies share
  uint64_t hardware_ = 0;                                                                        // Snapshot::hardware; 0: changed
  std::map<std::string, NodeEntry, std::less<>> nodes_;
  std::map<std::string, int, std::less<>> plugins_;  // resources that nodes have by device plugins, and how many nodes
  std::map<std::string, PodEntry, std::less<>> pods_;
  std::map<uint64_t, PodPtr> unplaced_;  // by arrival
  uint64_t arrivals_ = 0;
  bool nodes_came_ = false;  // since the last snapshot: some Pods may have been there before
  std::map<std::string, ClaimEntry, std::less<>> claims_;
  std::map<std::string, std::vector<std::string>, std::less<>> assumptions_;  // keys of claims, by the uid of the Pod that they are for
  Pools pools_;
  std::map<std::string, std::pair<Kept, std::shared_ptr<const model::DeviceClass>>, std::less<>> device_classes_;
  std::map<std::string, Snapshot::Namespace, std::less<>> spaces_;

  std::shared_ptr<const Classes> classes_;                                                     // null: changed
  std::shared_ptr<const std::map<std::string, Snapshot::Namespace, std::less<>>> namespaces_;  // null: changed
  std::set<std::string> dirty_;                                                                // nodes
  std::shared_ptr<const Snapshot> snapshot_;                                                   // the last one; null: none
  bool stale_ = true;                                                                          // it lacks more than what is dirty
};

}  // namespace allot::sched

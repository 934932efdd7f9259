#pragma once
// Whether a node takes Pods.

#include <map>
#include <string>

#include "kube/object.h"
#include "view/listing.h"

namespace allot::view {

// A label of nodes: "true" where an `allot up` made the node.
inline constexpr char kLocalLabel[] = "allot.dev/local";

struct NodeState {
  bool ready = true;  // also where the node does not report its condition
  bool cordoned = false;
  std::string why;  // why the node is not ready, in the words of kubelet or of the node controller; may be empty
};

NodeState StateOf(const kube::Object& node);

using NodeStates = std::map<std::string, NodeState, std::less<>>;  // by the name of the node
NodeStates StatesOf(const Listing& nodes);

}  // namespace allot::view

#pragma once
// Nodes, and the ways in which a slice or a device names the nodes that it is on.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "json/builder.h"
#include "json/value.h"

namespace allot::model {

class Reader;

// Keeps Pods that do not tolerate it off the node, or requests off the device.
struct Taint {
  std::string_view key, value, effect;
};

struct Node {
  std::string_view name;
  std::vector<std::pair<std::string_view, std::string_view>> labels;  // sorted by key
  bool unschedulable = false;
  std::vector<Taint> taints;
  std::vector<std::pair<std::string_view, int64_t>> allocatable;  // Amounts (placement.h)

  const std::string_view* Label(std::string_view key) const;

  static Result<Node> Read(const json::Value& object);
};

// Owns its text, since an allocation's node selector has requirements of several slices.
struct NodeRequirement {
  std::string key;
  std::string op;  // In, NotIn, Exists, DoesNotExist, Gt, Lt
  std::vector<std::string> values;
};

struct NodeSelectorTerm {
  std::vector<NodeRequirement> expressions;  // on labels
  std::vector<NodeRequirement> fields;       // on metadata.name

  static NodeSelectorTerm Read(const Reader& reader);
};

struct NodeSelector {
  std::vector<NodeSelectorTerm> terms;  // one of them must match

  // kInvalid for an operator that does not exist or values that it does not take, as Kubernetes refuses them.
  Result<bool> Matches(const Node& node) const;

  static NodeSelector Read(const Reader& reader);
  void Write(json::Builder& to) const;
};

// At most one of the three is meant to be set; they count in this order.
struct NodeChoice {
  std::optional<std::string_view> node_name;
  std::optional<bool> all_nodes;
  std::optional<NodeSelector> selector;

  bool IsSet() const { return (node_name && !node_name->empty()) || all_nodes.value_or(false) || selector; }
  Result<bool> Matches(const Node& node) const;

  // From the fields nodeName, allNodes and nodeSelector of a slice or device.
  static NodeChoice Read(const Reader& reader);
};

}  // namespace allot::model

#include "model/node.h"

#include <algorithm>
#include <charconv>

#include "model/names.h"
#include "model/placement.h"
#include "model/reader.h"

namespace allot::model {
namespace {

std::optional<int64_t> ParseInt(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Status CheckExpression(const NodeRequirement& r) {
  if (!IsLabelKey(r.key)) return Invalid("key ", Quoted(r.key), " is not a label key");
  if (r.op == "In" || r.op == "NotIn") {
    if (r.values.empty()) return Invalid("operator ", r.op, " needs at least one value");
  } else if (r.op == "Exists" || r.op == "DoesNotExist") {
    if (!r.values.empty()) return Invalid("operator ", r.op, " takes no values");
  } else if (r.op == "Gt" || r.op == "Lt") {
    if (r.values.size() != 1 || !ParseInt(r.values[0])) return Invalid("operator ", r.op, " needs one integer");
  } else {
    return Invalid("operator ", Quoted(r.op), " is not one of In, NotIn, Exists, DoesNotExist, Gt, Lt");
  }
  for (const std::string_view value : r.values) {
    if (!IsLabelValue(value)) return Invalid("value ", Quoted(value), " is not a label value");
  }
  return Status();
}

Status CheckField(const NodeRequirement& r) {
  if (r.op != "In" && r.op != "NotIn") return Invalid("operator ", Quoted(r.op), " is not one of In, NotIn");
  if (r.values.size() != 1) return Invalid("a field needs exactly one value");
  return Status();
}

bool ExpressionMatches(const NodeRequirement& r, const Node& node) {
  const std::string_view* label = node.Label(r.key);
  const auto listed = [&] { return std::find(r.values.begin(), r.values.end(), *label) != r.values.end(); };
  if (r.op == "In") return label != nullptr && listed();
  if (r.op == "NotIn") return label == nullptr || !listed();
  if (r.op == "Exists") return label != nullptr;
  if (r.op == "DoesNotExist") return label == nullptr;
  const std::optional<int64_t> have = label == nullptr ? std::nullopt : ParseInt(*label);
  if (!have) return false;
  return r.op == "Gt" ? *have > *ParseInt(r.values[0]) : *have < *ParseInt(r.values[0]);
}

bool FieldMatches(const NodeRequirement& r, const Node& node) {
  const std::string_view have = r.key == "metadata.name" ? node.name : std::string_view();
  return (have == r.values[0]) == (r.op == "In");
}

std::vector<NodeRequirement> ReadRequirements(const Reader& term, std::string_view key) {
  std::vector<NodeRequirement> requirements;
  term.Each(key, [&](const Reader& r) {
    const std::vector<std::string_view> values = r.Texts("values");
    requirements.push_back({std::string(r.Text("key")), std::string(r.Text("operator")), {values.begin(), values.end()}});
  });
  return requirements;
}

void WriteRequirements(json::Builder& to, std::string_view key, const std::vector<NodeRequirement>& requirements) {
  if (requirements.empty()) return;
  to.Key(key);
  to.StartArray();
  for (const NodeRequirement& r : requirements) {
    to.StartObject();
    to.Key("key");
    to.String(r.key);
    to.Key("operator");
    to.String(r.op);
    if (!r.values.empty()) {
      to.Key("values");
      to.StartArray();
      for (const std::string_view value : r.values) to.String(value);
      to.EndArray();
    }
    to.EndObject();
  }
  to.EndArray();
}

}  // namespace

const std::string_view* Node::Label(std::string_view key) const {
  const auto at =
      std::lower_bound(labels.begin(), labels.end(), key, [](const auto& label, std::string_view k) { return label.first < k; });
  return at != labels.end() && at->first == key ? &at->second : nullptr;
}

Result<Node> Node::Read(const json::Value& object) {
  const Reader reader(object);
  const Reader metadata = reader["metadata"];
  Node node;
  node.name = metadata.Text("name");
  metadata.EachText("labels", [&](std::string_view key, std::string_view value) { node.labels.emplace_back(key, value); });
  std::sort(node.labels.begin(), node.labels.end());
  const Reader spec = reader["spec"];
  node.unschedulable = spec.OptionalBool("unschedulable").value_or(false);
  spec.Each("taints", [&](const Reader& taint) { node.taints.push_back({taint.Text("key"), taint.Text("value"), taint.Text("effect")}); });
  node.allocatable = ReadAmounts(reader["status"], "allocatable");
  TRY(reader.status());
  return node;
}

Result<bool> NodeSelector::Matches(const Node& node) const {
  // Every term is checked first: Kubernetes refuses the selector as a whole, even where another term matches.
  for (const NodeSelectorTerm& term : terms) {
    for (const NodeRequirement& r : term.expressions) TRY(CheckExpression(r).Context("node selector"));
    for (const NodeRequirement& r : term.fields) TRY(CheckField(r).Context("node selector"));
  }
  return std::any_of(terms.begin(), terms.end(), [&](const NodeSelectorTerm& term) {
    if (term.expressions.empty() && term.fields.empty()) return false;
    return std::all_of(term.expressions.begin(), term.expressions.end(), [&](const auto& r) { return ExpressionMatches(r, node); }) &&
           (node.name.empty() || std::all_of(term.fields.begin(), term.fields.end(), [&](const auto& r) { return FieldMatches(r, node); }));
  });
}

NodeSelectorTerm NodeSelectorTerm::Read(const Reader& reader) {
  return {ReadRequirements(reader, "matchExpressions"), ReadRequirements(reader, "matchFields")};
}

NodeSelector NodeSelector::Read(const Reader& reader) {
  NodeSelector selector;
  reader.Each("nodeSelectorTerms", [&](const Reader& term) { selector.terms.push_back(NodeSelectorTerm::Read(term)); });
  return selector;
}

void NodeSelector::Write(json::Builder& to) const {
  to.StartObject();
  to.Key("nodeSelectorTerms");
  to.StartArray();
  for (const NodeSelectorTerm& term : terms) {
    to.StartObject();
    WriteRequirements(to, "matchExpressions", term.expressions);
    WriteRequirements(to, "matchFields", term.fields);
    to.EndObject();
  }
  to.EndArray();
  to.EndObject();
}

NodeChoice NodeChoice::Read(const Reader& reader) {
  NodeChoice choice;
  choice.node_name = reader.OptionalText("nodeName");
  choice.all_nodes = reader.OptionalBool("allNodes");
  if (const Reader selector = reader["nodeSelector"]; selector.IsPresent()) choice.selector = NodeSelector::Read(selector);
  return choice;
}

Result<bool> NodeChoice::Matches(const Node& node) const {
  if (node_name && !node_name->empty()) return node.name == *node_name;
  if (all_nodes.value_or(false)) return true;
  if (selector) return selector->Matches(node);
  return false;
}

}  // namespace allot::model

#include "apiserver/controllers/label_selector.h"

#include <algorithm>

#include "json/editor.h"

namespace allot::apiserver {

LabelSelector::LabelSelector(const json::Value& selector) {
  for (const json::Member& label : json::MembersOf(selector["matchLabels"])) {
    requirements_.push_back({std::string(label.key), true, {std::string(json::TextOf(label.value))}});
  }
  for (const json::Value& expression : json::ItemsOf(selector["matchExpressions"])) {
    const std::string_view op = json::TextOf(expression["operator"]);
    Requirement one{std::string(json::TextOf(expression["key"])), op == "In" || op == "Exists", {}};
    for (const json::Value& value : json::ItemsOf(expression["values"])) one.values.emplace_back(json::TextOf(value));
    const bool takes_values = op == "In" || op == "NotIn";
    if (!takes_values && op != "Exists" && op != "DoesNotExist") valid_ = false;
    if (takes_values == one.values.empty()) valid_ = false;
    requirements_.push_back(std::move(one));
  }
}

bool LabelSelector::Matches(const Index& index) const {
  if (!valid_ || requirements_.empty()) return false;
  return std::all_of(requirements_.begin(), requirements_.end(), [&](const Requirement& one) { return Holds(one, index); });
}

bool LabelSelector::Matches(const json::Value& labels) const {
  Index index;
  for (const json::Member& label : json::MembersOf(labels)) index.labels.emplace_back(label.key, json::TextOf(label.value));
  std::sort(index.labels.begin(), index.labels.end());
  return Matches(index);
}

bool LabelSelector::Holds(const Requirement& one, const Index& index) {
  const auto found = std::lower_bound(index.labels.begin(), index.labels.end(), one.key,
                                      [](const auto& label, const std::string& key) { return label.first < key; });
  if (found == index.labels.end() || found->first != one.key) return !one.wants_value;
  if (one.values.empty()) return one.wants_value;
  const bool among = std::find(one.values.begin(), one.values.end(), found->second) != one.values.end();
  return among == one.wants_value;
}

}  // namespace allot::apiserver

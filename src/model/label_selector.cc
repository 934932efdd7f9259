#include "model/label_selector.h"

#include <algorithm>

namespace allot::model {

Labels ReadLabels(const Reader& parent, std::string_view key) {
  Labels labels;
  parent.EachText(key, [&](std::string_view name, std::string_view value) { labels.emplace_back(name, value); });
  std::sort(labels.begin(), labels.end());
  return labels;
}

const std::string_view* FindLabel(const Labels& labels, std::string_view key) {
  const auto at =
      std::lower_bound(labels.begin(), labels.end(), key, [](const auto& label, std::string_view k) { return label.first < k; });
  return at != labels.end() && at->first == key ? &at->second : nullptr;
}

bool LabelSelector::Matches(const Labels& labels) const {
  if (!is_set) return false;
  return std::all_of(requirements.begin(), requirements.end(), [&](const LabelRequirement& r) {
    const std::string_view* label = FindLabel(labels, r.key);
    const auto listed = [&] { return std::find(r.values.begin(), r.values.end(), *label) != r.values.end(); };
    if (r.op == "In") return label != nullptr && listed();
    if (r.op == "NotIn") return label == nullptr || !listed();
    if (r.op == "Exists") return label != nullptr;
    return r.op == "DoesNotExist" && label == nullptr;
  });
}

LabelSelector LabelSelector::Read(const Reader& parent, std::string_view key) {
  LabelSelector selector;
  const Reader reader = parent[key];
  selector.is_set = reader.IsPresent();
  // Views the one value of the pair's text: a requirement of one value.
  reader.EachText("matchLabels",
                  [&](std::string_view name, std::string_view value) { selector.requirements.push_back({name, "In", {value}}); });
  reader.Each("matchExpressions",
              [&](const Reader& r) { selector.requirements.push_back({r.Text("key"), r.Text("operator"), r.Texts("values")}); });
  return selector;
}

}  // namespace allot::model

#pragma once
// A label selector of an object. It matches when every entry of matchLabels and matchExpressions holds.

#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "model/reader.h"

namespace allot::model {

using Labels = std::vector<std::pair<std::string_view, std::string_view>>;  // sorted by key

Labels ReadLabels(const Reader& parent, std::string_view key);
// nullptr: the label does not exist.
const std::string_view* FindLabel(const Labels& labels, std::string_view key);

struct LabelRequirement {
  std::string_view key;
  std::string_view op;  // In, NotIn, Exists, DoesNotExist
  std::vector<std::string_view> values;
};

struct LabelSelector {
  bool is_set = false;  // a selector that is not set selects nothing, an empty one everything
  std::vector<LabelRequirement> requirements;

  bool Matches(const Labels& labels) const;

  // Of the field `key`.
  static LabelSelector Read(const Reader& parent, std::string_view key);
};

}  // namespace allot::model

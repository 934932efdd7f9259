#pragma once
// The LabelSelector of a spec: matchLabels and matchExpressions.

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/store/entry.h"
#include "json/value.h"

namespace allot::apiserver {

class LabelSelector {
 public:
  // An empty, absent or invalid selector selects nothing, because it decides what the owner adopts.
  explicit LabelSelector(const json::Value& selector);

  bool Matches(const Index& index) const;
  // `labels` are those of an object's metadata.
  bool Matches(const json::Value& labels) const;

 private:
  struct Requirement {
    std::string key;
    bool wants_value = true;          // true: has one of `values`, or any value if empty; false: has none of `values`, or no value if empty
    std::vector<std::string> values;  // empty for Exists and DoesNotExist
  };
  static bool Holds(const Requirement& one, const Index& index);

  std::vector<Requirement> requirements_;
  bool valid_ = true;
};

}  // namespace allot::apiserver

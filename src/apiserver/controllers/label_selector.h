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
  // What is empty, absent or not understood selects nothing: here a selector says what is ours.
  explicit LabelSelector(const json::Value& selector);

  bool Matches(const Index& index) const;
  // The same of labels as an object's metadata has them.
  bool Matches(const json::Value& labels) const;

 private:
  struct Requirement {
    std::string key;
    bool wants_value = true;          // one of `values`, or any where there are none; else none of them, or no value at all
    std::vector<std::string> values;  // empty: Exists, DoesNotExist
  };
  static bool Holds(const Requirement& one, const Index& index);

  std::vector<Requirement> requirements_;
  bool valid_ = true;
};

}  // namespace allot::apiserver

#pragma once
// Finds many members of one object. Large objects are sorted once.

#include <algorithm>
#include <string_view>
#include <vector>

#include "json/value.h"

namespace allot::apiserver {

class SortedMembers {
 public:
  // nullptr, or a value that is not an object, has no members. The object must outlive the index.
  explicit SortedMembers(const json::Value* object) : object_(object != nullptr && object->IsObject() ? object : nullptr) {
    constexpr size_t kSmall = 16;
    if (object_ == nullptr || object_->Members().size() <= kSmall) return;
    for (const json::Member& member : object_->Members()) sorted_.push_back(&member);
    std::sort(sorted_.begin(), sorted_.end(), [](const auto* a, const auto* b) { return a->key < b->key; });
  }

  // Returns nullptr if there is none.
  const json::Value* Find(std::string_view key) const {
    if (object_ == nullptr) return nullptr;
    if (sorted_.empty()) return object_->Find(key);
    const auto found = std::lower_bound(sorted_.begin(), sorted_.end(), key, [](const auto* member, auto k) { return member->key < k; });
    return found == sorted_.end() || (*found)->key != key ? nullptr : &(*found)->value;
  }

 private:
  const json::Value* const object_;
  std::vector<const json::Member*> sorted_;
};

}  // namespace allot::apiserver

#pragma once
// The objects of a strategic merge patch.

#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "json/editor.h"

namespace allot::apiserver {

inline constexpr std::string_view kPatchDirective = "$patch";

// An object under change. Keeps the order of members.
class MemberList {
 public:
  explicit MemberList(const json::Value& object);
  const json::Value* Find(std::string_view key) const;
  void Set(std::string_view key, const json::Value& value);
  void Erase(std::string_view key);
  template <typename Predicate>
  void EraseUnless(Predicate keep) {
    for (auto& [key, place] : place_) {
      if (!keep(key)) members_[place].reset();
    }
    std::erase_if(place_, [&](const auto& entry) { return !keep(entry.first); });
  }
  json::Value Take(json::Editor& edit) const;

 private:
  std::vector<std::optional<json::Member>> members_;
  std::map<std::string_view, size_t> place_;
};

// Removes directives from a value that is new and has nothing to merge with. Parts with a $patch are dropped; returns nullopt if the value
// itself has one.
std::optional<json::Value> WithoutDirectives(json::Editor& edit, const json::Value& value);

}  // namespace allot::apiserver

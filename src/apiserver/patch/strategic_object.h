#pragma once
// The objects of a strategic merge patch.

#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "json/editor.h"

namespace allot::apiserver {

inline constexpr std::string_view kPatchDirective = "$patch";

// An object that is being changed; members in their order.
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

// A value that is new: nothing to merge with, so whatever carries a $patch in it says nothing. Nothing is left where it does itself.
std::optional<json::Value> WithoutDirectives(json::Editor& edit, const json::Value& value);

}  // namespace allot::apiserver

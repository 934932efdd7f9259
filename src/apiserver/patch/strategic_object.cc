#include "apiserver/patch/strategic_object.h"

#include "apiserver/json_names.h"

namespace allot::apiserver {

using json::Member;

MemberList::MemberList(const Value& object) {
  for (const Member& member : json::MembersOf(object)) {
    place_.emplace(member.key, members_.size());
    members_.push_back(member);
  }
}

const Value* MemberList::Find(std::string_view key) const {
  const auto found = place_.find(key);
  return found == place_.end() ? nullptr : &members_[found->second]->value;
}

void MemberList::Set(std::string_view key, const Value& value) {
  const auto [place, added] = place_.emplace(key, members_.size());
  if (added) {
    members_.push_back(Member{key, value});
  } else {
    members_[place->second]->value = value;
  }
}

void MemberList::Erase(std::string_view key) {
  const auto found = place_.find(key);
  if (found == place_.end()) return;
  members_[found->second].reset();
  place_.erase(found);
}

Value MemberList::Take(Editor& edit) const {
  std::vector<Member> members;
  for (const auto& member : members_) {
    if (member) members.push_back(*member);
  }
  return edit.Object(members);
}

std::optional<Value> WithoutDirectives(Editor& edit, const Value& value) {
  if (value.IsObject()) {
    if (value.Find(kPatchDirective) != nullptr) return std::nullopt;
    std::vector<Member> kept;
    for (const Member& member : value.Members()) {
      if (const auto inner = WithoutDirectives(edit, member.value)) kept.push_back({member.key, *inner});
    }
    return edit.Object(kept);
  }
  if (value.IsArray()) {
    std::vector<Value> kept;
    for (const Value& item : value.Items()) {
      if (const auto inner = WithoutDirectives(edit, item)) kept.push_back(*inner);
    }
    return edit.Array(kept);
  }
  return value;
}

}  // namespace allot::apiserver

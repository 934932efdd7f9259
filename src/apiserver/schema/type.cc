#include "apiserver/schema/type.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"

namespace allot::apiserver {

const Field* Type::Find(std::string_view field) const {
  if (sorted.size() != fields.size()) {
    const auto found = std::find_if(fields.begin(), fields.end(), [field](const Field& f) { return f.name == field; });
    return found == fields.end() ? nullptr : &*found;
  }
  const auto found = std::lower_bound(sorted.begin(), sorted.end(), field,
                                      [this](uint32_t i, std::string_view wanted) { return fields[i].name < wanted; });
  return found == sorted.end() || fields[*found].name != field ? nullptr : &fields[*found];
}

const Field* Type::Find(std::string_view field, size_t& next) const {
  constexpr size_t kLookAhead = 8;
  const size_t end = std::min(fields.size(), next + kLookAhead);
  const Field* found = nullptr;
  for (size_t i = next; i < end && found == nullptr; ++i) {
    if (fields[i].name == field) found = &fields[i];
  }
  if (found == nullptr) found = Find(field);
  if (found != nullptr) next = static_cast<size_t>(found - fields.data()) + 1;
  return found;
}

void Type::Index() {
  sorted.resize(fields.size());
  std::iota(sorted.begin(), sorted.end(), 0U);
  std::sort(sorted.begin(), sorted.end(), [this](uint32_t a, uint32_t b) { return fields[a].name < fields[b].name; });
}

const Type* Schema::Find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

const Type* Schema::FindKind(std::string_view group, std::string_view version, std::string_view kind) const {
  const auto found = by_kind_.find(StrCat(group, "/", version, "/", kind));
  return found == by_kind_.end() ? nullptr : found->second;
}

Type* Schema::Add(Type type) {
  Type* const added = &owned_.emplace_back(std::move(type));
  if (!added->name.empty()) CHECK(by_name_.try_emplace(added->name, added).second);
  if (!added->kind.empty()) by_kind_.try_emplace(StrCat(added->group, "/", added->version, "/", added->kind), added);
  return added;
}

}  // namespace allot::apiserver

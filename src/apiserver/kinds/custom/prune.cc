#include "apiserver/kinds/custom/prune.h"

#include <algorithm>

#include "apiserver/json_names.h"
#include "apiserver/kinds/custom/order.h"
#include "apiserver/schema/normalize.h"
#include "base/strings.h"

namespace allot::apiserver {
namespace {

class Pruner {
 public:
  Pruner(json::Editor& edit, std::vector<std::string>* unknown) : edit_(edit), unknown_(unknown) {}

  // `type` is nullptr for an unknown part: objects then lose all their fields.
  Value Visit(const Type* type, const Value& value) {
    if (value.IsArray()) return VisitItems(type, value);
    if (!value.IsObject() || (type != nullptr && type->shape == Shape::kAny)) return value;
    return VisitMembers(type, value);
  }

 private:
  Value VisitItems(const Type* type, const Value& value) {
    if (type != nullptr && type->shape == Shape::kAny) return value;
    const Type* const element = type != nullptr && type->shape == Shape::kList ? type->element : nullptr;
    if (element != nullptr && element->IsScalar()) {
      // Scalars have nothing to prune, and lists of them can be long.
      const bool plain =
          std::none_of(value.Items().begin(), value.Items().end(), [](const Value& v) { return v.IsArray() || v.IsObject(); });
      if (plain) return value;
    }
    std::vector<Value> items;
    items.reserve(value.Items().size());
    bool changed = false;
    const size_t length = path_.size();
    for (const Value& item : value.Items()) {
      path_ += StrCat("[", items.size(), "]");
      items.push_back(Visit(element, item));
      path_.resize(length);
      changed = changed || IsChanged(item, items.back());
    }
    return changed ? edit_.Array(items) : value;
  }

  Value VisitMembers(const Type* type, const Value& value) {
    std::vector<json::Member> members;
    members.reserve(value.Members().size());
    bool changed = false;
    const size_t length = path_.size();
    for (const json::Member& member : value.Members()) {
      const Type* below = nullptr;
      bool known = false;
      if (type != nullptr && type->shape == Shape::kStruct) {
        const Field* const field = type->Find(member.key);
        if (field == nullptr && type->keep_unknown) {
          members.push_back(member);
          continue;
        }
        known = field != nullptr;
        if (known) below = field->type;
      } else if (type != nullptr && type->shape == Shape::kMap) {
        known = true;
        below = type->element;
      }
      path_ += StrCat(length == 0 ? "" : ".", member.key);
      if (known) {
        members.push_back({member.key, Visit(below, member.value)});
        changed = changed || IsChanged(member.value, members.back().value);
      } else {
        changed = true;
        if (unknown_ != nullptr && unknown_->size() < kMaxUnknownFields) unknown_->push_back(path_);
      }
      path_.resize(length);
    }
    return changed ? edit_.Object(members) : value;
  }

  // Scalars never change.
  static bool IsChanged(const Value& before, const Value& after) {
    if (before.IsArray()) return before.Items().data() != after.Items().data() || before.Items().size() != after.Items().size();
    if (before.IsObject()) return before.Members().data() != after.Members().data() || before.Members().size() != after.Members().size();
    return false;
  }

  json::Editor& edit_;
  std::vector<std::string>* const unknown_;
  std::string path_;
};

}  // namespace

Value PruneCustom(json::Editor& edit, const Type& type, const Value& value, std::vector<std::string>* unknown) {
  const size_t before = unknown == nullptr ? 0 : unknown->size();
  const Value pruned = WithSortedMembers(edit, Pruner(edit, unknown).Visit(&type, value));
  if (unknown != nullptr) std::sort(unknown->begin() + static_cast<std::ptrdiff_t>(before), unknown->end());
  return pruned;
}

}  // namespace allot::apiserver

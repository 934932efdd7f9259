#include "apiserver/patch/strategic_list.h"

#include <algorithm>

#include "apiserver/json_names.h"
#include "apiserver/patch/strategic_object.h"
#include "apiserver/refusal.h"
#include "base/strings.h"

namespace allot::apiserver {

namespace {

bool IsWhole(const Value& number) { return number.AsInt64().has_value(); }

bool SameKind(const Value& a, const Value& b) {
  return a.kind() == b.kind() && (!a.IsNumber() || IsWhole(a) == IsWhole(b));  // Go distinguishes int64 and float64
}

}  // namespace

Result<std::string> ItemIndex::IdOf(const Value& item) const {
  if (!key_.empty() && !item.IsObject()) return Refuse(500, "", StrCat("expected an object in a list that is merged by ", key_));
  const Value* const id = key_.empty() ? &item : item.Find(key_);
  if (id == nullptr) return Refuse(500, "", StrCat("map: ", json::Write(item), " does not contain declared merge key: ", key_));
  if (id->IsObject() || id->IsArray()) return Refuse(500, "", StrCat("merge key ", key_, " is not a scalar: ", json::Write(*id)));
  return json::Write(*id);
}

Status ItemIndex::Add(std::span<const Value> items) {
  for (const Value& item : items) {
    ASSIGN_OR_RETURN(std::string id, IdOf(item));
    first_.emplace(std::move(id), size_++);
  }
  return Status();
}

std::optional<size_t> ItemIndex::Find(const std::string& id) const {
  const auto found = first_.find(id);
  return found == first_.end() ? std::nullopt : std::optional(found->second);
}

Result<std::vector<Value>> InOrder(std::span<const Value> merged, std::span<const Value> wanted, std::span<const Value> live,
                                   std::string_view key) {
  struct Placed {
    Value item;
    size_t rank;                // in the list that orders it
    std::optional<size_t> age;  // its index in `live`
    bool last;                  // has a delete directive, after two items of a patch were merged: Kubernetes puts these at the end
  };
  ItemIndex wanted_index(key), live_index(key);
  TRY(wanted_index.Add(wanted));
  TRY(live_index.Add(live));
  std::vector<Placed> first, others;
  for (const Value& item : merged) {
    ASSIGN_OR_RETURN(const std::string id, wanted_index.IdOf(item));
    const std::optional<size_t> rank = wanted_index.Find(id), age = live_index.Find(id);
    (rank ? first : others).push_back({item, rank ? *rank : age.value_or(0), age, json::TextOf(item[kPatchDirective]) == "delete"});
  }
  const auto by_rank = [](const Placed& a, const Placed& b) { return a.last != b.last ? b.last : !a.last && a.rank < b.rank; };
  std::stable_sort(first.begin(), first.end(), by_rank);
  std::stable_sort(others.begin(), others.end(), by_rank);
  std::vector<Value> ordered;
  ordered.reserve(merged.size());
  auto other = others.begin();
  for (const Placed& next : first) {
    while (other != others.end() && other->age && next.age && *other->age < *next.age) ordered.push_back((other++)->item);
    ordered.push_back(next.item);
  }
  while (other != others.end()) ordered.push_back((other++)->item);
  return ordered;
}

Result<std::optional<bool>> ItemsAreObjects(std::span<const Value> a, std::span<const Value> b) {
  const Value* first = nullptr;
  for (const auto items : {a, b}) {
    for (const Value& item : items) {
      if (first == nullptr) first = &item;
      if (item.IsArray()) return Refuse(422, "Invalid", "lists of lists are not supported");
      if (item.IsNull() || !SameKind(*first, item)) return Refuse(500, "", "list element types are not identical");
    }
  }
  return first == nullptr ? std::optional<bool>() : std::optional(first->IsObject());
}

}  // namespace allot::apiserver

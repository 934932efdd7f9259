#include "apiserver/patch/merge.h"

#include "apiserver/json_names.h"

#include <algorithm>
#include <optional>

namespace allot::apiserver {

namespace {

// The items of a list by element.
class ItemMap {
 public:
  explicit ItemMap(std::span<const KeyedItem> items) {
    order_.reserve(items.size());
    for (const KeyedItem& item : items) order_.push_back(&item);
    std::stable_sort(order_.begin(), order_.end(), [](const KeyedItem* a, const KeyedItem* b) { return a->element < b->element; });
  }

  std::span<const KeyedItem* const> Find(const PathElement& element) const {
    const auto begin = std::lower_bound(order_.begin(), order_.end(), element,
                                        [](const KeyedItem* item, const PathElement& e) { return item->element < e; });
    auto end = begin;
    while (end != order_.end() && (*end)->element == element) ++end;
    return {begin, end};
  }

 private:
  std::vector<const KeyedItem*> order_;
};

Value MergeList(Editor& edit, const ValuePlace& place, const Value& live, const Value& config);

Value MergeMap(Editor& edit, const ValuePlace& place, const Value& live, const Value& config) {
  MemberFinder in_config(config.Members()), in_live(live.Members());
  std::vector<json::Member> merged;
  merged.reserve(live.Members().size() + config.Members().size());
  for (const json::Member& member : live.Members()) {
    const Value* const change = in_config.Find(member.key);
    const ValuePlace inner = place.Member(member.key);
    merged.push_back({member.key, change == nullptr ? member.value : inner ? MergeConfig(edit, inner, member.value, *change) : *change});
  }
  for (const json::Member& member : config.Members()) {
    if (in_live.Find(member.key) == nullptr) merged.push_back(member);
  }
  return edit.Object(merged);
}

// Merges the items of two lists. The order of `config` decides among shared items; other items keep their position.
class ListMerger {
 public:
  ListMerger(Editor& edit, const ValuePlace& place, const Value& live, const Value& config)
      : edit_(edit),
        place_(place),
        live_(KeyedItems(edit, place, live.Items())),
        config_(KeyedItems(edit, place, config.Items())),
        in_live_(live_),
        in_config_(config_) {
    for (const KeyedItem& item : config_) {
      if (!in_live_.Find(item.element).empty()) shared_.push_back(&item);
    }
  }

  Value Merge() {
    // Items of the config are taken in order, so `turn` is the first shared item not yet in the result, or nullptr. Each round advances i
    // or j: with j at the end there is no `turn` left, so i advances.
    size_t i = 0, j = 0;
    while (i < live_.size() || j < config_.size()) {
      if (i < live_.size()) {
        const KeyedItem* const same = SameInConfig(live_[i]);
        const KeyedItem* const turn = next_ < shared_.size() ? shared_[next_] : nullptr;
        if (same == nullptr) {
          merged_.push_back(*live_[i++].value);
          continue;
        }
        if (turn != nullptr && turn != same) {  // it is placed where the config has it
          ++i;
          continue;
        }
        if (turn == nullptr || turn == &config_[j]) ++i;
      }
      if (j < config_.size()) Take(j++);
    }
    return edit_.Array(merged_);
  }

 private:
  const KeyedItem* SameInConfig(const KeyedItem& item) const {
    const auto found = in_config_.Find(item.element);
    return found.empty() ? nullptr : found.front();
  }

  void Take(size_t j) {
    const auto old = in_live_.Find(config_[j].element);
    const bool one = old.size() == 1;  // items that cannot be distinguished are replaced
    merged_.push_back(one ? MergeConfig(edit_, place_.Item(), *old.front()->value, *config_[j].value) : *config_[j].value);
    if (next_ < shared_.size() && shared_[next_] == &config_[j]) ++next_;
  }

  Editor& edit_;
  const ValuePlace& place_;
  const std::vector<KeyedItem> live_, config_;
  const ItemMap in_live_, in_config_;
  std::vector<const KeyedItem*> shared_;  // shared items of the config, in its order
  size_t next_ = 0;                       // index into shared_
  std::vector<Value> merged_;
};

Value MergeList(Editor& edit, const ValuePlace& place, const Value& live, const Value& config) {
  return ListMerger(edit, place, live, config).Merge();
}

Value WithoutItems(Editor& edit, const ValuePlace& place, const Value& value, const FieldSet& fields) {
  std::vector<Value> kept;
  for (const Value& item : value.Items()) {
    const auto element = ElementOf(edit, place, item);
    const FieldNode* const node = element ? fields.Find(*element) : nullptr;
    if (node != nullptr && node->member) continue;
    kept.push_back(node == nullptr ? item : WithoutFields(edit, place.Item(), item, node->children));
  }
  return kept.empty() ? Value() : edit.Array(kept);
}

Value WithoutMembers(Editor& edit, const ValuePlace& place, const Value& value, const FieldSet& fields) {
  std::vector<json::Member> kept;
  for (const json::Member& member : value.Members()) {
    const FieldNode* const node = fields.Find(PathElement::Field(edit, member.key));
    if (node != nullptr && node->member) continue;
    const ValuePlace inner = place.Member(member.key);
    kept.push_back({member.key, node == nullptr || !inner ? member.value : WithoutFields(edit, inner, member.value, node->children)});
  }
  return kept.empty() ? Value() : edit.Object(kept);
}

}  // namespace

Value MergeConfig(Editor& edit, const ValuePlace& place, const Value& live, const Value& config) {
  const ValueForm form = FormOf(place, &config);
  if (IsAtomic(place, form)) return config;
  if (form == ValueForm::kMap && live.IsObject() && config.IsObject()) {
    if (live.Members().empty() && config.Members().empty()) return config;
    return MergeMap(edit, place, live, config);
  }
  if (form == ValueForm::kList && live.IsArray() && config.IsArray()) return MergeList(edit, place, live, config);
  // A null or empty value over a non-empty one: a merge removes nothing.
  const bool live_has = (live.IsObject() && form == ValueForm::kMap && !live.Members().empty()) ||
                        (live.IsArray() && form == ValueForm::kList && !live.Items().empty());
  return live_has ? live : config;
}

Value WithoutFields(Editor& edit, const ValuePlace& place, const Value& value, const FieldSet& fields) {
  const ValueForm form = FormOf(place, &value);
  if (form == ValueForm::kScalar) return value;
  if (IsAtomic(place, form)) return Value();
  if (form == ValueForm::kList) return value.IsArray() ? WithoutItems(edit, place, value, fields) : Value();
  return value.IsObject() ? WithoutMembers(edit, place, value, fields) : Value();
}

}  // namespace allot::apiserver

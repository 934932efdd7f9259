#include "apiserver/patch/compare.h"

#include "apiserver/json_names.h"

#include <algorithm>

namespace allot::apiserver {

namespace {

// Whether both are the same memory, and so certainly equal.
bool IsSameTree(const Value& a, const Value& b) {
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case json::Kind::kArray: return a.Items().data() == b.Items().data() && a.Items().size() == b.Items().size();
    case json::Kind::kObject: return a.Members().data() == b.Members().data() && a.Members().size() == b.Members().size();
    default: return false;
  }
}

// Collects the fields of one place: its children's nodes stay on a stack until the place is done.
class Collected {
 public:
  size_t Mark() const { return nodes_.size(); }
  void Push(const PathElement& element, bool member, const FieldSet& children) {
    if (member || !children.empty()) nodes_.push_back({element, member, children});
  }
  FieldSet Take(Editor& edit, size_t mark) {
    const FieldSet set = FieldSet::Of(edit, std::span(nodes_).subspan(mark));
    nodes_.resize(mark);
    return set;
  }

 private:
  std::vector<FieldNode> nodes_;
};

class Comparer {
 public:
  explicit Comparer(Editor& edit) : edit_(edit) {}

  struct Result {
    bool changed = false, removed = false;  // the value itself
    Comparison inside;
  };

  // nullptr means that there is no value. REQUIRES: at least one is set.
  Result Compare(const ValuePlace& place, const Value* before, const Value* after) {
    if (!place || (before != nullptr && after != nullptr && IsSameTree(*before, *after))) return {};
    const size_t changed_mark = changed_.Mark(), removed_mark = removed_.Mark();
    Result result;
    const ValueForm old_form = FormOf(place, before), new_form = FormOf(place, after);
    bool leaf = false;
    if (before != nullptr && after != nullptr && old_form != new_form) {
      Handle(old_form, place, before, after, result);  // under the old form everything is removed, under the new one everything is added
      leaf = Handle(new_form, place, before, after, result);
    } else {
      leaf = Handle(after == nullptr ? old_form : new_form, place, before, after, result);
    }
    if (!leaf) {
      result.changed = result.changed || before == nullptr;
      result.removed = result.removed || after == nullptr;
    }
    result.inside = {changed_.Take(edit_, changed_mark), removed_.Take(edit_, removed_mark)};
    return result;
  }

 private:
  // Returns whether the value was compared as a whole.
  bool Handle(ValueForm form, const ValuePlace& place, const Value* before, const Value* after, Result& result) {
    const Value none{};
    const Value &old_value = before != nullptr ? *before : none, &new_value = after != nullptr ? *after : none;
    if (form == ValueForm::kList && !IsAtomic(place, form)) {
      const auto old_items = json::ItemsOf(old_value), new_items = json::ItemsOf(new_value);
      if (!old_items.empty() || !new_items.empty()) return HandleItems(place, old_items, new_items), false;
    }
    if (form == ValueForm::kMap && !IsAtomic(place, form)) {
      const auto old_members = json::MembersOf(old_value), new_members = json::MembersOf(new_value);
      if (!old_members.empty() || !new_members.empty()) return HandleMembers(place, old_members, new_members), false;
    }
    if (before == nullptr) {
      result.changed = true;
    } else if (after == nullptr) {
      result.removed = true;
    } else if (!json::Equal(*before, *after)) {
      result.changed = true;
    }
    return true;
  }

  void Push(const PathElement& element, const Result& result) {
    changed_.Push(element, result.changed, result.inside.changed);
    removed_.Push(element, result.removed, result.inside.removed);
  }

  void HandleMembers(const ValuePlace& place, std::span<const json::Member> before, std::span<const json::Member> after) {
    MemberFinder in_after(after), in_before(before);
    size_t shared = 0, next = 0;
    for (const json::Member& member : before) {
      const Value* const other = in_after.Find(member.key);
      if (other != nullptr) ++shared;
      Push(PathElement::Field(edit_, member.key), Compare(place.Member(member.key, next), &member.value, other));
    }
    if (shared == after.size()) return;
    next = 0;
    for (const json::Member& member : after) {
      if (in_before.Find(member.key) != nullptr) continue;
      Push(PathElement::Field(edit_, member.key), Compare(place.Member(member.key, next), nullptr, &member.value));
    }
  }

  static std::vector<KeyedItem> Sorted(std::vector<KeyedItem> items) {
    const auto by_element = [](const KeyedItem& a, const KeyedItem& b) { return a.element < b.element; };
    if (!std::is_sorted(items.begin(), items.end(), by_element)) std::stable_sort(items.begin(), items.end(), by_element);
    return items;
  }

  // Returns the leading items with the same element as the first.
  static std::span<const KeyedItem> Group(std::span<const KeyedItem> items, const PathElement& element) {
    size_t size = 0;
    while (size < items.size() && items[size].element == element) ++size;
    return items.first(size);
  }

  void HandleItems(const ValuePlace& place, std::span<const Value> before, std::span<const Value> after) {
    const std::vector<KeyedItem> old_items = Sorted(KeyedItems(edit_, place, before)), new_items = Sorted(KeyedItems(edit_, place, after));
    std::span<const KeyedItem> old_rest = old_items, new_rest = new_items;
    while (!old_rest.empty() || !new_rest.empty()) {
      const bool old_first = !old_rest.empty() && (new_rest.empty() || old_rest.front().element < new_rest.front().element);
      const PathElement element = old_first || new_rest.empty() ? old_rest.front().element : new_rest.front().element;
      const auto olds = Group(old_rest, element), news = Group(new_rest, element);
      Push(element, CompareGroups(place.Item(), olds, news));
      old_rest = old_rest.subspan(olds.size());
      new_rest = new_rest.subspan(news.size());
    }
  }

  // Items with the same key cannot be distinguished, so together they are one field.
  Result CompareGroups(const ValuePlace& place, std::span<const KeyedItem> olds, std::span<const KeyedItem> news) {
    if (olds.size() <= 1 && news.size() <= 1) {
      return Compare(place, olds.empty() ? nullptr : olds[0].value, news.empty() ? nullptr : news[0].value);
    }
    Result result;
    if (olds.size() >= 2 && news.size() >= 2) {
      const auto equal = [](const KeyedItem& a, const KeyedItem& b) { return json::Equal(*a.value, *b.value); };
      result.changed = !std::equal(olds.begin(), olds.end(), news.begin(), news.end(), equal);
    } else if (olds.size() >= 2) {
      if (!news.empty()) result = Compare(place, nullptr, news[0].value);
      result.removed = true;
    } else {
      if (!olds.empty()) result = Compare(place, olds[0].value, nullptr);
      result.changed = true;
    }
    return result;
  }

  Editor& edit_;
  Collected changed_, removed_;
};

}  // namespace

Comparison CompareObjects(Editor& edit, const ValuePlace& place, const Value& before, const Value& after) {
  return Comparer(edit).Compare(place, &before, &after).inside;
}

}  // namespace allot::apiserver

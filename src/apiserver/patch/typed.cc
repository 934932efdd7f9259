#include "apiserver/patch/typed.h"

#include <algorithm>

#include "apiserver/json_names.h"

namespace allot::apiserver {

namespace {

const Type& AnyType() {
  static const Type any;
  return any;
}

// Unlike other untyped values, these are always atomic.
bool IsRaw(const Type& type) { return type.name == "io.k8s.apimachinery.pkg.runtime.RawExtension"; }

// The schemas of built-in types have a default for each field that Go always writes; those of custom types only where they state one.
std::optional<Value> DefaultOf(Editor& edit, const Field& field) {
  if (!field.default_value.empty()) {
    const auto parsed = json::Parse(field.default_value);
    return parsed.ok() ? std::optional(edit.Copy(parsed->root())) : std::nullopt;
  }
  if (field.number == 0 || field.pointer || field.omit_empty) return std::nullopt;
  switch (field.type->shape) {
    case Shape::kString: return edit.Literal("");
    case Shape::kInt32:
    case Shape::kInt64:
    case Shape::kDouble: return edit.Int(0);
    case Shape::kBool: return edit.Bool(false);
    default: return std::nullopt;
  }
}

std::optional<PathElement> KeyOf(Editor& edit, const ValuePlace& list, const Value& item) {
  if (!item.IsObject()) return std::nullopt;
  const ValuePlace place = list.Item();
  std::vector<json::Member> keys;
  keys.reserve(list.ListKeys().size());
  for (const std::string& name : list.ListKeys()) {
    if (const Value* const found = item.Find(name)) {
      keys.push_back({name, *found});
      continue;
    }
    const Field* const field = place.type->shape == Shape::kStruct ? place.type->Find(name) : nullptr;
    const auto value = field != nullptr ? DefaultOf(edit, *field) : std::nullopt;
    if (value) keys.push_back({name, *value});
  }
  if (keys.empty()) return std::nullopt;
  std::sort(keys.begin(), keys.end(), [](const json::Member& a, const json::Member& b) { return a.key < b.key; });
  return PathElement{PathElement::Kind::kKey, edit.Object(keys)};
}

class FieldCollector {
 public:
  explicit FieldCollector(Editor& edit) : edit_(edit) {}

  // Returns whether the value itself is a field; adds its content to `children`.
  bool Collect(const ValuePlace& place, const Value& value, FieldSet& children) {
    const ValueForm form = FormOf(place, &value);
    if (form == ValueForm::kScalar || IsAtomic(place, form)) return true;
    const size_t mark = nodes_.size();
    if (form == ValueForm::kList) CollectItems(place, json::ItemsOf(value));
    for (const json::Member& member : json::MembersOf(value)) {
      if (form != ValueForm::kMap) break;
      FieldNode node{PathElement::Field(edit_, member.key), false, {}};
      const bool empty = member.value.IsNull() || (member.value.IsObject() && member.value.Members().empty());
      const ValuePlace inner = place.Member(member.key);
      node.member = (inner && Collect(inner, member.value, node.children)) || empty || !place.Names(member.key);
      if (!node.empty()) nodes_.push_back(node);
    }
    children = Finish(mark);
    return false;
  }

 private:
  void CollectItems(const ValuePlace& place, std::span<const Value> items) {
    std::vector<KeyedItem> keyed = KeyedItems(edit_, place, items);
    std::stable_sort(keyed.begin(), keyed.end(), [](const KeyedItem& a, const KeyedItem& b) { return a.element < b.element; });
    for (size_t i = 0; i < keyed.size();) {
      size_t end = i + 1;
      while (end < keyed.size() && keyed[end].element == keyed[i].element) ++end;
      FieldNode node{keyed[i].element, true, {}};
      if (end == i + 1) Collect(place.Item(), *keyed[i].value, node.children);  // items with the same key are one field
      nodes_.push_back(node);
      i = end;
    }
  }

  FieldSet Finish(size_t mark) {
    const FieldSet set = FieldSet::Of(edit_, std::span(nodes_).subspan(mark));
    nodes_.resize(mark);
    return set;
  }

  Editor& edit_;
  std::vector<FieldNode> nodes_;
};

// Returns the place that an element leads to; empty if it does not fit.
ValuePlace Inside(const ValuePlace& place, const PathElement& element) {
  const bool named = element.kind == PathElement::Kind::kField;
  switch (FormOf(place, nullptr)) {
    case ValueForm::kMap: return named ? place.Member(element.value.AsString()) : ValuePlace();
    case ValueForm::kList: return named ? ValuePlace() : place.Item();
    case ValueForm::kScalar: return ValuePlace();
  }
  return ValuePlace();
}

Value ZeroOf(Editor& edit, const Type& type) {
  switch (type.shape) {
    case Shape::kString:
    case Shape::kDuration: return edit.Literal(type.shape == Shape::kString ? "" : "0s");
    case Shape::kBool: return edit.Bool(false);
    case Shape::kInt32:
    case Shape::kInt64:
    case Shape::kDouble:
    case Shape::kIntOrString: return edit.Int(0);
    case Shape::kQuantity: return edit.Literal("0");
    case Shape::kStruct: return ObjectBeforeCreate(edit, type);
    default: return Value();
  }
}

}  // namespace

ValuePlace ValuePlace::Member(std::string_view name) const {
  size_t next = type->fields.size();  // no known order
  return Member(name, next);
}

ValuePlace ValuePlace::Member(std::string_view name, size_t& next) const {
  if (type->shape == Shape::kStruct) {
    if (const Field* const found = type->Find(name, next)) return {found->type, found};
    if (type->element != nullptr) return {type->element};
    return type->keep_unknown ? ValuePlace{&AnyType()} : ValuePlace{};
  }
  if (type->shape == Shape::kMap) return {type->element};
  return type->shape == Shape::kAny ? ValuePlace{&AnyType()} : ValuePlace{};
}

ValuePlace ValuePlace::Item() const { return type->shape == Shape::kList ? ValuePlace{type->element} : ValuePlace{&AnyType()}; }

ValueForm FormOf(const ValuePlace& place, const Value* value) {
  switch (place.type->shape) {
    case Shape::kStruct:
    case Shape::kMap: return ValueForm::kMap;
    case Shape::kList: return ValueForm::kList;
    case Shape::kAny:
      if (value == nullptr || value->IsNull() || value->IsObject()) return ValueForm::kMap;
      return value->IsArray() ? ValueForm::kList : ValueForm::kScalar;
    default: return ValueForm::kScalar;
  }
}

bool IsAtomic(const ValuePlace& place, ValueForm form) {
  if (form == ValueForm::kScalar) return true;
  if (place.type->shape == Shape::kAny) return form == ValueForm::kList || place.type->atomic || IsRaw(*place.type);
  if (form == ValueForm::kMap) return place.type->atomic || (place.field != nullptr && place.field->merge == Merge::kAtomic);
  return place.ListMerge() != Merge::kSet && place.ListMerge() != Merge::kMap;
}

std::optional<PathElement> ElementOf(Editor& edit, const ValuePlace& list, const Value& item) {
  if (list.ListMerge() == Merge::kMap) return KeyOf(edit, list, item);
  if (item.IsNull() || item.IsObject() || item.IsArray()) return std::nullopt;
  return PathElement{PathElement::Kind::kValue, item};
}

std::vector<KeyedItem> KeyedItems(Editor& edit, const ValuePlace& list, std::span<const Value> items) {
  std::vector<KeyedItem> keyed;
  keyed.reserve(items.size());
  for (const Value& item : items) {
    if (const auto element = ElementOf(edit, list, item)) keyed.push_back({*element, &item});
  }
  return keyed;
}

const Value* MemberFinder::Find(std::string_view name) {
  if (next_ < members_.size() && members_[next_].key == name) return &members_[next_++].value;
  if (members_.size() <= 8) {
    const auto found = std::find_if(members_.begin(), members_.end(), [&](const json::Member& member) { return member.key == name; });
    if (found == members_.end()) return nullptr;
    next_ = static_cast<size_t>(found - members_.begin()) + 1;
    return &found->value;
  }
  if (sorted_.empty()) {
    for (const json::Member& member : members_) sorted_.push_back(&member);
    std::sort(sorted_.begin(), sorted_.end(), [](const json::Member* a, const json::Member* b) { return a->key < b->key; });
  }
  const auto found = std::lower_bound(sorted_.begin(), sorted_.end(), name,
                                      [](const json::Member* member, std::string_view n) { return member->key < n; });
  if (found == sorted_.end() || (*found)->key != name) return nullptr;
  next_ = static_cast<size_t>(*found - members_.data()) + 1;
  return &(*found)->value;
}

FieldSet FieldsOf(Editor& edit, const ValuePlace& place, const Value& value) {
  FieldSet fields;
  FieldCollector(edit).Collect(place, value, fields);
  return fields;
}

FieldSet WithNamedFields(Editor& edit, const ValuePlace& place, const FieldSet& set) {
  if (!place || set.empty()) return set;
  std::vector<FieldNode> nodes(set.nodes().begin(), set.nodes().end());
  for (FieldNode& node : nodes) {
    if (node.children.empty()) continue;
    if (node.element.kind == PathElement::Kind::kField && place.Names(node.element.value.AsString())) node.member = true;
    node.children = WithNamedFields(edit, Inside(place, node.element), node.children);
  }
  return FieldSet::Of(edit, nodes);
}

FieldSet Reconciled(Editor& edit, const ValuePlace& place, const FieldSet& set) {
  if (!place || set.empty()) return set;
  if (place.type->shape == Shape::kAny && !IsRaw(*place.type)) return set;  // deduced: its form never changes
  std::vector<FieldNode> nodes(set.nodes().begin(), set.nodes().end());
  bool changed = false;
  for (FieldNode& node : nodes) {
    const ValuePlace inner = Inside(place, node.element);
    if (!inner || node.children.empty()) continue;
    const FieldSet before = node.children;
    const ValueForm form = FormOf(inner, nullptr);
    if (form != ValueForm::kScalar && IsAtomic(inner, form)) {
      node.member = true;
      node.children = FieldSet();
    } else {
      node.children = Reconciled(edit, inner, node.children);
    }
    changed = changed || node.children.nodes().data() != before.nodes().data();
  }
  return changed ? FieldSet::Of(edit, nodes) : set;
}

Value ObjectBeforeCreate(Editor& edit, const Type& type) {
  std::vector<json::Member> members;
  for (const Field& field : type.fields) {
    if (!field.omit_empty) members.push_back({field.name, field.pointer ? Value() : ZeroOf(edit, *field.type)});
  }
  return edit.Object(members);
}

}  // namespace allot::apiserver

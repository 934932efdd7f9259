#include "cel/eval/object_value.h"

#include <algorithm>

#include "base/strings.h"
#include "cel/eval/maps.h"

namespace allot::cel {
namespace {

// Converts JSON without a declared type.
Value ToPlainValue(Arena& arena, const json::Value& json);

// The members of a JSON object: fields if the type is an object, entries of one type if it is a map.
class JsonMap final : public Map {
 public:
  JsonMap(Arena& arena, const Type* type, const json::Value& json) : arena_(arena), entries_(arena.Array<Entry>(json.Members().size())) {
    const bool object = type != nullptr && type->kind == Type::Kind::kStruct;
    for (const json::Member& member : json.Members()) {
      Entry entry{member.key, nullptr, &member.value, Value(), false};
      if (object) {
        if (member.value.IsNull()) continue;  // a null field counts as absent
        if (const ObjectField* const field = type->declared->FindKey(member.key)) {
          entry.key = field->name;
          entry.type = field->type;
        }
      } else if (type != nullptr) {
        entry.type = type->params[1];
      }
      entries_[size_++] = entry;
    }
    std::sort(entries_, entries_ + size_, [](const Entry& a, const Entry& b) { return a.key < b.key; });
  }

  uint64_t size() const override { return size_; }
  bool Find(const Value& key, Value* value) const override {
    if (!key.Is(Kind::kString)) return false;
    Entry* const end = entries_ + size_;
    Entry* const found = std::lower_bound(entries_, end, key.Text(), [](const Entry& entry, std::string_view k) { return entry.key < k; });
    if (found == end || found->key != key.Text()) return false;
    *value = Read(*found);
    return true;
  }
  Value KeyAt(uint64_t index) const override { return Value::String(entries_[index].key); }
  Value ValueAt(uint64_t index) const override { return Read(entries_[index]); }

 private:
  struct Entry {
    std::string_view key;
    const Type* type;  // nullptr: no declared type
    const json::Value* json;
    Value value;
    bool known;
  };

  Value Read(Entry& entry) const {
    if (!entry.known) {
      entry.value = entry.type != nullptr ? ToValue(arena_, *entry.type, *entry.json) : ToPlainValue(arena_, *entry.json);
      entry.known = true;
    }
    return entry.value;
  }

  Arena& arena_;
  Entry* const entries_;
  uint64_t size_ = 0;
};

template <typename Convert>
Value ToList(Arena& arena, const Declared* declared, const json::Value& json, Convert convert) {
  const auto from = json.Items();
  Value* const items = arena.Array<Value>(from.size());
  for (size_t i = 0; i < from.size(); ++i) items[i] = convert(from[i]);
  List* const list = arena.New<List>();
  list->items = items;
  list->size = from.size();
  list->declared = declared;
  return Value::Of(list);
}

Value ToPlainValue(Arena& arena, const json::Value& json) {
  switch (json.kind()) {
    case json::Kind::kNull: return Value::Null();
    case json::Kind::kBool: return Value::Bool(json.AsBool());
    case json::Kind::kNumber:
      if (const auto integer = json.AsInt64()) return Value::Int(*integer);
      return Value::Double(json.AsDouble());
    case json::Kind::kString: return Value::String(json.AsString());
    case json::Kind::kArray: return ToList(arena, nullptr, json, [&](const json::Value& item) { return ToPlainValue(arena, item); });
    case json::Kind::kObject: return Value::Of(static_cast<const Map*>(arena.New<JsonMap>(arena, nullptr, json)));
  }
  return Value::Null();
}

Value Unexpected(Arena& arena, const Type& type, const json::Value& json) {
  return Value::Error(arena.Copy(StrCat("invalid data, expected ", type.name, ", got ", json::KindName(json.kind()))));
}

Value ToText(Arena& arena, const Type& type, std::string_view text) {
  switch (type.kind) {
    case Type::Kind::kDuration:
      if (const auto duration = ParseLooseDuration(text)) return Value::Duration(*duration);
      break;
    case Type::Kind::kTimestamp:
      if (const auto date = ParseDate(text)) return *date;
      if (const auto time = ParseDateTime(text)) return *time;
      break;
    case Type::Kind::kBytes:
      if (const auto bytes = DecodeUrlBase64(text)) return Value::Bytes(arena.Copy(*bytes));
      break;
    default: return Value::String(text);
  }
  return Value::Error(arena.Copy(StrCat("invalid data, expected ", type.name, ", got ", Quoted(text))));
}

// Returns the fields that identify an item of a list as one text, or nullopt if one of them is not a scalar.
std::optional<Value> KeyOfItem(Frame& frame, const List& list, const Value& item) {
  if (list.declared->rule == ListRule::kSet) {
    const bool scalar = item.Is(Kind::kBool) || item.IsNumber() || item.Is(Kind::kString);
    return scalar ? std::optional(item) : std::nullopt;
  }
  if (!item.Is(Kind::kMap)) return std::nullopt;
  std::string text;
  for (const std::string_view key : list.declared->keys) {
    Value value;
    if (!item.map->Find(Value::String(key), &value)) {
      text += "-;";
    } else if (value.Is(Kind::kString)) {
      text += StrCat("s", value.size, ":", value.Text(), ";");
    } else if (value.Is(Kind::kInt)) {
      text += StrCat("i", value.integer, ";");
    } else if (value.Is(Kind::kBool)) {
      text += value.boolean ? "t;" : "f;";
    } else {
      return std::nullopt;
    }
  }
  return Value::String(frame.arena.Copy(text));
}

}  // namespace

Value ToValue(Arena& arena, const Type& type, const json::Value& json) {
  using K = Type::Kind;
  if (json.IsNull()) {
    if (type.declared != nullptr && type.declared->nullable) return Value::Null();
    return Value::Error("invalid data, got null for a value that is not nullable");
  }
  switch (type.kind) {
    case K::kStruct:
    case K::kMap:
      if (json.IsObject()) return Value::Of(static_cast<const Map*>(arena.New<JsonMap>(arena, &type, json)));
      break;
    case K::kList:
      if (json.IsArray())
        return ToList(arena, type.declared, json, [&](const json::Value& item) { return ToValue(arena, *type.params[0], item); });
      break;
    case K::kBool:
      if (json.IsBool()) return Value::Bool(json.AsBool());
      break;
    case K::kInt:
      if (json.IsNumber() && json.AsInt64()) return Value::Int(*json.AsInt64());
      break;
    case K::kDouble:
      if (json.IsNumber()) return Value::Double(json.AsDouble());
      break;
    case K::kDyn:
      if (json.IsString()) return Value::String(json.AsString());
      if (json.IsNumber() && json.AsInt64()) return Value::Int(*json.AsInt64());
      break;
    default:
      if (json.IsString()) return ToText(arena, type, json.AsString());
      break;
  }
  return Unexpected(arena, type, json);
}

Value EqualByRule(Frame& frame, const List& a, const List& b) {
  if (a.size != b.size) return Value::Bool(false);
  if (!frame.Work(a.size)) return Frame::TooMuch();
  HashMap* const known = frame.arena.New<HashMap>(frame.arena);
  for (uint64_t i = 0; i < a.size; ++i) {
    if (const auto key = KeyOfItem(frame, a, a.At(i))) known->Put(*key, a.At(i));
  }
  for (uint64_t i = 0; i < b.size; ++i) {
    const auto key = KeyOfItem(frame, a, b.At(i));
    const Value* const found = key ? known->FindExact(*key) : nullptr;
    Value equal = Value::Bool(false);
    if (found != nullptr) {
      equal = EqualValues(frame, *found, b.At(i));
    } else if (!key) {
      equal = ListContains(frame, a, b.At(i));  // items that are not scalars
    }
    if (!equal.IsTrue()) return equal;
  }
  return Value::Bool(true);
}

Value AddByRule(Frame& frame, const List& a, const List& b) {
  if (!frame.Work(a.size + b.size) || !frame.arena.HasRoom((a.size + b.size) * sizeof(Value))) return Frame::TooMuch();
  Value* const items = frame.arena.Array<Value>(a.size + b.size);
  HashMap* const places = frame.arena.New<HashMap>(frame.arena);
  List* const both = frame.arena.New<List>();
  both->items = items;
  both->declared = a.declared;
  const auto add = [&](const Value& item, bool replace) {
    const auto key = KeyOfItem(frame, a, item);
    const Value* const place = key ? places->FindExact(*key) : nullptr;
    if (place != nullptr && replace) {
      items[place->natural] = item;
      return;
    }
    if (key) places->Put(*key, Value::Uint(both->size));
    items[both->size++] = item;
  };
  for (uint64_t i = 0; i < a.size; ++i) add(a.At(i), false);
  for (uint64_t i = 0; i < b.size; ++i) add(b.At(i), true);
  return Value::Of(both);
}

}  // namespace allot::cel

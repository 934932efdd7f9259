#include "apiserver/schema/normalize.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "apiserver/schema/scalar.h"

namespace allot::apiserver {

namespace {

using json::Member;
using json::Value;

constexpr int kMaxZeroDepth = 32;  // structs within structs that are written though nothing was set

// As Go calls it: "string", "[]v1.Container", "map[string]string".
std::string GoName(const Type& type) {
  switch (type.shape) {
    case Shape::kList: return StrCat("[]", type.element_pointer ? "*" : "", GoName(*type.element));
    case Shape::kMap: return StrCat("map[string]", type.element_pointer ? "*" : "", GoName(*type.element));
    default: break;
  }
  if (type.name.empty()) return std::string(GoScalarName(type.shape));
  const size_t name = type.name.rfind('.');
  const size_t package = name == std::string::npos || name == 0 ? std::string::npos : type.name.rfind('.', name - 1);
  return package == std::string::npos ? type.name : type.name.substr(package + 1);
}

std::string_view ShortName(const Type& type) {
  const std::string_view name = type.name;
  return name.substr(name.rfind('.') + 1);  // all of it where there is no dot
}

class Normalizer {
 public:
  explicit Normalizer(json::Editor& edit) : edit_(edit) {}

  Result<Normalized> Run(const Type& type, const Value& value) {
    const Value result = value.IsNull() ? Zero(type, 0) : Read(type, value);
    if (!error_.ok()) return error_;
    return Normalized{result, std::move(unknown_)};
  }

 private:
  // Where in the object we are: a field of a struct, a key of a map, an item of a list.
  struct Step {
    enum class Of { kField, kKey, kItem } of;
    const Type* owner = nullptr;  // the struct of a field
    std::string_view name;        // of a field or key
    size_t index = 0;             // of an item
  };
  // What was read of a field.
  struct Slot {
    std::string_view key;
    Value value;
    bool set = false;  // there and not null
  };

  Value Read(const Type& type, const Value& value) {
    switch (type.shape) {
      case Shape::kStruct: return ReadStruct(type, value);
      case Shape::kList: return ReadList(type, value);
      case Shape::kMap: return ReadMap(type, value);
      case Shape::kAny: return type.element == nullptr ? value : ReadOpen(*type.element, value);
      default: break;
    }
    Value result;
    if (const auto mismatch = ReadScalar(edit_, type.shape, value, result)) Refuse(*mismatch);
    return result;
  }

  // Fields are read in the order of the text, for the order of errors, and written in the order of the type.
  Value ReadStruct(const Type& type, const Value& value) {
    if (!value.IsObject()) return RefuseKind(type, value);
    const size_t base = slots_.size();
    slots_.resize(base + type.fields.size());
    std::vector<Member> kept;
    for (const Member& member : value.Members()) {
      const Field* const field = type.Find(member.key);
      if (field == nullptr) {
        type.keep_unknown ? kept.push_back(member) : ReportUnknown(member.key);
        continue;
      }
      Slot slot{member.key, Value(), false};
      if (!member.value.IsNull()) {
        path_.push_back({Step::Of::kField, &type, member.key, 0});
        slot.value = Read(*field->type, member.value);
        slot.set = true;
        path_.pop_back();
        if (stopped_) break;
      }
      slots_[base + static_cast<size_t>(field - type.fields.data())] = slot;
    }
    const Value result = error_.ok() ? WriteStruct(type, base, kept, 0) : Value();
    slots_.resize(base);
    return result;
  }

  // The struct whose slots begin at `base`.
  Value WriteStruct(const Type& type, size_t base, std::span<const Member> kept, int depth) {
    std::vector<Member> members;
    for (size_t i = 0; i < type.fields.size(); ++i) {
      const Field& field = type.fields[i];
      const Slot slot = slots_[base + i];
      Value written;
      if (Write(field, slot, depth, written)) members.push_back({slot.set ? slot.key : std::string_view(field.name), written});
    }
    members.insert(members.end(), kept.begin(), kept.end());
    return edit_.Object(members);
  }

  // False where the field is left out.
  bool Write(const Field& field, const Slot& slot, int depth, Value& written) {
    const Shape shape = field.type->shape;
    written = slot.value;
    if (field.pointer || shape == Shape::kAny) return slot.set || !field.omit_empty;
    if (shape == Shape::kList || shape == Shape::kMap) {
      const bool empty = !slot.set || (shape == Shape::kList ? written.Items().empty() : written.Members().empty());
      // Protobuf, in which Kubernetes stores, does not tell an empty list from none.
      if (empty && field.number != 0) written = Value();
      return !empty || !field.omit_empty;
    }
    if (!slot.set) written = Zero(*field.type, depth);
    if (!field.omit_empty) return true;
    return shape == Shape::kStruct ? !written.Members().empty() : !IsEmptyScalar(shape, written);
  }

  // What Go writes of a type of which nothing was set.
  Value Zero(const Type& type, int depth) {
    if (type.IsScalar()) return ZeroScalar(edit_, type.shape);
    if (type.shape != Shape::kStruct) return Value();
    if (depth >= kMaxZeroDepth) return edit_.Object({});
    const size_t base = slots_.size();
    slots_.resize(base + type.fields.size());
    const Value result = WriteStruct(type, base, {}, depth + 1);
    slots_.resize(base);
    return result;
  }

  Value ReadElement(const Type& container, const Value& value) {
    if (!value.IsNull()) return Read(*container.element, value);
    return container.element_pointer ? Value() : Zero(*container.element, 0);
  }

  Value ReadList(const Type& type, const Value& value) {
    if (!value.IsArray()) return RefuseKind(type, value);
    std::vector<Value> items;
    items.reserve(value.Items().size());
    for (const Value& item : value.Items()) {
      path_.push_back({Step::Of::kItem, nullptr, "", items.size()});
      items.push_back(ReadElement(type, item));
      path_.pop_back();
      if (stopped_) return Value();
    }
    return edit_.Array(items);
  }

  Value ReadMap(const Type& type, const Value& value) {
    if (!value.IsObject()) return RefuseKind(type, value);
    std::vector<Member> members;
    members.reserve(value.Members().size());
    for (const Member& member : value.Members()) {
      path_.push_back({Step::Of::kKey, nullptr, member.key, 0});
      members.push_back({member.key, ReadElement(type, member.value)});
      path_.pop_back();
      if (stopped_) return Value();
    }
    const auto by_key = [](const Member& a, const Member& b) { return a.key < b.key; };
    if (!std::is_sorted(members.begin(), members.end(), by_key)) std::sort(members.begin(), members.end(), by_key);
    return edit_.Object(members);
  }

  // One object, or a list of them or of strings, or a bool: places for schemas within schemas. Go reads these by themselves: without a look
  // at unknown fields, and an error in them is one that stops.
  Value ReadOpen(const Type& type, const Value& value) {
    if (value.IsBool()) return value;
    if (!value.IsObject() && !value.IsArray()) return Refuse({"", "", "boolean or JSON schema expected", true}), Value();
    const bool outermost = !open_;
    if (outermost) open_ = path_.size();
    Status before = std::exchange(error_, Status());
    const Value result = value.IsObject()
                             ? Read(type, value)
                             : edit_.Map(value, [&](const Value& item) { return item.IsObject() && !stopped_ ? Read(type, item) : item; });
    if (error_.ok()) {
      error_ = std::move(before);
    } else {
      stopped_ = true;
    }
    if (outermost) open_.reset();
    return result;
  }

  Value RefuseKind(const Type& type, const Value& value) {
    if (error_.ok()) {
      const std::string wanted = GoName(type);
      Refuse({std::string(GoKindName(value)), wanted, "", false});
    }
    return Value();
  }

  // Go goes on behind most errors and reports the first; one that stops it is reported instead.
  void Refuse(const Mismatch& mismatch) {
    stopped_ = mismatch.stops;
    if (!error_.ok() && !mismatch.stops) return;
    std::string field;
    const Type* owner = nullptr;
    for (size_t i = 0; i < path_.size(); ++i) {
      const Step& step = path_[i];
      if (step.of != Step::Of::kField) continue;
      if (i < open_.value_or(path_.size())) owner = step.owner;
      field += StrCat(field.empty() ? "" : ".", step.name);
    }
    if (!mismatch.message.empty()) {
      error_ = Invalid(mismatch.message, field.empty() ? "" : " (", field, field.empty() ? "" : ")");
    } else if (owner == nullptr) {
      error_ = Invalid("json: cannot unmarshal ", mismatch.found, " into Go value of type ", mismatch.wanted);
    } else {
      error_ = Invalid("json: cannot unmarshal ", mismatch.found, " into Go struct field ", ShortName(*owner), ".", field, " of type ",
                       mismatch.wanted);
    }
  }

  void ReportUnknown(std::string_view key) {
    if (open_ || unknown_.size() >= kMaxUnknownFields) return;
    std::string path;
    for (const Step& step : path_) {
      if (step.of == Step::Of::kItem) {
        path += StrCat("[", step.index, "]");
      } else {
        path += StrCat(path.empty() ? "" : ".", step.name);
      }
    }
    path += StrCat(path.empty() ? "" : ".", key);
    if (std::find(unknown_.begin(), unknown_.end(), path) == unknown_.end()) unknown_.push_back(std::move(path));
  }

  json::Editor& edit_;
  std::vector<Step> path_;
  std::vector<Slot> slots_;  // of all structs that are being read
  std::vector<std::string> unknown_;
  Status error_;
  bool stopped_ = false;
  std::optional<size_t> open_;  // the length of the path at the outermost open value that is being read
};

}  // namespace

Result<Normalized> Normalize(json::Editor& edit, const Type& type, const Value& value) { return Normalizer(edit).Run(type, value); }

}  // namespace allot::apiserver

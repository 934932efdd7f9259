#include "apiserver/schema/normalize.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "apiserver/json_names.h"
#include "apiserver/schema/scalar.h"

namespace allot::apiserver {

namespace {

using json::Member;

constexpr int kMaxZeroDepth = 32;  // nesting of structs that are written although nothing in them is set
constexpr size_t kUsualPath = 16, kUsualFields = 128;

// Returns the Go name of a type: "string", "[]v1.Container", "map[string]string".
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
  return name.substr(name.rfind('.') + 1);  // all of it if there is no dot
}

// Whether both are the same memory.
bool IsSame(const Value& a, const Value& b) {
  if (a.kind() != b.kind()) return false;
  const auto same = [](auto x, auto y) { return x.data() == y.data() && x.size() == y.size(); };
  switch (a.kind()) {
    case json::Kind::kNull: return true;
    case json::Kind::kBool: return a.AsBool() == b.AsBool();
    case json::Kind::kNumber: return same(a.NumberText(), b.NumberText());
    case json::Kind::kString: return same(a.AsString(), b.AsString());
    case json::Kind::kArray: return same(a.Items(), b.Items());
    case json::Kind::kObject: return same(a.Members(), b.Members());
  }
  return false;
}

// Finds members of an object that are asked for roughly in order. Returns null if there is none.
class Followed {
 public:
  explicit Followed(const Value& object) : members_(json::MembersOf(object)) {}
  const Value& operator[](std::string_view key) {
    static const Value none{};
    for (size_t i = 0; i < members_.size(); ++i, ++next_) {
      if (next_ >= members_.size()) next_ = 0;
      if (members_[next_].key == key) return members_[next_++].value;
    }
    return none;
  }

 private:
  std::span<const Member> members_;
  size_t next_ = 0;
};

class Normalizer {
 public:
  explicit Normalizer(json::Editor& edit) : edit_(edit) {}

  Result<Normalized> Run(const Type& type, const Value& value, const Value& known) {
    path_.reserve(kUsualPath);
    slots_.reserve(kUsualFields);
    members_.reserve(kUsualFields);
    const Value result = value.IsNull() ? Zero(type, 0) : Read(type, value, known);
    if (!error_.ok()) return error_;
    return Normalized{result, std::move(unknown_)};
  }

 private:
  // A step of the path to the current value: a field of a struct, a key of a map, an item of a list.
  struct Step {
    enum class Of { kField, kKey, kItem } of;
    const Type* owner = nullptr;  // the struct of a field
    std::string_view name;        // of a field or key
    size_t index = 0;             // of an item
  };
  // The value read for a field.
  struct Slot {
    std::string_view key;
    Value value;
    bool set = false;  // present and not null
  };

  Value Read(const Type& type, const Value& value, const Value& known) {
    if (IsSame(value, known)) return value;
    switch (type.shape) {
      case Shape::kStruct: return ReadStruct(type, value, known);
      case Shape::kList: return ReadList(type, value, known);
      case Shape::kMap: return ReadMap(type, value, known);
      case Shape::kAny: return type.element == nullptr ? value : ReadOpen(*type.element, value);
      default: break;
    }
    Value result;
    if (const auto mismatch = ReadScalar(edit_, type.shape, value, result)) Refuse(*mismatch);
    return result;
  }

  // Reads fields in the order of the text, which decides the order of errors, and writes them in the order of the type.
  Value ReadStruct(const Type& type, const Value& value, const Value& known) {
    if (!value.IsObject()) return RefuseKind(type, value);
    const size_t base = slots_.size();
    slots_.resize(base + type.fields.size());
    std::vector<Member> kept;
    Followed before(known);
    size_t next = 0;
    for (const Member& member : value.Members()) {
      const Field* const field = type.Find(member.key, next);
      if (field == nullptr) {
        type.keep_unknown ? kept.push_back(member) : ReportUnknown(member.key);
        continue;
      }
      Slot slot{member.key, Value(), false};
      if (!member.value.IsNull()) {
        path_.push_back({Step::Of::kField, &type, member.key, 0});
        slot.value = Read(*field->type, member.value, before[member.key]);
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

  // Writes the struct whose slots begin at `base`.
  Value WriteStruct(const Type& type, size_t base, std::span<const Member> kept, int depth) {
    const size_t first = members_.size();
    for (size_t i = 0; i < type.fields.size(); ++i) {
      const Field& field = type.fields[i];
      if (!slots_[base + i].set && field.pointer && field.omit_empty) continue;  // the common case
      const Slot slot = slots_[base + i];
      Value written;
      if (Write(field, slot, depth, written)) members_.push_back({slot.set ? slot.key : std::string_view(field.name), written});
    }
    members_.insert(members_.end(), kept.begin(), kept.end());
    return TakeObject(first);
  }

  // Returns the members collected since `first` as an object.
  Value TakeObject(size_t first) {
    const Value object = edit_.Object(std::span(members_).subspan(first));
    members_.resize(first);
    return object;
  }

  // Returns false if the field is omitted.
  bool Write(const Field& field, const Slot& slot, int depth, Value& written) {
    const Shape shape = field.type->shape;
    written = slot.value;
    if (field.pointer || shape == Shape::kAny) return slot.set || !field.omit_empty;
    if (shape == Shape::kList || shape == Shape::kMap) {
      const bool empty = !slot.set || (shape == Shape::kList ? written.Items().empty() : written.Members().empty());
      // Protobuf, which Kubernetes uses for storage, does not distinguish an empty list from none.
      if (empty && field.number != 0) written = Value();
      return !empty || !field.omit_empty;
    }
    if (!slot.set && field.omit_empty && IsZeroEmpty(shape)) return false;
    if (!slot.set) written = Zero(*field.type, depth);
    if (!field.omit_empty) return true;
    return shape == Shape::kStruct ? !written.Members().empty() : !IsEmptyScalar(shape, written);
  }

  // Whether IsEmptyScalar(ZeroScalar).
  static bool IsZeroEmpty(Shape shape) { return shape <= Shape::kMicroTime; }

  // Returns what Go writes for an unset value of the type.
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

  Value ReadElement(const Type& container, const Value& value, const Value& known) {
    if (!value.IsNull()) return Read(*container.element, value, known);
    return container.element_pointer ? Value() : Zero(*container.element, 0);
  }

  Value ReadList(const Type& type, const Value& value, const Value& known) {
    if (!value.IsArray()) return RefuseKind(type, value);
    const auto before = json::ItemsOf(known);
    std::vector<Value> items;
    items.reserve(value.Items().size());
    for (const Value& item : value.Items()) {
      path_.push_back({Step::Of::kItem, nullptr, "", items.size()});
      items.push_back(ReadElement(type, item, items.size() < before.size() ? before[items.size()] : Value()));
      path_.pop_back();
      if (stopped_) return Value();
    }
    return edit_.Array(items);
  }

  Value ReadMap(const Type& type, const Value& value, const Value& known) {
    if (!value.IsObject()) return RefuseKind(type, value);
    const size_t first = members_.size();
    Followed before(known);
    for (const Member& member : value.Members()) {
      path_.push_back({Step::Of::kKey, nullptr, member.key, 0});
      const Value read = ReadElement(type, member.value, before[member.key]);
      members_.push_back({member.key, read});
      path_.pop_back();
      if (stopped_) break;
    }
    const auto by_key = [](const Member& a, const Member& b) { return a.key < b.key; };
    const auto begin = members_.begin() + static_cast<ptrdiff_t>(first);
    if (!std::is_sorted(begin, members_.end(), by_key)) std::sort(begin, members_.end(), by_key);
    return TakeObject(first);
  }

  // Reads one object, a list of objects or strings, or a bool: parts of a schema that hold schemas. Go has its own decoders for these: they
  // ignore unknown fields, and an error in them stops decoding.
  Value ReadOpen(const Type& type, const Value& value) {
    if (value.IsBool()) return value;
    if (!value.IsObject() && !value.IsArray()) return Refuse({"", "", "boolean or JSON schema expected", true}), Value();
    const bool outermost = !open_;
    if (outermost) open_ = path_.size();
    Status before = std::exchange(error_, Status());
    const Value result = value.IsObject() ? Read(type, value, Value()) : edit_.Map(value, [&](const Value& item) {
      return item.IsObject() && !stopped_ ? Read(type, item, Value()) : item;
    });
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

  // Go continues after most errors and reports the first. An error that stops decoding is reported instead.
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
      const std::string place = PathText();
      error_ = Invalid(mismatch.message, place.empty() ? "" : " (", place, place.empty() ? "" : ")");
    } else if (owner == nullptr) {
      error_ = Invalid("json: cannot unmarshal ", mismatch.found, " into Go value of type ", mismatch.wanted);
    } else {
      error_ = Invalid("json: cannot unmarshal ", mismatch.found, " into Go struct field ", ShortName(*owner), ".", field, " of type ",
                       mismatch.wanted);
    }
  }

  // "spec.containers[0].resources.limits.memory"
  std::string PathText() const {
    std::string path;
    for (const Step& step : path_) {
      if (step.of == Step::Of::kItem) {
        path += StrCat("[", step.index, "]");
      } else {
        path += StrCat(path.empty() ? "" : ".", step.name);
      }
    }
    return path;
  }

  void ReportUnknown(std::string_view key) {
    if (open_ || unknown_.size() >= kMaxUnknownFields) return;
    std::string path = PathText();
    path += StrCat(path.empty() ? "" : ".", key);
    if (std::find(unknown_.begin(), unknown_.end(), path) == unknown_.end()) unknown_.push_back(std::move(path));
  }

  json::Editor& edit_;
  std::vector<Step> path_;
  std::vector<Slot> slots_;      // of all structs being read
  std::vector<Member> members_;  // of all objects being written
  std::vector<std::string> unknown_;
  Status error_;
  bool stopped_ = false;
  std::optional<size_t> open_;  // length of the path at the outermost open value being read
};

}  // namespace

Result<Normalized> Normalize(json::Editor& edit, const Type& type, const Value& value, const Value& known) {
  return Normalizer(edit).Run(type, value, known);
}

}  // namespace allot::apiserver

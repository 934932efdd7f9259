#pragma once
// What the objects of a kind look like: the fields, how they are written, and how two writers' values are merged.
//
// Built-in kinds have their types in tables (schema/*.table), custom ones get theirs from the schema of their definition. Everything that
// must know fields works on these: decoding, protobuf, patches, server-side apply, OpenAPI.
//
// Types are immutable once built and owned by a Schema, which must outlive whoever points at them.

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace allot::apiserver {

enum class Shape : uint8_t {
  kString,
  kBool,
  kInt32,
  kInt64,
  kDouble,
  kBytes,        // base64 in JSON
  kTime,         // RFC 3339, seconds
  kMicroTime,    // RFC 3339, microseconds
  kDuration,     // "1h30m"
  kQuantity,     // "6Gi"
  kIntOrString,  // 5, "50%"
  kAny,          // any JSON: RawExtension, JSON, FieldsV1, fields that a custom schema preserves
  kStruct,       // named fields
  kList,
  kMap,  // string to `element`
};

enum class Merge : uint8_t {
  kAtomic,    // one owner, replaced as a whole (the default of lists)
  kSet,       // of a list: each scalar is owned on its own
  kMap,       // of a list: items are told apart by `keys`
  kGranular,  // of a struct or map: each field is owned on its own (the default)
};

struct Type;

struct Field {
  std::string name;  // in JSON
  const Type* type = nullptr;
  int number = 0;    // in protobuf; 0: not there
  int embedded = 0;  // the number of the message that protobuf, unlike JSON, wraps this field in; 0: none

  // How Go writes it: a pointer is absent or written even when it is zero; what may be empty is left out then.
  bool pointer = false;
  bool omit_empty = false;
  bool required = false;  // for documentation and custom schemas

  // Server-side apply, of the list, map or struct in this field.
  Merge merge = Merge::kAtomic;
  std::vector<std::string> keys;  // of kMap, in the order of managedFields

  // Strategic merge patch.
  bool patch_merge = false;  // lists merge: objects by patch_key, scalars as a set
  std::string patch_key;
  bool patch_retain_keys = false;

  std::string description;  // of custom kinds; those of built-in ones are OpenAPI's own

  // As JSON: what server-side apply takes where this is a key of a list and an item has none; empty: there must be one.
  std::string default_value;
};

struct Type {
  std::string name;  // "io.k8s.api.core.v1.PodSpec"; empty: has none
  Shape shape = Shape::kAny;
  std::vector<Field> fields;         // of a struct, in the order in which they are written
  const Type* element = nullptr;     // of a list or map; of kAny: what an object, or the objects of a list, are where these are found
  bool keep_unknown = false;         // of a struct: fields that are not listed are kept (a custom schema's preserve-unknown-fields)
  bool element_pointer = false;      // Go has pointers in the list or map
  bool atomic = false;               // of a struct: server-side apply takes it as one value, also as an item of a list
  std::string group, version, kind;  // where the type is a kind; else empty
  std::string description;           // of custom kinds

  // Of a list of a custom kind: as in Field, for lists that are no field's value but in a map or list.
  Merge merge = Merge::kAtomic;
  std::vector<std::string> keys;

  // nullptr: no such field. Exact case. Quick once Index was called, which must be when `fields` is complete.
  const Field* Find(std::string_view field) const;
  // The same, quicker where names are asked for in about the order of `fields`: `next`, 0 at first, is the place behind the last answer.
  const Field* Find(std::string_view field, size_t& next) const;
  void Index();
  bool IsScalar() const { return shape < Shape::kAny; }

  std::vector<uint32_t> sorted;  // Index's own: into fields, by name
};

// A set of types by name. Built once, then read by any number of threads.
class Schema {
 public:
  // The types of the built-in kinds.
  static const Schema& BuiltIn();

  // Reads the tables' text (schema/README.md says how they are written). kInvalid names the line.
  static Result<std::unique_ptr<Schema>> Parse(const std::vector<std::string_view>& tables);

  // nullptr: there is none.
  const Type* Find(std::string_view name) const;
  const Type* FindKind(std::string_view group, std::string_view version, std::string_view kind) const;
  const std::map<std::string, const Type*, std::less<>>& types() const { return by_name_; }

  // For building. The pointer stays good. FindKind knows what the type says of its kind when it is added. REQUIRES a name that is new,
  // or none.
  Type* Add(Type type);

 private:
  std::deque<Type> owned_;
  std::map<std::string, const Type*, std::less<>> by_name_;
  std::map<std::string, const Type*, std::less<>> by_kind_;  // "apps/v1/Deployment"
};

}  // namespace allot::apiserver

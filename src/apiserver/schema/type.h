#pragma once
// The types of objects: their fields, how they are encoded, and how the values of two writers are merged.
//
// Built-in kinds have their types in tables (schema/*.table); custom kinds get theirs from the schema of their definition. Everything that
// deals with fields uses these types: decoding, protobuf, patches, server-side apply, OpenAPI.
//
// Types are immutable once built. A Schema owns them and must outlive all pointers to them.

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
  kSet,       // list: each scalar has its own owners
  kMap,       // list: items are identified by `keys`
  kGranular,  // struct or map: each field has its own owners (the default)
};

struct Type;

struct Field {
  std::string name;  // in JSON
  const Type* type = nullptr;
  int number = 0;    // in protobuf; 0: not in protobuf
  int embedded = 0;  // number of the message that wraps this field in protobuf, but not in JSON; 0: none

  // How Go encodes it: a nil pointer is absent, and a set one is written even if zero; omit_empty omits empty values.
  bool pointer = false;
  bool omit_empty = false;
  bool required = false;  // for documentation and custom schemas

  // For server-side apply: how the list, map or struct in this field is merged.
  Merge merge = Merge::kAtomic;
  std::vector<std::string> keys;  // for kMap, in the order of managedFields

  // For strategic merge patch.
  bool patch_merge = false;  // lists are merged: objects by patch_key, scalars as a set
  std::string patch_key;
  bool patch_retain_keys = false;

  std::string description;  // for custom kinds; OpenAPI has those of built-in kinds

  // As JSON: the value that server-side apply uses if this is a key of a list and an item lacks it; empty: it is required.
  std::string default_value;
};

struct Type {
  std::string name;  // "io.k8s.api.core.v1.PodSpec"; empty: unnamed
  Shape shape = Shape::kAny;
  std::vector<Field> fields;         // of a struct, in encoding order
  const Type* element = nullptr;     // of a list or map; for kAny, the type of an object, or of the objects in a list
  bool keep_unknown = false;         // struct: unlisted fields are kept (a custom schema's preserve-unknown-fields)
  bool element_pointer = false;      // Go has pointers in the list or map
  bool atomic = false;               // struct: server-side apply treats it as one value, also as an item of a list
  std::string group, version, kind;  // set if the type is a kind
  std::string description;           // for custom kinds

  // For a list of a custom kind inside a list or map: as in Field.
  Merge merge = Merge::kAtomic;
  std::vector<std::string> keys;

  // Returns nullptr if there is no such field. Case-sensitive. Fast once Index was called, which must happen when `fields` is complete.
  const Field* Find(std::string_view field) const;
  // The same, faster if names are asked for roughly in the order of `fields`. `next` starts at 0 and is the position after the last result.
  const Field* Find(std::string_view field, size_t& next) const;
  void Index();
  bool IsScalar() const { return shape < Shape::kAny; }

  std::vector<uint32_t> sorted;  // made by Index: indices into fields, by name
};

// A set of types by name. Built once, then read by any number of threads.
class Schema {
 public:
  // The types of the built-in kinds.
  static const Schema& BuiltIn();

  // Parses the tables' text (schema/README.md describes it). Returns kInvalid with the line.
  static Result<std::unique_ptr<Schema>> Parse(const std::vector<std::string_view>& tables);

  // Return nullptr if there is none.
  const Type* Find(std::string_view name) const;
  const Type* FindKind(std::string_view group, std::string_view version, std::string_view kind) const;
  const std::map<std::string, const Type*, std::less<>>& types() const { return by_name_; }

  // For building. The pointer stays valid. FindKind uses the type's group, version and kind at the time of Add. REQUIRES: a new name, or
  // none.
  Type* Add(Type type);

 private:
  std::deque<Type> owned_;
  std::map<std::string, const Type*, std::less<>> by_name_;
  std::map<std::string, const Type*, std::less<>> by_kind_;  // "apps/v1/Deployment"
};

}  // namespace allot::apiserver

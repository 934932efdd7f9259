#pragma once
// The types that expressions have before they are evaluated.

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace allot::cel {

struct Declared;

struct Type {
  enum class Kind : uint8_t {
    kError,  // of a part that did not check
    kDyn,
    kAny,  // like dyn; what a device attribute has
    kNull,
    kBool,
    kInt,
    kUint,
    kDouble,
    kString,
    kBytes,
    kDuration,
    kTimestamp,
    kList,
    kMap,
    kType,    // of a type name; its parameter is the type
    kOpaque,  // optional_type, net.IP, net.CIDR
    kStruct,  // the device, Quantity, Semver..., an object that a schema declares
    kParam,   // a type variable
  };

  Kind kind = Kind::kError;
  std::string_view name;
  std::vector<const Type*> params;
  uint32_t variable = 0;               // kParam: which one
  uint32_t weight = 1;                 // how many types it is made of, shared ones counted each time; saturates
  const Declared* declared = nullptr;  // what a schema says beyond the type (object_type.h)

  bool IsDyn() const { return kind == Kind::kDyn || kind == Kind::kAny; }
  bool IsOptional() const { return kind == Kind::kOpaque && name == "optional_type"; }
  // Same kind, name and parameters; type variables must be the same one.
  bool Same(const Type& other) const;
  // Same() with all type variables alike.
  bool Equivalent(const Type& other) const;
  // Whether a dyn, an any or a variable is somewhere in it: then values at run time can be of other kinds than it says.
  bool IsLoose() const;
  std::string ToString() const;
};

namespace types {
extern const Type kError, kDyn, kAny, kNull, kBool, kInt, kUint, kDouble, kString, kBytes, kDuration, kTimestamp, kTypeType, kQuantity,
    kSemver, kUrl, kNamedFormat, kIp, kCidr, kDevice;
}  // namespace types

// Makes types with parameters and owns them.
class TypePool {
 public:
  const Type* List(const Type* element) { return Make(Type::Kind::kList, "list", {element}); }
  const Type* Map(const Type* key, const Type* value) { return Make(Type::Kind::kMap, "map", {key, value}); }
  const Type* Optional(const Type* value) { return Make(Type::Kind::kOpaque, "optional_type", {value}); }
  const Type* TypeOf(const Type* type) { return Make(Type::Kind::kType, "type", {type}); }
  const Type* Variable(uint32_t number);
  const Type* Make(Type::Kind kind, std::string_view name, std::vector<const Type*> params);

 private:
  std::deque<Type> types_;
};

}  // namespace allot::cel

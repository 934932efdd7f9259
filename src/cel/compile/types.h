#pragma once
// The static types of expressions.

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace allot::cel {

struct Declared;

struct Type {
  enum class Kind : uint8_t {
    kError,  // the part did not check
    kDyn,
    kAny,  // like dyn; the type of a device attribute
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
    kType,    // the type of a type name; the parameter is the named type
    kOpaque,  // optional_type, net.IP, net.CIDR
    kStruct,  // the device, Quantity, Semver..., an object declared by a schema
    kParam,   // a type variable
  };

  Kind kind = Kind::kError;
  std::string_view name;
  std::vector<const Type*> params;
  uint32_t variable = 0;               // kParam: its number
  uint32_t weight = 1;                 // how many types it consists of, counting repetitions; saturates
  const Declared* declared = nullptr;  // what a schema says beyond the type (object_type.h)

  bool IsDyn() const { return kind == Kind::kDyn || kind == Kind::kAny; }
  bool IsOptional() const { return kind == Kind::kOpaque && name == "optional_type"; }
  // Same kind, name and parameters; type variables must be identical.
  bool Same(const Type& other) const;
  // Same(), but all type variables are equal.
  bool Equivalent(const Type& other) const;
  // Whether it contains a dyn, an any or a variable: values at run time may then be of other kinds.
  bool IsLoose() const;
  std::string ToString() const;
};

namespace types {
extern const Type kError, kDyn, kAny, kNull, kBool, kInt, kUint, kDouble, kString, kBytes, kDuration, kTimestamp, kTypeType, kQuantity,
    kSemver, kUrl, kNamedFormat, kIp, kCidr, kDevice;
}  // namespace types

// Makes and owns types with parameters.
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

#pragma once
// The functions of the dialect: names, typed overloads and implementations.
//
// Each functions_*.cc has a table of the functions that it implements. The tables are read once, in the order in which Kubernetes 1.36
// installs its libraries. The order decides which overload a call with dynamic arguments tries first.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cel/compile/types.h"
#include "cel/eval/value.h"

namespace allot::cel {

class Frame;

using Implementation = Value (*)(Frame& frame, std::span<const Value> args);

// One row of a table.
struct Declaration {
  enum Flag : uint8_t {
    kNone = 0,
    kSingleton = 1,  // one implementation for all overloads of the function
    kVariadic = 2,   // evaluates its arguments one by one and stops at the first error
    kUnguarded = 4,  // the implementation checks the kinds of its arguments
    kNonStrict = 8,  // receives arguments that are errors
  };

  std::string_view function;
  std::string_view id;
  // "int,list(A)->bool". A leading '.' makes it a member function. A, B... stand for any type.
  std::string_view signature;
  Implementation run = nullptr;
  uint8_t flags = kNone;
};

struct Overload {
  std::string_view id;
  bool member = false;
  uint8_t flags = 0;
  uint8_t variables = 0;  // number of distinct type variables; they are numbered from 0
  std::vector<const Type*> args;
  std::vector<Kind> kinds;  // the value kinds that `args` allow; kError: any
  const Type* result = nullptr;
  Implementation run = nullptr;

  bool Has(Declaration::Flag flag) const { return (flags & flag) != 0; }
};

struct Function {
  std::string_view name;
  std::vector<Overload> overloads;
};

// Returns nullptr if there is no such function. Ignores a leading dot.
const Function* FindFunction(std::string_view name);
const Function* FunctionOf(const Overload& overload);

// Returns the type named "int", "net.IP" and so on, or nullptr.
const Type* FindTypeName(std::string_view name);

// Returns whether `value` may be passed where `type` is declared. Like Kubernetes, checks only the first element of a list or map.
bool IsAssignable(const Type& type, const Value& value);

// The tables.
std::span<const Declaration> OperatorFunctions();
std::span<const Declaration> ConversionFunctions();
std::span<const Declaration> TimeFunctions();
std::span<const Declaration> UrlFunctions();
std::span<const Declaration> RegexFunctions();
std::span<const Declaration> KubernetesListFunctions();
std::span<const Declaration> AuthorizationFunctions();
std::span<const Declaration> OptionalFunctions();
std::span<const Declaration> QuantityFunctions();
std::span<const Declaration> StringFunctions();
std::span<const Declaration> SetFunctions();
std::span<const Declaration> IpFunctions();
std::span<const Declaration> CidrFunctions();
std::span<const Declaration> NamedFormatFunctions();
std::span<const Declaration> MapFunctions();
std::span<const Declaration> SemverFunctions();
std::span<const Declaration> ListFunctions();
std::span<const Declaration> DeviceFunctions();

}  // namespace allot::cel

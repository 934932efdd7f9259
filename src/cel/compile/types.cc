#include "cel/compile/types.h"

#include <algorithm>

#include "base/strings.h"

namespace allot::cel {
namespace types {

const Type kError{Type::Kind::kError, "!error!", {}, 0, 1};
const Type kDyn{Type::Kind::kDyn, "dyn", {}, 0, 1};
const Type kAny{Type::Kind::kAny, "any", {}, 0, 1};
const Type kNull{Type::Kind::kNull, "null_type", {}, 0, 1};
const Type kBool{Type::Kind::kBool, "bool", {}, 0, 1};
const Type kInt{Type::Kind::kInt, "int", {}, 0, 1};
const Type kUint{Type::Kind::kUint, "uint", {}, 0, 1};
const Type kDouble{Type::Kind::kDouble, "double", {}, 0, 1};
const Type kString{Type::Kind::kString, "string", {}, 0, 1};
const Type kBytes{Type::Kind::kBytes, "bytes", {}, 0, 1};
const Type kDuration{Type::Kind::kDuration, "google.protobuf.Duration", {}, 0, 1};
const Type kTimestamp{Type::Kind::kTimestamp, "google.protobuf.Timestamp", {}, 0, 1};
const Type kTypeType{Type::Kind::kType, "type", {}, 0, 1};
const Type kQuantity{Type::Kind::kStruct, "kubernetes.Quantity", {}, 0, 1};
const Type kSemver{Type::Kind::kStruct, "kubernetes.Semver", {}, 0, 1};
const Type kUrl{Type::Kind::kStruct, "kubernetes.URL", {}, 0, 1};
const Type kNamedFormat{Type::Kind::kStruct, "kubernetes.NamedFormat", {}, 0, 1};
const Type kIp{Type::Kind::kOpaque, "net.IP", {}, 0, 1};
const Type kCidr{Type::Kind::kOpaque, "net.CIDR", {}, 0, 1};
const Type kDevice{Type::Kind::kStruct, "kubernetes.DRADevice", {}, 0, 1};

}  // namespace types

namespace {

bool Matches(const Type& a, const Type& b, bool same_variables) {
  if (&a == &b) return true;
  if (a.kind != b.kind || a.params.size() != b.params.size()) return false;
  if (a.kind == Type::Kind::kParam) return !same_variables || a.variable == b.variable;
  if (a.name != b.name) return false;
  for (size_t i = 0; i < a.params.size(); ++i) {
    if (!Matches(*a.params[i], *b.params[i], same_variables)) return false;
  }
  return true;
}

}  // namespace

bool Type::Same(const Type& other) const { return Matches(*this, other, true); }
bool Type::Equivalent(const Type& other) const { return Matches(*this, other, false); }

bool Type::IsLoose() const {
  if (IsDyn() || kind == Kind::kParam || kind == Kind::kError) return true;
  for (const Type* const param : params) {
    if (param->IsLoose()) return true;
  }
  return false;
}

std::string Type::ToString() const {
  if (kind == Kind::kParam) return "dyn";
  if (params.empty()) return std::string(name);
  std::vector<std::string> parts;
  parts.reserve(params.size());
  for (const Type* const param : params) parts.push_back(param->ToString());
  return StrCat(name, "(", Join(parts, ", "), ")");
}

const Type* TypePool::Variable(uint32_t number) {
  Type& type = types_.emplace_back();
  type.kind = Type::Kind::kParam;
  type.variable = number;
  return &type;
}

const Type* TypePool::Make(Type::Kind kind, std::string_view name, std::vector<const Type*> params) {
  uint64_t weight = 1;
  for (const Type* const param : params) weight += param->weight;
  return &types_.emplace_back(Type{kind, name, std::move(params), 0, static_cast<uint32_t>(std::min<uint64_t>(weight, UINT32_MAX))});
}

}  // namespace allot::cel

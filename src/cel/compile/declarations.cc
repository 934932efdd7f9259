#include "cel/compile/declarations.h"

#include <algorithm>
#include <array>
#include <deque>
#include <unordered_map>
#include <utility>

#include "base/check.h"

namespace allot::cel {
namespace {

struct NamedType {
  std::string_view name;
  const Type* type;
};

constexpr std::array<NamedType, 16> kSignatureTypes = {{
    {"bool", &types::kBool},
    {"int", &types::kInt},
    {"uint", &types::kUint},
    {"double", &types::kDouble},
    {"string", &types::kString},
    {"bytes", &types::kBytes},
    {"null", &types::kNull},
    {"dyn", &types::kDyn},
    {"duration", &types::kDuration},
    {"timestamp", &types::kTimestamp},
    {"Quantity", &types::kQuantity},
    {"Semver", &types::kSemver},
    {"URL", &types::kUrl},
    {"Format", &types::kNamedFormat},
    {"IP", &types::kIp},
    {"CIDR", &types::kCidr},
}};

Kind KindOf(const Type& type) {
  if (type.IsDyn() || type.kind == Type::Kind::kParam) return Kind::kError;
  for (int kind = static_cast<int>(Kind::kNull); kind <= static_cast<int>(Kind::kFormat); ++kind) {
    Value example;
    example.kind = static_cast<Kind>(kind);
    if (TypeNameOf(example) == type.name) return example.kind;
  }
  return Kind::kNull;  // the authorizer types: they have no values, and null is rejected elsewhere
}

// Parses the types of a signature. A mistake in a table is a bug.
class SignatureReader {
 public:
  SignatureReader(TypePool& pool, std::string_view text) : pool_(pool), text_(text) {}

  void Read(Overload& overload) {
    if (Accept('.')) overload.member = true;
    if (text_.substr(0, 2) != "->") {
      do {
        overload.args.push_back(ReadType());
      } while (Accept(','));
    }
    CHECK(text_.substr(0, 2) == "->");
    text_.remove_prefix(2);
    overload.result = ReadType();
    CHECK(text_.empty());
    for (const Type* const arg : overload.args) overload.kinds.push_back(KindOf(*arg));
    overload.variables = static_cast<uint8_t>(variables_.size());
  }

 private:
  bool Accept(char c) {
    if (text_.empty() || text_[0] != c) return false;
    text_.remove_prefix(1);
    return true;
  }

  const Type* ReadType() {
    const std::string_view name = text_.substr(0, text_.find_first_of(",()-"));
    text_.remove_prefix(name.size());
    if (Accept('(')) {
      std::vector<const Type*> params;
      do {
        params.push_back(ReadType());
      } while (Accept(','));
      CHECK(Accept(')'));
      if (name == "list") return pool_.List(params[0]);
      if (name == "map") return pool_.Map(params[0], params.at(1));
      if (name == "optional") return pool_.Optional(params[0]);
      CHECK(name == "type");
      return pool_.TypeOf(params[0]);
    }
    if (name.size() == 1 && name[0] >= 'A' && name[0] <= 'Z') return Variable(name[0]);
    for (const NamedType& known : kSignatureTypes) {
      if (known.name == name) return known.type;
    }
    // No variable has an authorizer type, so only the names matter.
    CHECK(name.substr(0, 5) == "authz");
    return pool_.Make(Type::Kind::kStruct, name, {});
  }

  const Type* Variable(char letter) {
    const auto found = std::find(variables_.begin(), variables_.end(), letter);
    const auto number = static_cast<uint32_t>(found - variables_.begin());
    if (found == variables_.end()) variables_.push_back(letter);
    return pool_.Variable(number);
  }

  TypePool& pool_;
  std::string_view text_;
  std::vector<char> variables_;
};

class Registry {
 public:
  Registry() {
    using Table = std::span<const Declaration> (*)();
    static constexpr Table kTables[] = {
        OperatorFunctions,      ConversionFunctions,  TimeFunctions,     UrlFunctions,    RegexFunctions, KubernetesListFunctions,
        AuthorizationFunctions, OptionalFunctions,    QuantityFunctions, StringFunctions, SetFunctions,   IpFunctions,
        CidrFunctions,          NamedFormatFunctions, MapFunctions,      SemverFunctions, ListFunctions,  DeviceFunctions,
    };
    for (const Table table : kTables) {
      for (const Declaration& row : table()) Add(row);
    }
    for (const Function& function : functions_) {
      for (const Overload& overload : function.overloads) owners_[&overload] = &function;
    }
  }

  const Function* Find(std::string_view name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : &functions_[found->second];
  }
  const Function* Owner(const Overload& overload) const { return owners_.at(&overload); }

 private:
  void Add(const Declaration& row) {
    const auto [found, added] = by_name_.try_emplace(row.function, functions_.size());
    if (added) functions_.push_back({row.function, {}});
    Overload& overload = functions_[found->second].overloads.emplace_back();
    overload.id = row.id;
    overload.run = row.run;
    overload.flags = row.flags;
    SignatureReader(types_, row.signature).Read(overload);
  }

  TypePool types_;
  std::deque<Function> functions_;
  std::unordered_map<std::string_view, size_t> by_name_;
  std::unordered_map<const Overload*, const Function*> owners_;
};

const Registry& Functions() {
  static const Registry registry;
  return registry;
}

}  // namespace

const Function* FindFunction(std::string_view name) {
  if (!name.empty() && name[0] == '.') name.remove_prefix(1);
  return Functions().Find(name);
}

const Function* FunctionOf(const Overload& overload) { return Functions().Owner(overload); }

const Type* FindTypeName(std::string_view name) {
  if (!name.empty() && name[0] == '.') name.remove_prefix(1);
  static const Type kList{Type::Kind::kList, "list", {&types::kDyn}, 0, 2};
  static const Type kMap{Type::Kind::kMap, "map", {&types::kDyn, &types::kDyn}, 0, 3};
  static const Type kOptional{Type::Kind::kOpaque, "optional_type", {&types::kDyn}, 0, 2};
  static const std::unordered_map<std::string_view, const Type*> kNames = {
      {"bool", &types::kBool},
      {"bytes", &types::kBytes},
      {"double", &types::kDouble},
      {"google.protobuf.Duration", &types::kDuration},
      {"google.protobuf.Timestamp", &types::kTimestamp},
      {"int", &types::kInt},
      {"list", &kList},
      {"map", &kMap},
      {"net.CIDR", &types::kCidr},
      {"net.IP", &types::kIp},
      {"null_type", &types::kNull},
      {"optional_type", &kOptional},
      {"string", &types::kString},
      {"type", &types::kTypeType},
      {"uint", &types::kUint},
  };
  const auto found = kNames.find(name);
  return found == kNames.end() ? nullptr : found->second;
}

bool IsAssignable(const Type& type, const Value& value) {
  if (type.IsDyn() || type.kind == Type::Kind::kParam) return true;
  if (type.name != TypeNameOf(value)) return false;
  if (type.kind == Type::Kind::kList) return value.list->size == 0 || IsAssignable(*type.params[0], value.list->At(0));
  if (type.kind == Type::Kind::kMap) {
    return value.map->size() == 0 ||
           (IsAssignable(*type.params[0], value.map->KeyAt(0)) && IsAssignable(*type.params[1], value.map->ValueAt(0)));
  }
  return true;
}

}  // namespace allot::cel

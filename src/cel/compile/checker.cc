#include "cel/compile/checker.h"

#include <utility>
#include <vector>

#include "base/strings.h"
#include "cel/compile/declarations.h"
#include "cel/compile/unifier.h"
#include "cel/eval/object_type.h"

namespace allot::cel {
namespace {

using K = Type::Kind;

// Types of nested literals can double with every cel.bind(). No sensible expression has a type larger than this.
constexpr uint32_t kMaxTypeWeight = 10'000;

const Type* LiteralType(const Literal& literal) {
  switch (literal.kind) {
    case Literal::Kind::kNull: return &types::kNull;
    case Literal::Kind::kBool: return &types::kBool;
    case Literal::Kind::kInt: return &types::kInt;
    case Literal::Kind::kUint: return &types::kUint;
    case Literal::Kind::kDouble: return &types::kDouble;
    case Literal::Kind::kString: return &types::kString;
    case Literal::Kind::kBytes: return &types::kBytes;
  }
  return &types::kError;
}

// Returns whether the expression is a chain of names, and sets `name` to it: "a.b.c".
bool QualifiedName(const Expr& expr, std::string* name) {
  if (expr.Is(Expr::Kind::kIdent)) {
    *name = expr.name;
    return true;
  }
  if (!expr.Is(Expr::Kind::kSelect) || expr.test_only || !QualifiedName(*expr.target, name)) return false;
  *name += '.';
  *name += expr.name;
  return true;
}

// Returns the operator as users write it.
std::string_view Spelling(std::string_view function) {
  if (function == op::kIn) return "in";
  if (function == op::kIndex || function == op::kOptIndex) return "[]";
  if (function.size() > 2 && function.front() == '_' && function.back() == '_') return function.substr(1, function.size() - 2);
  if (function.size() == 2 && function.back() == '_') return function.substr(0, 1);
  return function;
}

class Checker {
 public:
  Checker(const Source& source, Ast& ast, TypePool& pool, bool dynamic_attributes)
      : source_(source), ast_(ast), pool_(pool), unifier_(pool), attribute_(dynamic_attributes ? &types::kDyn : &types::kAny) {
    scope_.emplace_back("device", &types::kDevice);
  }
  Checker(const Source& source, Ast& ast, TypePool& pool, std::span<const Variable> variables)
      : source_(source), ast_(ast), pool_(pool), unifier_(pool), attribute_(&types::kAny) {
    for (const Variable& variable : variables) scope_.emplace_back(variable.name, variable.type);
  }

  Status Run() {
    Visit(*ast_.root);
    if (!error_.ok()) return error_;
    for (Expr& expr : ast_.nodes()) {
      if (expr.type != nullptr) expr.type = unifier_.Substitute(expr.type, true);
    }
    return Status();
  }

 private:
  bool Fail(uint32_t at, std::string_view message) {
    if (error_.ok()) error_ = source_.Error(at, message);
    return false;
  }

  // Returns false after an error; checking stops then.
  bool SetType(Expr& expr, const Type* type) {
    if (type->weight > kMaxTypeWeight) return Fail(expr.at, "the type of this part is too complex");
    expr.type = type;
    return true;
  }

  bool Visit(Expr& expr) {
    switch (expr.kind) {
      case Expr::Kind::kLiteral: return SetType(expr, LiteralType(expr.literal));
      case Expr::Kind::kIdent: return VisitIdent(expr);
      case Expr::Kind::kSelect: return VisitSelect(expr);
      case Expr::Kind::kCall: return VisitCall(expr);
      case Expr::Kind::kList: return VisitList(expr);
      case Expr::Kind::kMap: return VisitMap(expr);
      case Expr::Kind::kStruct: return VisitStruct(expr);
      case Expr::Kind::kComprehension: return VisitComprehension(expr);
    }
    return false;
  }

  const Type* FindVariable(std::string_view name) const {
    if (!name.empty() && name[0] == '.') name.remove_prefix(1);
    for (auto variable = scope_.rbegin(); variable != scope_.rend(); ++variable) {
      if (variable->first == name) return variable->second;
    }
    return nullptr;
  }

  // Turns `expr` into a reference to the variable or type `name`, if it exists.
  bool Resolve(Expr& expr, std::string_view name) {
    if (!name.empty() && name[0] == '.') name.remove_prefix(1);
    const Type* type = FindVariable(name);
    const bool is_type = type == nullptr && FindTypeName(name) != nullptr;
    if (is_type) type = pool_.TypeOf(FindTypeName(name));
    if (type == nullptr) return false;
    if (expr.Is(Expr::Kind::kSelect)) name = ast_.Keep(std::string(name));
    expr.kind = Expr::Kind::kIdent;
    expr.name = name;
    expr.target = nullptr;
    expr.is_type = is_type;
    expr.type = type;
    return true;
  }

  bool VisitIdent(Expr& expr) {
    if (Resolve(expr, expr.name)) return true;
    if (FindVariable("device") == nullptr) return Fail(expr.at, StrCat("undeclared name ", Quoted(expr.name)));
    return Fail(expr.at, StrCat("undeclared name ", Quoted(expr.name), "; a selector sees the variable \"device\""));
  }

  bool VisitSelect(Expr& expr) {
    if (std::string name; QualifiedName(expr, &name) && Resolve(expr, name)) return true;
    const Type* type = nullptr;
    if (!SelectField(expr, *expr.target, expr.name, false, &type)) return false;
    return SetType(expr, unifier_.Substitute(expr.test_only ? &types::kBool : type, false));
  }

  const Type* DeviceField(std::string_view field) {
    if (field == "driver") return &types::kString;
    if (field == "allowMultipleAllocations") return &types::kBool;
    if (field == "attributes") return pool_.Map(&types::kString, pool_.Map(&types::kString, attribute_));
    if (field == "capacity") return pool_.Map(&types::kString, pool_.Map(&types::kString, &types::kQuantity));
    return nullptr;
  }

  const Type* FieldOf(const Type& type, std::string_view field) {
    if (&type == &types::kDevice) return DeviceField(field);
    const ObjectField* const found = type.declared == nullptr ? nullptr : type.declared->Find(field);
    return found == nullptr ? nullptr : found->type;
  }

  bool SelectField(Expr& expr, Expr& operand, std::string_view field, bool optional, const Type** result) {
    if (!Visit(operand)) return false;
    const Type* target = unifier_.Substitute(operand.type, false);
    if (target->IsOptional()) {
      target = target->params[0];
      optional = true;
    }
    const Type* type = &types::kDyn;
    switch (target->kind) {
      case K::kMap: type = target->params[1]; break;
      case K::kStruct:
        type = FieldOf(*target, field);
        if (type == nullptr) return Fail(expr.at, StrCat(target->name, " has no field ", Quoted(field)));
        break;
      case K::kParam: unifier_.Assign(&types::kDyn, target); break;
      case K::kDyn:
      case K::kAny: break;
      default: return Fail(expr.at, StrCat("type ", target->ToString(), " has no fields, but field ", Quoted(field), " is selected"));
    }
    *result = optional ? pool_.Optional(type) : type;
    return true;
  }

  bool VisitCall(Expr& expr) {
    if (expr.name == op::kOptSelect) {
      const Type* type = nullptr;
      if (!SelectField(expr, *expr.args[0], expr.args[1]->literal.text, true, &type)) return false;
      static const Function* const kSelect = FindFunction(op::kOptSelect);
      expr.overloads = {&kSelect->overloads[0]};
      return SetType(expr, unifier_.Substitute(type, false));
    }
    for (Expr* const arg : expr.args) {
      if (!Visit(*arg)) return false;
    }
    if (!expr.member) {
      const Function* const function = FindFunction(expr.name);
      if (function == nullptr) return Fail(expr.at, StrCat("unknown function ", Quoted(expr.name)));
      expr.name = function->name;
      return ResolveOverload(expr, *function);
    }
    // a.b.c() is the function "a.b.c" if it exists, else function c of a.b.
    if (std::string name; QualifiedName(*expr.target, &name)) {
      if (const Function* const function = FindFunction(StrCat(name, ".", expr.name)); function != nullptr) {
        expr.name = function->name;
        expr.member = false;
        expr.target = nullptr;
        return ResolveOverload(expr, *function);
      }
    }
    if (!Visit(*expr.target)) return false;
    const Function* const function = FindFunction(expr.name);
    if (function == nullptr) return Fail(expr.at, StrCat("unknown function ", Quoted(expr.name)));
    return ResolveOverload(expr, *function);
  }

  bool ResolveOverload(Expr& expr, const Function& function) {
    if (function.name == op::kAnd || function.name == op::kOr) return ResolveLogic(expr, function);
    std::vector<const Type*> given;
    if (expr.target != nullptr) given.push_back(expr.target->type);
    for (const Expr* const arg : expr.args) given.push_back(arg->type);

    const Type* result = nullptr;
    for (const Overload& overload : function.overloads) {
      if (overload.member != (expr.target != nullptr)) continue;
      std::vector<const Type*> variables;
      for (int i = 0; i < overload.variables; ++i) variables.push_back(unifier_.NewVariable());
      std::vector<const Type*> wanted;
      for (const Type* const arg : overload.args) wanted.push_back(unifier_.Instantiate(arg, variables));
      if (!unifier_.AssignAll(given, wanted)) continue;
      expr.overloads.push_back(&overload);
      const Type* const type = unifier_.Substitute(unifier_.Instantiate(overload.result, variables), false);
      if (result == nullptr) {
        result = type;
      } else if (!result->IsDyn() && !type->Same(*result)) {
        result = &types::kDyn;
      }
    }
    if (result != nullptr) return SetType(expr, result);

    std::vector<std::string> names;
    for (const Type* const type : given) names.push_back(unifier_.Substitute(type, true)->ToString());
    return Fail(expr.at, StrCat(Quoted(Spelling(function.name)), " cannot be applied to (", Join(names, ", "), ")"));
  }

  bool ResolveLogic(Expr& expr, const Function& function) {
    for (const Expr* const arg : expr.args) {
      if (unifier_.Assign(arg->type, &types::kBool)) continue;
      const std::string type = unifier_.Substitute(arg->type, true)->ToString();
      return Fail(arg->at, StrCat("expected bool, but this is ", type));
    }
    expr.overloads = {&function.overloads[0]};
    return SetType(expr, &types::kBool);
  }

  // Joins the type of the elements so far with the next one. The validators reject mixed elements, except in arguments of format().
  void JoinTypes(const Type** joined, const Type* next) {
    if (*joined == nullptr) {
      *joined = next;
    } else if (unifier_.Assign(*joined, next)) {
      *joined = Unifier::MoreGeneral(*joined, next);
    } else {
      *joined = &types::kDyn;
    }
  }

  // Replaces the type of an element written with '?' by the type inside the optional.
  bool Unwrap(const Expr& expr, const Type** type) {
    if ((*type)->IsOptional()) {
      *type = (*type)->params[0];
      return true;
    }
    if ((*type)->IsDyn()) return true;
    return Fail(expr.at, StrCat("'?' needs an optional value, but this is ", (*type)->ToString()));
  }

  bool VisitList(Expr& expr) {
    const Type* element = nullptr;
    for (size_t i = 0; i < expr.args.size(); ++i) {
      if (!Visit(*expr.args[i])) return false;
      const Type* type = expr.args[i]->type;
      if (expr.optional[i] && !Unwrap(*expr.args[i], &type)) return false;
      JoinTypes(&element, type);
    }
    return SetType(expr, pool_.List(element == nullptr ? unifier_.NewVariable() : element));
  }

  bool VisitMap(Expr& expr) {
    const Type* key = nullptr;
    const Type* value = nullptr;
    for (size_t i = 0; i < expr.args.size(); i += 2) {
      if (!Visit(*expr.args[i])) return false;
      JoinTypes(&key, expr.args[i]->type);
      if (!Visit(*expr.args[i + 1])) return false;
      const Type* type = expr.args[i + 1]->type;
      if (expr.optional[i / 2] && !Unwrap(*expr.args[i + 1], &type)) return false;
      JoinTypes(&value, type);
    }
    if (key == nullptr) {
      key = unifier_.NewVariable();
      value = unifier_.NewVariable();
    }
    return SetType(expr, pool_.Map(key, value));
  }

  bool VisitStruct(Expr& expr) {
    const std::string_view name = expr.name.substr(expr.name[0] == '.' ? 1 : 0);
    if (name != types::kDevice.name || FindVariable("device") == nullptr)
      return Fail(expr.at, StrCat("unknown message type ", Quoted(name)));
    for (size_t i = 0; i < expr.args.size(); ++i) {
      Expr& value = *expr.args[i];
      const Type* const wanted = DeviceField(expr.fields[i]);
      if (!Visit(value)) return false;
      const Type* type = value.type;
      if (expr.optional[i] && !Unwrap(value, &type)) return false;
      if (wanted == nullptr || !unifier_.Assign(wanted, type))
        return Fail(value.at, StrCat("field ", Quoted(expr.fields[i]), " cannot have this type"));
    }
    return SetType(expr, &types::kDevice);
  }

  bool VisitComprehension(Expr& expr) {
    Expr::Comprehension& fold = expr.fold;
    if (!Visit(*fold.range) || !Visit(*fold.init)) return false;
    const Type* const range = unifier_.Substitute(fold.range->type, false);
    const Type* const accumulator = fold.init->type;
    const bool two = !fold.iter2.empty();

    const Type* first = &types::kDyn;
    const Type* second = &types::kDyn;
    switch (range->kind) {
      case K::kList:
        first = two ? &types::kInt : range->params[0];
        second = range->params[0];
        break;
      case K::kMap:
        first = range->params[0];
        second = range->params[1];
        break;
      case K::kDyn:
      case K::kError:
      case K::kParam: unifier_.Assign(&types::kDyn, range); break;
      default: return Fail(fold.range->at, StrCat("expected a list or a map to iterate over, but this is ", range->ToString()));
    }

    const size_t outer = scope_.size();
    scope_.emplace_back(fold.accu, accumulator);
    const size_t inner = scope_.size();
    scope_.emplace_back(fold.iter, first);
    if (two) scope_.emplace_back(fold.iter2, second);
    if (!Visit(*fold.condition) || !AssertType(*fold.condition, &types::kBool)) return false;
    if (!Visit(*fold.step) || !AssertType(*fold.step, accumulator)) return false;
    scope_.resize(inner);
    if (!Visit(*fold.result)) return false;
    scope_.resize(outer);
    return SetType(expr, unifier_.Substitute(fold.result->type, false));
  }

  bool AssertType(const Expr& expr, const Type* wanted) {
    if (unifier_.Assign(wanted, expr.type)) return true;
    const std::string expected = unifier_.Substitute(wanted, true)->ToString();
    return Fail(expr.at, StrCat("expected ", expected, ", but this is ", unifier_.Substitute(expr.type, true)->ToString()));
  }

  const Source& source_;
  Ast& ast_;
  TypePool& pool_;
  Unifier unifier_;
  const Type* const attribute_;
  std::vector<std::pair<std::string_view, const Type*>> scope_;
  Status error_;
};

}  // namespace

Status Check(const Source& source, Ast& ast, TypePool& pool, bool dynamic_attributes) {
  return Checker(source, ast, pool, dynamic_attributes).Run();
}

Status CheckWith(const Source& source, Ast& ast, TypePool& pool, std::span<const Variable> variables) {
  return Checker(source, ast, pool, variables).Run();
}

}  // namespace allot::cel

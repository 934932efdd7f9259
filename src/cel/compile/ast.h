#pragma once
// The tree of an expression. The parser builds it, the checker annotates it, and the cost estimate and the planner read it.
//
// Operators are calls with the names of Kubernetes' cost and type tables ("_&&_", "_[_]", "_?_:_"). The parser expands macros, so the tree
// contains comprehensions, never `all` or `map`.

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "cel/compile/source.h"

namespace allot::cel {

struct Type;
struct Overload;

namespace op {
inline constexpr std::string_view kConditional = "_?_:_", kAnd = "_&&_", kOr = "_||_", kNot = "!_", kEqual = "_==_", kNotEqual = "_!=_",
                                  kLess = "_<_", kLessEqual = "_<=_", kGreater = "_>_", kGreaterEqual = "_>=_", kAdd = "_+_",
                                  kSubtract = "_-_", kMultiply = "_*_", kDivide = "_/_", kModulo = "_%_", kNegate = "-_", kIndex = "_[_]",
                                  kOptIndex = "_[?_]", kOptSelect = "_?._", kIn = "@in", kNotStrictlyFalse = "@not_strictly_false";
}  // namespace op

// The accumulator of a macro's comprehension. No identifier in an expression can have this name.
inline constexpr std::string_view kAccumulator = "@result";

struct Literal {
  enum class Kind : uint8_t { kNull, kBool, kInt, kUint, kDouble, kString, kBytes };
  Kind kind = Kind::kNull;
  bool bool_value = false;
  int64_t int_value = 0;
  uint64_t uint_value = 0;
  double double_value = 0;
  std::string_view text;  // kString and kBytes; owned by the Ast
};

struct Expr {
  enum class Kind : uint8_t { kLiteral, kIdent, kSelect, kCall, kList, kMap, kStruct, kComprehension };

  Kind kind = Kind::kLiteral;
  bool test_only = false;  // kSelect: has(operand.field)
  bool member = false;     // kCall: target.name(args)
  Span span;
  uint32_t at = 0;  // where errors about this node point

  Literal literal;
  std::string_view name;                 // identifier, field, function or type name
  Expr* target = nullptr;                // operand of a selection, or receiver of a member call
  std::vector<Expr*> args;               // arguments; elements; map: key, value, key, value...; struct: values
  std::vector<bool> optional;            // per element or entry: marked with '?'
  std::vector<std::string_view> fields;  // kStruct

  struct Comprehension {
    std::string_view iter, iter2, accu;  // iter2 is empty if there is one variable
    Expr *range = nullptr, *init = nullptr, *condition = nullptr, *step = nullptr, *result = nullptr;
  };
  Comprehension fold;

  // Set by the checker.
  const Type* type = nullptr;
  std::vector<const Overload*> overloads;  // those that the argument types allow
  bool is_type = false;                    // the identifier names a type

  bool Is(Kind k) const { return kind == k; }
  bool IsCall(std::string_view function) const { return kind == Kind::kCall && name == function; }
};

// Owns the nodes and texts of one tree.
class Ast {
 public:
  Expr* New(Expr::Kind kind, Span span, uint32_t at);
  Expr* NewLiteral(const Literal& literal, Span span, uint32_t at);
  Expr* NewIdent(std::string_view name, Span span, uint32_t at);
  Expr* NewCall(std::string_view function, std::vector<Expr*> args, Span span, uint32_t at);
  Expr* NewMemberCall(std::string_view function, Expr* target, std::vector<Expr*> args, Span span, uint32_t at);

  // Returns a deep copy, or nullptr once the tree exceeds kMaxNodes: optMap() copies its target, so a chain of them doubles the tree with
  // every link.
  Expr* Copy(const Expr& expr);

  std::string_view Keep(std::string text) { return texts_.emplace_back(std::move(text)); }

  std::deque<Expr>& nodes() { return nodes_; }

  Expr* root = nullptr;

 private:
  static constexpr size_t kMaxNodes = 1'000'000;

  std::deque<Expr> nodes_;
  std::deque<std::string> texts_;
};

}  // namespace allot::cel

#pragma once
// The tree of an expression: what the parser builds, the checker annotates, and cost estimate and planner read.
//
// Operators are calls with the names that Kubernetes' cost and type tables use ("_&&_", "_[_]", "_?_:_"). Macros are expanded while
// parsing, so the tree holds comprehensions, never `all` or `map`.

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "cel/source.h"

namespace allot::cel {

struct Type;
struct Overload;

namespace op {
inline constexpr std::string_view kConditional = "_?_:_", kAnd = "_&&_", kOr = "_||_", kNot = "!_", kEqual = "_==_", kNotEqual = "_!=_",
                                  kLess = "_<_", kLessEqual = "_<=_", kGreater = "_>_", kGreaterEqual = "_>=_", kAdd = "_+_",
                                  kSubtract = "_-_", kMultiply = "_*_", kDivide = "_/_", kModulo = "_%_", kNegate = "-_", kIndex = "_[_]",
                                  kOptIndex = "_[?_]", kOptSelect = "_?._", kIn = "@in", kNotStrictlyFalse = "@not_strictly_false";
}  // namespace op

// The accumulator of a comprehension that a macro made. No identifier can be spelled like this.
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
  uint32_t at = 0;  // where errors about it point

  Literal literal;
  std::string_view name;                 // identifier, field, function or type name
  Expr* target = nullptr;                // operand of a selection, receiver of a member call
  std::vector<Expr*> args;               // arguments; elements; map: key, value, key, value...; struct: values
  std::vector<bool> optional;            // per element or entry: written with '?'
  std::vector<std::string_view> fields;  // kStruct

  struct Comprehension {
    std::string_view iter, iter2, accu;  // iter2 is empty for one variable
    Expr *range = nullptr, *init = nullptr, *condition = nullptr, *step = nullptr, *result = nullptr;
  };
  Comprehension fold;

  // Set by the checker.
  const Type* type = nullptr;
  std::vector<const Overload*> overloads;  // those that the argument types allow
  bool is_type = false;                    // an identifier that names a type

  bool Is(Kind k) const { return kind == k; }
  bool IsCall(std::string_view function) const { return kind == Kind::kCall && name == function; }
};

// Owns the nodes and the texts of one tree.
class Ast {
 public:
  Expr* New(Expr::Kind kind, Span span, uint32_t at);
  Expr* NewLiteral(const Literal& literal, Span span, uint32_t at);
  Expr* NewIdent(std::string_view name, Span span, uint32_t at);
  Expr* NewCall(std::string_view function, std::vector<Expr*> args, Span span, uint32_t at);
  Expr* NewMemberCall(std::string_view function, Expr* target, std::vector<Expr*> args, Span span, uint32_t at);

  // A deep copy. Nothing (nullptr) once the tree is larger than any sensible expression: optMap() copies its target, and a chain of
  // them doubles the tree with every link.
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

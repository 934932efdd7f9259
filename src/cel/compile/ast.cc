#include "cel/compile/ast.h"

namespace allot::cel {

Expr* Ast::New(Expr::Kind kind, Span span, uint32_t at) {
  Expr& expr = nodes_.emplace_back();
  expr.kind = kind;
  expr.span = span;
  expr.at = at;
  return &expr;
}

Expr* Ast::NewLiteral(const Literal& literal, Span span, uint32_t at) {
  Expr* const expr = New(Expr::Kind::kLiteral, span, at);
  expr->literal = literal;
  return expr;
}

Expr* Ast::NewIdent(std::string_view name, Span span, uint32_t at) {
  Expr* const expr = New(Expr::Kind::kIdent, span, at);
  expr->name = name;
  return expr;
}

Expr* Ast::NewCall(std::string_view function, std::vector<Expr*> args, Span span, uint32_t at) {
  Expr* const expr = New(Expr::Kind::kCall, span, at);
  expr->name = function;
  expr->args = std::move(args);
  return expr;
}

Expr* Ast::NewMemberCall(std::string_view function, Expr* target, std::vector<Expr*> args, Span span, uint32_t at) {
  Expr* const expr = NewCall(function, std::move(args), span, at);
  expr->member = true;
  expr->target = target;
  return expr;
}

Expr* Ast::Copy(const Expr& expr) {
  if (nodes_.size() > kMaxNodes) return nullptr;
  Expr* const copy = New(expr.kind, expr.span, expr.at);
  *copy = expr;
  const auto child = [&](Expr*& slot) {
    if (slot != nullptr) slot = Copy(*slot);
    return slot != nullptr;
  };
  if (expr.target != nullptr && !child(copy->target)) return nullptr;
  for (Expr*& arg : copy->args) {
    if (!child(arg)) return nullptr;
  }
  if (expr.kind == Expr::Kind::kComprehension) {
    auto& fold = copy->fold;
    if (!child(fold.range) || !child(fold.init) || !child(fold.condition) || !child(fold.step) || !child(fold.result)) return nullptr;
  }
  return copy;
}

}  // namespace allot::cel

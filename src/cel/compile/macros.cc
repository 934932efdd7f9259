#include "cel/compile/macros.h"

#include <array>

#include "base/strings.h"

namespace allot::cel {
namespace {

// cel.bind is a fold over an empty list: the variable is the accumulator and the body is the result. No identifier can have the name of the
// loop variable.
constexpr std::string_view kUnused = "#unused";
constexpr std::string_view kSortInput = "@__sortBy_input__";
constexpr std::string_view kMapInsert = "cel.@mapInsert";

class Expander {
 public:
  Expander(Ast& ast, Expr* target, const std::vector<Expr*>& args, Span span, uint32_t at)
      : ast_(ast), target_(target), args_(args), span_(span), at_(at) {}

  Expansion Has() {
    const Expr& field = *args_[0];
    if (!field.Is(Expr::Kind::kSelect)) return Fail(field, "has() needs a field selection such as has(device.attributes[\"d\"].id)");
    Expr* const test = New(Expr::Kind::kSelect);
    test->test_only = true;
    test->target = field.target;
    test->name = field.name;
    return {test, {}, 0};
  }

  Expansion All() { return Quantifier(Bool(true), Call(op::kNotStrictlyFalse, {Accu()}), Call(op::kAnd, {Accu(), args_.back()}), Accu()); }

  Expansion Exists() {
    return Quantifier(Bool(false), Call(op::kNotStrictlyFalse, {Call(op::kNot, {Accu()})}), Call(op::kOr, {Accu(), args_.back()}), Accu());
  }

  Expansion ExistsOne() {
    Expr* const step = Call(op::kConditional, {args_.back(), Call(op::kAdd, {Accu(), Int(1)}), Accu()});
    return Quantifier(Int(0), Bool(true), step, Call(op::kEqual, {Accu(), Int(1)}));
  }

  // map(x, transform) and map(x, filter, transform); transformList with two variables.
  Expansion Map(size_t variables) {
    Expr* const step = Call(op::kAdd, {Accu(), List({args_.back()})});
    return Loop(variables, List({}), Filtered(variables, step));
  }

  Expansion Filter() {
    Expr* const step = Call(op::kAdd, {Accu(), List({args_[0]})});
    return Loop(1, List({}), Call(op::kConditional, {args_[1], step, Accu()}));
  }

  Expansion TransformMap() {
    if (!args_[0]->Is(Expr::Kind::kIdent)) return Fail(*args_[0], "expected a variable name");
    Expr* const step = Call(kMapInsert, {Accu(), Ident(args_[0]->name), args_.back()});
    return Loop(2, New(Expr::Kind::kMap), Filtered(2, step));
  }

  Expansion TransformMapEntry() { return Loop(2, New(Expr::Kind::kMap), Filtered(2, Call(kMapInsert, {Accu(), args_.back()}))); }

  Expansion Bind() {
    if (!target_->Is(Expr::Kind::kIdent) || target_->name != "cel") return {};
    if (!args_[0]->Is(Expr::Kind::kIdent)) return Fail(*args_[0], "cel.bind() needs a variable name first");
    return {BindTo(args_[0]->name, args_[1], args_[2]), {}, 0};
  }

  // optMap wraps the body's value again; optFlatMap expects an optional from the body.
  Expansion OptMap(bool wrap) {
    if (!args_[0]->Is(Expr::Kind::kIdent)) return Fail(*args_[0], "expected a variable name");
    Expr* const copy = ast_.Copy(*target_);
    if (copy == nullptr) return Fail(*target_, "expression is too large: every optMap() repeats the expression before it");
    Expr* body = BindTo(args_[0]->name, MemberCall("value", copy, {}), args_[1]);
    if (wrap) body = Call("optional.of", {body});
    return {Call(op::kConditional, {MemberCall("hasValue", target_, {}), body, Call("optional.none", {})}), {}, 0};
  }

  Expansion SortBy() {
    switch (target_->kind) {
      case Expr::Kind::kList:
      case Expr::Kind::kSelect:
      case Expr::Kind::kIdent:
      case Expr::Kind::kComprehension:
      case Expr::Kind::kCall: break;
      default: return Fail(*target_, "sortBy() needs a list");
    }
    Expander keys(ast_, Ident(kSortInput), args_, span_, at_);
    Expansion mapped = keys.Map(1);
    if (mapped.expr == nullptr) return mapped;
    Expr* const sorted = MemberCall("@sortByAssociatedKeys", Ident(kSortInput), {mapped.expr});
    return {BindTo(kSortInput, target_, sorted), {}, 0};
  }

 private:
  Expr* New(Expr::Kind kind) { return ast_.New(kind, span_, at_); }
  Expr* Ident(std::string_view name) { return ast_.NewIdent(name, span_, at_); }
  Expr* Accu() { return Ident(kAccumulator); }
  Expr* Call(std::string_view function, std::vector<Expr*> args) { return ast_.NewCall(function, std::move(args), span_, at_); }
  Expr* MemberCall(std::string_view function, Expr* target, std::vector<Expr*> args) {
    return ast_.NewMemberCall(function, target, std::move(args), span_, at_);
  }
  Expr* Bool(bool value) {
    Literal literal;
    literal.kind = Literal::Kind::kBool;
    literal.bool_value = value;
    return ast_.NewLiteral(literal, span_, at_);
  }
  Expr* Int(int64_t value) {
    Literal literal;
    literal.kind = Literal::Kind::kInt;
    literal.int_value = value;
    return ast_.NewLiteral(literal, span_, at_);
  }
  Expr* List(std::vector<Expr*> elements) {
    Expr* const list = New(Expr::Kind::kList);
    list->optional.assign(elements.size(), false);
    list->args = std::move(elements);
    return list;
  }
  static Expansion Fail(const Expr& where, std::string_view what) { return {nullptr, std::string(what), where.span.begin}; }

  Expr* Filtered(size_t variables, Expr* step) {
    if (args_.size() == variables + 1) return step;
    return Call(op::kConditional, {args_[variables], step, Accu()});
  }

  Expansion Quantifier(Expr* init, Expr* condition, Expr* step, Expr* result) {
    return Fold(args_.size() - 1, init, condition, step, result);
  }
  Expansion Loop(size_t variables, Expr* init, Expr* step) { return Fold(variables, init, Bool(true), step, Accu()); }

  Expansion Fold(size_t variables, Expr* init, Expr* condition, Expr* step, Expr* result) {
    for (size_t i = 0; i < variables; ++i) {
      if (!args_[i]->Is(Expr::Kind::kIdent)) return Fail(*args_[i], "expected a variable name");
      // The accumulator's name in older versions stays reserved.
      if (args_[i]->name == "__result__") return Fail(*args_[i], "__result__ cannot be used as a variable");
    }
    if (variables == 2 && args_[0]->name == args_[1]->name)
      return Fail(*args_[1], StrCat("variable ", args_[1]->name, " is declared twice"));
    Expr* const fold = New(Expr::Kind::kComprehension);
    fold->fold = {args_[0]->name, variables == 2 ? args_[1]->name : std::string_view(), kAccumulator, target_, init, condition, step,
                  result};
    return {fold, {}, 0};
  }

  Expr* BindTo(std::string_view variable, Expr* value, Expr* body) {
    Expr* const fold = New(Expr::Kind::kComprehension);
    fold->fold = {kUnused, {}, variable, List({}), value, Bool(false), Ident(variable), body};
    return fold;
  }

  Ast& ast_;
  Expr* const target_;
  const std::vector<Expr*>& args_;
  const Span span_;
  const uint32_t at_;
};

struct Macro {
  std::string_view name;
  size_t args;
  bool member;
  Expansion (*expand)(Expander&);
};

constexpr std::array kMacros = {
    Macro{"has", 1, false, [](Expander& e) { return e.Has(); }},
    Macro{"all", 2, true, [](Expander& e) { return e.All(); }},
    Macro{"all", 3, true, [](Expander& e) { return e.All(); }},
    Macro{"exists", 2, true, [](Expander& e) { return e.Exists(); }},
    Macro{"exists", 3, true, [](Expander& e) { return e.Exists(); }},
    Macro{"exists_one", 2, true, [](Expander& e) { return e.ExistsOne(); }},
    Macro{"exists_one", 3, true, [](Expander& e) { return e.ExistsOne(); }},
    Macro{"existsOne", 3, true, [](Expander& e) { return e.ExistsOne(); }},
    Macro{"map", 2, true, [](Expander& e) { return e.Map(1); }},
    Macro{"map", 3, true, [](Expander& e) { return e.Map(1); }},
    Macro{"filter", 2, true, [](Expander& e) { return e.Filter(); }},
    Macro{"transformList", 3, true, [](Expander& e) { return e.Map(2); }},
    Macro{"transformList", 4, true, [](Expander& e) { return e.Map(2); }},
    Macro{"transformMap", 3, true, [](Expander& e) { return e.TransformMap(); }},
    Macro{"transformMap", 4, true, [](Expander& e) { return e.TransformMap(); }},
    Macro{"transformMapEntry", 3, true, [](Expander& e) { return e.TransformMapEntry(); }},
    Macro{"transformMapEntry", 4, true, [](Expander& e) { return e.TransformMapEntry(); }},
    Macro{"bind", 3, true, [](Expander& e) { return e.Bind(); }},
    Macro{"optMap", 2, true, [](Expander& e) { return e.OptMap(true); }},
    Macro{"optFlatMap", 2, true, [](Expander& e) { return e.OptMap(false); }},
    Macro{"sortBy", 2, true, [](Expander& e) { return e.SortBy(); }},
};

}  // namespace

Expansion ExpandMacro(Ast& ast, std::string_view name, Expr* target, const std::vector<Expr*>& args, Span span, uint32_t at) {
  for (const Macro& macro : kMacros) {
    if (macro.name != name || macro.args != args.size() || macro.member != (target != nullptr)) continue;
    Expander expander(ast, target, args, span, at);
    return macro.expand(expander);
  }
  return {};
}

}  // namespace allot::cel

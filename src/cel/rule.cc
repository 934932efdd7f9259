#include "cel/rule.h"

#include "base/strings.h"
#include "cel/compile/ast.h"
#include "cel/compile/checker.h"
#include "cel/compile/cost_estimate.h"
#include "cel/compile/parser.h"
#include "cel/compile/planner.h"
#include "cel/compile/source.h"
#include "cel/compile/validators.h"
#include "cel/eval/object_value.h"

namespace allot::cel {
namespace {

constexpr std::string_view kVariables[] = {"self", "oldSelf"};

}  // namespace

struct Rule::Parts {
  Parts(std::string_view expression, uint64_t cost_limit) : source(expression), constants(nullptr, "", cost_limit, 0) {}

  const Source source;
  Frame constants;  // owns what the nodes refer to
  Plan plan;
};

Rule::Rule(std::string expression, const Type& self, const RuleOptions& options)
    : expression_(std::move(expression)),
      self_(self),
      options_(options),
      parts_(std::make_unique<Parts>(expression_, options.cost_limit)) {}

Rule::~Rule() = default;

Result<std::shared_ptr<const Rule>> Rule::Compile(std::string_view expression, const Type& self, const RuleOptions& options) {
  std::shared_ptr<Rule> rule(new Rule(std::string(expression), self, options));
  Parts& parts = *rule->parts_;
  Ast ast;
  TypePool types;
  const Variable variables[] = {{kVariables[0], &self}, {kVariables[1], options.optional_old_self ? types.Optional(&self) : &self}};
  TRY(Parse(parts.source, ast));
  TRY(CheckWith(parts.source, ast, types, variables));
  TRY(Validate(parts.source, *ast.root));
  const Type& result = *ast.root->type;
  if (result.kind != (options.text ? Type::Kind::kString : Type::Kind::kBool)) {
    return parts.source.Error(ast.root->at,
                              StrCat("the expression must be a ", options.text ? "string" : "bool", ", but this is ", result.ToString()));
  }
  ASSIGN_OR_RETURN(parts.plan, MakePlan(parts.source, *ast.root, parts.constants, kVariables));
  rule->uses_old_self_ = parts.plan.reads[1];
  rule->max_cost_ = EstimateMaxCost(*ast.root, self);
  return std::shared_ptr<const Rule>(std::move(rule));
}

template <typename Read>
auto Rule::Evaluate(const json::Value& self, const json::Value* old_self, uint64_t* cost, Read read) const {
  Frame frame(nullptr, "", options_.cost_limit, parts_->plan.slots);
  frame.slot(0).value = ToValue(frame.arena, self_, self);
  Value old = options_.optional_old_self ? Value::Optional(nullptr) : Value::Error("there is no oldSelf");
  if (old_self != nullptr && uses_old_self_) {
    old = ToValue(frame.arena, self_, *old_self);
    if (options_.optional_old_self) old = frame.NewOptional(old);
  }
  frame.slot(1).value = old;
  const Value result = parts_->plan.root->Eval(frame);
  *cost = frame.cost();
  return read(result);
}

Result<bool> Rule::Holds(const json::Value& self, const json::Value* old_self, uint64_t* cost) const {
  return Evaluate(self, old_self, cost, [](const Value& result) -> Result<bool> {
    if (result.Is(Kind::kBool)) return result.boolean;
    if (result.IsFatal()) return Exhausted(result.Text());
    if (result.IsError()) return Invalid(result.Text());
    return Invalid("the result is ", TypeNameOf(result), ", not bool");
  });
}

Result<std::string> Rule::Text(const json::Value& self, const json::Value* old_self, uint64_t* cost) const {
  return Evaluate(self, old_self, cost, [](const Value& result) -> Result<std::string> {
    if (result.Is(Kind::kString)) return std::string(result.Text());
    if (result.IsFatal()) return Exhausted(result.Text());
    if (result.IsError()) return Invalid(result.Text());
    return Invalid("the result is ", TypeNameOf(result), ", not string");
  });
}

}  // namespace allot::cel

#include "cel/compile/planner.h"

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "cel/compile/declarations.h"
#include "cel/eval/attribute.h"
#include "cel/eval/call.h"
#include "cel/eval/maps.h"

namespace allot::cel {
namespace {

// Functions that the planner evaluates if their argument is a constant. A failure is a compile error.
bool IsConversion(std::string_view function) {
  static constexpr std::array<std::string_view, 10> kConversions = {"bool", "bytes",  "double",    "duration", "dyn",
                                                                    "int",  "string", "timestamp", "type",     "uint"};
  return std::find(kConversions.begin(), kConversions.end(), function) != kConversions.end();
}

bool IsRegexFunction(std::string_view function) { return function == "matches" || function == "find" || function == "findAll"; }

bool CanBeIndex(const Value& value) { return value.Is(Kind::kString) || value.Is(Kind::kBool) || value.IsNumber(); }

bool AreScalars(const List& list) {
  for (uint64_t i = 0; i < list.size; ++i) {
    const Value& value = list.At(i);
    if (!value.Is(Kind::kString) && !value.Is(Kind::kBool) && !value.IsNumber()) return false;
  }
  return true;
}

// Returns whether to store the value with the program instead of computing it each time.
bool IsWorthFolding(const Value& value) {
  switch (value.kind) {
    case Kind::kError:
    case Kind::kList:
    case Kind::kMap:
    case Kind::kOptional: return false;
    case Kind::kString:
    case Kind::kBytes: return value.size <= 4096;
    default: return true;
  }
}

class Planner {
 public:
  Planner(const Source& source, Frame& constants, std::span<const std::string_view> variables)
      : source_(source), constants_(constants), reads_(variables.size()) {
    for (const std::string_view name : variables) scope_.push_back({name, slots_++, nullptr});
  }

  Result<Plan> Run(const Expr& root) {
    Plan plan;
    if (root.IsCall(op::kAnd)) {
      std::vector<NodePtr> terms;
      std::vector<const Expr*> exprs;
      if (!Terms(root, op::kAnd, &terms, &exprs)) return error_;
      for (size_t i = 0; i < terms.size(); ++i) plan.terms.push_back({terms[i].get(), exprs[i]->span});
      plan.root = NewAnd(std::move(terms));
    } else {
      plan.root = Visit(root);
      if (plan.root == nullptr) return error_;
      plan.terms.push_back({plan.root.get(), root.span});
    }
    plan.slots = slots_;
    plan.reads = std::move(reads_);
    return plan;
  }

 private:
  struct Variable {
    std::string_view name;
    size_t slot = 0;
    const FoldNode* fold = nullptr;  // set for the accumulator of this comprehension
  };

  NodePtr Fail(const Expr& expr, std::string_view message) {
    if (error_.ok()) error_ = source_.Error(expr.at, message);
    return nullptr;
  }

  // Plans all of `expr`. Returns nullptr after an error.
  NodePtr Visit(const Expr& expr) {
    NodePtr node = VisitKind(expr);
    if (node == nullptr) return nullptr;
    if (AttributeNode* const attribute = node->AsAttribute()) attribute->Finish(constants_.arena);
    return node;
  }

  // The same, but the caller may still add steps.
  NodePtr VisitKind(const Expr& expr) {
    switch (expr.kind) {
      case Expr::Kind::kLiteral: return std::make_unique<ConstantNode>(ValueOf(expr.literal));
      case Expr::Kind::kIdent: return VisitIdent(expr);
      case Expr::Kind::kSelect: return VisitSelect(expr);
      case Expr::Kind::kCall: return VisitCall(expr);
      case Expr::Kind::kList: return VisitList(expr);
      case Expr::Kind::kMap: return VisitMap(expr);
      case Expr::Kind::kStruct: {
        std::vector<NodePtr> values;
        return VisitAll(expr.args, &values) ? NewStruct(std::move(values)) : nullptr;
      }
      case Expr::Kind::kComprehension: return VisitComprehension(expr);
    }
    return nullptr;
  }

  bool VisitAll(const std::vector<Expr*>& exprs, std::vector<NodePtr>* nodes) {
    for (const Expr* const expr : exprs) {
      nodes->push_back(Visit(*expr));
      if (nodes->back() == nullptr) return false;
    }
    return true;
  }

  Value ValueOf(const Literal& literal) {
    switch (literal.kind) {
      case Literal::Kind::kNull: return Value::Null();
      case Literal::Kind::kBool: return Value::Bool(literal.bool_value);
      case Literal::Kind::kInt: return Value::Int(literal.int_value);
      case Literal::Kind::kUint: return Value::Uint(literal.uint_value);
      case Literal::Kind::kDouble: return Value::Double(literal.double_value);
      case Literal::Kind::kString: return Value::String(constants_.arena.Copy(literal.text));
      case Literal::Kind::kBytes: return Value::Bytes(constants_.arena.Copy(literal.text));
    }
    return Value::Null();
  }

  NodePtr VisitIdent(const Expr& expr) {
    if (expr.is_type) return std::make_unique<ConstantNode>(Value::TypeName(constants_.arena.Copy(expr.name)));
    for (auto variable = scope_.rbegin(); variable != scope_.rend(); ++variable) {
      if (variable->name != expr.name) continue;
      if (variable->fold != nullptr) return AttributeNode::OfAccumulator(variable->fold);
      if (variable->slot < reads_.size()) reads_[variable->slot] = true;
      return AttributeNode::OfVariable(variable->slot);
    }
    return AttributeNode::OfDevice();
  }

  // Plans the operand of a selection: extends an existing chain or starts a new one.
  std::unique_ptr<AttributeNode> Operand(const Expr& expr) {
    NodePtr node = VisitKind(expr);
    if (node == nullptr) return nullptr;
    if (AttributeNode* const attribute = node->AsAttribute()) {
      node.release();
      return std::unique_ptr<AttributeNode>(attribute);
    }
    return AttributeNode::OfValue(std::move(node));
  }

  NodePtr VisitSelect(const Expr& expr) {
    auto chain = Operand(*expr.target);
    if (chain == nullptr) return nullptr;
    AttributeNode::Step step;
    step.key = Value::String(constants_.arena.Copy(expr.name));
    step.test_only = expr.test_only;
    chain->Add(step);
    if (expr.test_only) chain->MakeTest();
    return chain;
  }

  NodePtr VisitIndex(const Expr& expr, bool optional) {
    auto chain = Operand(*expr.args[0]);
    if (chain == nullptr) return nullptr;
    NodePtr index = Visit(*expr.args[1]);
    if (index == nullptr) return nullptr;
    AttributeNode::Step step;
    step.optional = optional;
    if (const Value* const constant = index->Constant()) {
      if (!CanBeIndex(*constant)) return Fail(*expr.args[1], "this cannot be an index");
      step.key = *constant;
    } else {
      step.index = std::move(index);
    }
    chain->Add(step);
    return chain;
  }

  bool Terms(const Expr& expr, std::string_view function, std::vector<NodePtr>* nodes, std::vector<const Expr*>* exprs) {
    for (const Expr* const arg : expr.args) {
      if (arg->IsCall(function)) {
        if (!Terms(*arg, function, nodes, exprs)) return false;
        continue;
      }
      nodes->push_back(Visit(*arg));
      if (nodes->back() == nullptr) return false;
      exprs->push_back(arg);
    }
    return true;
  }

  NodePtr VisitCall(const Expr& expr) {
    if (expr.name == op::kAnd || expr.name == op::kOr) {
      std::vector<NodePtr> terms;
      std::vector<const Expr*> exprs;
      if (!Terms(expr, expr.name, &terms, &exprs)) return nullptr;
      return expr.name == op::kAnd ? NewAnd(std::move(terms)) : NewOr(std::move(terms));
    }
    if (expr.name == op::kIndex) return VisitIndex(expr, false);
    if (expr.name == op::kOptIndex || expr.name == op::kOptSelect) return VisitIndex(expr, true);

    std::vector<NodePtr> args;
    if (expr.target != nullptr) {
      args.push_back(Visit(*expr.target));
      if (args.back() == nullptr) return nullptr;
    }
    if (!VisitAll(expr.args, &args)) return nullptr;
    if (expr.name == op::kConditional) return AttributeNode::OfConditional(std::move(args[0]), std::move(args[1]), std::move(args[2]));
    if (expr.name == op::kEqual) return NewEqual(std::move(args[0]), std::move(args[1]), false);
    if (expr.name == op::kNotEqual) return NewEqual(std::move(args[0]), std::move(args[1]), true);
    if (expr.name == "or" || expr.name == "orValue") return NewOptionalOr(std::move(args[0]), std::move(args[1]), expr.name == "orValue");
    return VisitFunction(expr, std::move(args));
  }

  NodePtr VisitFunction(const Expr& expr, std::vector<NodePtr> args) {
    CallPlan plan;
    plan.function = FunctionOf(*expr.overloads[0]);
    if (expr.overloads.size() == 1) plan.overload_id = expr.overloads[0]->id;
    if (expr.overloads[0]->Has(Declaration::kSingleton)) {
      plan.overload = expr.overloads[0];
      plan.check_arguments = false;
    } else if (expr.overloads.size() == 1) {
      plan.overload = expr.overloads[0];
      plan.check_arguments = NeedsCheck(expr, *plan.overload);
    }

    if (plan.overload_id == "in_list") {
      const Value* const list = args[1]->Constant();
      if (list != nullptr && list->Is(Kind::kList)) {
        if (list->list->size == 0) return std::make_unique<ConstantNode>(Value::Bool(false));
        if (AreScalars(*list->list)) return NewInSet(std::move(args[0]), *list->list, constants_.arena);
      }
    }
    const bool all_constant = std::all_of(args.begin(), args.end(), [](const NodePtr& arg) { return arg->Constant() != nullptr; });
    const bool is_conversion = all_constant && args.size() == 1 && IsConversion(plan.function->name);
    uint64_t ignored = 0;
    const bool all_known = std::all_of(args.begin(), args.end(), [&](const NodePtr& arg) { return arg->Known(&ignored) != nullptr; });

    NodePtr node;
    if (IsRegexFunction(plan.function->name) && args[1]->Constant() != nullptr && args[1]->Constant()->Is(Kind::kString)) {
      const std::string_view pattern = args[1]->Constant()->Text();
      Result<NodePtr> call = NewRegexCall(plan, std::move(args), pattern);
      if (!call.ok()) return Fail(expr, call.status().message());
      node = *std::move(call);
    } else {
      node = NewCall(plan, std::move(args));
    }
    if (is_conversion) {
      const Value value = Compute(*node, &ignored);
      if (value.IsError()) return Fail(expr, value.Text());
      return std::make_unique<ConstantNode>(value);
    }
    if (!all_known) return node;
    uint64_t cost = 0;
    const Value value = Compute(*node, &cost);
    if (!IsWorthFolding(value)) return node;
    return std::make_unique<FoldedNode>(value, cost);
  }

  // Returns whether the kind of an argument at run time can differ from what the overload declares.
  static bool NeedsCheck(const Expr& expr, const Overload& overload) {
    size_t i = 0;
    const auto differs = [&](const Type& given) {
      return !given.Same(*overload.args[i]) && (given.IsLoose() || given.kind == Type::Kind::kNull);
    };
    if (expr.target != nullptr) {
      if (differs(*expr.target->type)) return true;
      ++i;
    }
    for (const Expr* const arg : expr.args) {
      if (differs(*arg->type) || arg->type->kind == Type::Kind::kNull) return true;
      ++i;
    }
    return expr.target != nullptr && expr.target->type->kind == Type::Kind::kNull;
  }

  Value Compute(const Node& node, uint64_t* cost) {
    const uint64_t before = constants_.cost();
    const Value value = node.Eval(constants_);
    *cost = constants_.cost() - before;
    constants_.Refund(*cost);
    return value;
  }

  // A list or map of constants is a constant. If its parts are known at a cost, it is folded and the cost is charged.
  NodePtr MaybeConstant(NodePtr node, bool constant, bool known, size_t size) {
    constexpr size_t kLargest = 4096;
    uint64_t cost = 0;
    if (constant) return std::make_unique<ConstantNode>(Compute(*node, &cost));
    if (!known || size > kLargest) return node;
    const Value value = Compute(*node, &cost);
    if (value.IsError()) return node;
    return std::make_unique<FoldedNode>(value, cost);
  }

  NodePtr VisitList(const Expr& expr) {
    std::vector<NodePtr> elements;
    if (!VisitAll(expr.args, &elements)) return nullptr;
    bool constant = false, known = false;
    Examine(elements, &constant, &known);
    return MaybeConstant(NewList(std::move(elements), expr.optional), constant, known, expr.args.size());
  }

  NodePtr VisitMap(const Expr& expr) {
    std::vector<NodePtr> entries;
    if (!VisitAll(expr.args, &entries)) return nullptr;
    bool constant = false, known = false;
    Examine(entries, &constant, &known);
    if (constant) {
      for (size_t i = 0; i < entries.size(); i += 2) {
        if (!CanBeKey(*entries[i]->Constant())) return Fail(*expr.args[i], "bytes cannot be a map key");
      }
    }
    return MaybeConstant(NewMap(std::move(entries), expr.optional), constant, known, expr.args.size());
  }

  static void Examine(const std::vector<NodePtr>& nodes, bool* constant, bool* known) {
    *constant = *known = true;
    for (const NodePtr& node : nodes) {
      uint64_t cost = 0;
      *constant = *constant && node->Constant() != nullptr;
      *known = *known && node->Known(&cost) != nullptr;
    }
  }

  NodePtr VisitComprehension(const Expr& expr) {
    const Expr::Comprehension& fold = expr.fold;
    FoldNode::Parts parts;
    parts.two_variables = !fold.iter2.empty();
    // Every variable has its own slot: an accumulator may be computed while later comprehensions run.
    parts.accu_slot = slots_++;
    parts.iter_slot = slots_++;
    if (parts.two_variables) parts.iter2_slot = slots_++;
    auto node = std::make_unique<FoldNode>(parts.accu_slot);

    parts.init = Visit(*fold.init);
    if (parts.init == nullptr) return nullptr;
    parts.range = Visit(*fold.range);
    if (parts.range == nullptr) return nullptr;
    const size_t outer = scope_.size();
    scope_.push_back({fold.accu, parts.accu_slot, node.get()});
    const size_t inner = scope_.size();
    scope_.push_back({fold.iter, parts.iter_slot, nullptr});
    if (parts.two_variables) scope_.push_back({fold.iter2, parts.iter2_slot, nullptr});
    parts.condition = Visit(*fold.condition);
    if (parts.condition == nullptr) return nullptr;
    parts.step = Visit(*fold.step);
    if (parts.step == nullptr) return nullptr;
    scope_.resize(inner);
    parts.result = Visit(*fold.result);
    if (parts.result == nullptr) return nullptr;
    scope_.resize(outer);
    node->Set(std::move(parts));
    return node;
  }

  const Source& source_;
  Frame& constants_;
  std::vector<Variable> scope_;
  size_t slots_ = 0;
  std::vector<bool> reads_;
  Status error_;
};

}  // namespace

Result<Plan> MakePlan(const Source& source, const Expr& root, Frame& constants, std::span<const std::string_view> variables) {
  return Planner(source, constants, variables).Run(root);
}

}  // namespace allot::cel

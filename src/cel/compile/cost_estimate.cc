#include "cel/compile/cost_estimate.h"

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/utf8.h"
#include "cel/compile/cost_calls.h"
#include "cel/compile/cost_range.h"
#include "cel/compile/declarations.h"

namespace allot::cel {
namespace {

using K = Type::Kind;

// The sizes of the keys (or indices) and values of a list or map.
struct Entries {
  bool is_list = false;
  Range key, value;
};

struct Variable {
  std::string_view name;
  Path path;
  std::optional<Range> size;
  std::optional<Entries> entries;
};

bool IsScalar(const Type& type) {
  switch (type.kind) {
    case K::kBool:
    case K::kDouble:
    case K::kDuration:
    case K::kInt:
    case K::kTimestamp:
    case K::kUint: return true;
    default: return type.IsOptional() && IsScalar(*type.params[0]);
  }
}

std::optional<Entries> Union(const std::optional<Entries>& a, const std::optional<Entries>& b) {
  if (!a || !b) return std::nullopt;
  return Entries{a->is_list, a->key.Union(b->key), a->value.Union(b->value)};
}

class Estimator {
 public:
  explicit Estimator(const Type* declared) : declared_(declared) {}

  Range CostOf(const Expr& expr) {
    switch (expr.kind) {
      case Expr::Kind::kLiteral: return {};
      case Expr::Kind::kIdent: return CostOfIdent(expr);
      case Expr::Kind::kSelect: return CostOfSelect(expr);
      case Expr::Kind::kCall: return CostOfCall(expr);
      case Expr::Kind::kList: return CostOfList(expr);
      case Expr::Kind::kMap: return CostOfMap(expr);
      case Expr::Kind::kStruct: return CostOfStruct(expr);
      case Expr::Kind::kComprehension: return IsBind(expr) ? CostOfBind(expr) : CostOfFold(expr);
    }
    return {};
  }

 private:
  const Variable* FindVariable(std::string_view name) const {
    for (auto variable = scope_.rbegin(); variable != scope_.rend(); ++variable) {
      if (variable->name == name) return &*variable;
    }
    return nullptr;
  }

  Path PathOf(const Expr& expr) const {
    if (expr.Is(Expr::Kind::kIdent)) {
      if (const Variable* const variable = FindVariable(expr.name)) return variable->path;
    }
    const auto found = paths_.find(&expr);
    return found == paths_.end() ? Path() : found->second;
  }

  // Returns the size of a literal list, map or text.
  static std::optional<Range> SizeOfLiteral(const Expr& expr) {
    if (expr.Is(Expr::Kind::kList)) return Range::Of(expr.args.size());
    if (expr.Is(Expr::Kind::kMap)) return Range::Of(expr.args.size() / 2);
    if (!expr.Is(Expr::Kind::kLiteral)) return std::nullopt;
    if (expr.literal.kind == Literal::Kind::kString) return Range::Of(CountCharacters(expr.literal.text));
    if (expr.literal.kind == Literal::Kind::kBytes) return Range::Of(expr.literal.text.size());
    return Range::Of(1);
  }

  std::optional<Range> SizeOf(const Expr& expr) {
    if (const auto known = sizes_.find(&expr); known != sizes_.end()) return known->second;
    if (const auto literal = SizeOfLiteral(expr)) return literal;
    if (const auto place = SizeAt(PathOf(expr))) {
      sizes_[&expr] = *place;
      return place;
    }
    if (IsScalar(*expr.type)) return Range::Of(1);
    if (expr.Is(Expr::Kind::kIdent)) {
      if (const Variable* const variable = FindVariable(expr.name)) return variable->size;
    }
    return std::nullopt;
  }
  Range SizeOrUnknown(const Expr& expr) { return SizeOf(expr).value_or(Range::Unknown()); }
  void SetSize(const Expr& expr, const std::optional<Range>& size) {
    if (size) sizes_[&expr] = *size;
  }

  std::optional<Entries> EntriesOf(const Expr& expr) const {
    if (const auto known = entries_.find(&expr); known != entries_.end()) return known->second;
    if (expr.Is(Expr::Kind::kIdent)) {
      if (const Variable* const variable = FindVariable(expr.name)) return variable->entries;
    }
    return std::nullopt;
  }
  void SetEntries(const Expr& expr, const std::optional<Entries>& entries) {
    if (entries) entries_[&expr] = *entries;
  }

  CostNode NodeOf(const Expr& expr) {
    CostNode node;
    node.expr = &expr;
    node.type = expr.type;
    node.path = PathOf(expr);
    node.size = SizeOf(expr);
    if (!node.path.empty() && (node.path[0] == kAccumulator || node.path[0] == "__result__")) node.path = Path();
    return node;
  }

  Range CostOfIdent(const Expr& expr) {
    const Variable* const variable = FindVariable(expr.name);
    paths_[&expr] = variable != nullptr ? variable->path : Path::Root(expr.name, declared_);
    return Range::Of(1);
  }

  Range CostOfSelect(const Expr& expr) {
    Range cost = CostOf(*expr.target);
    if (expr.test_only) return cost;
    switch (expr.target->type->kind) {
      case K::kMap:
      case K::kStruct:
      case K::kParam: cost = cost + Range::Of(1); break;
      default: break;
    }
    paths_[&expr] = PathOf(*expr.target).Append(expr.name);
    return cost;
  }

  Range CostOfCall(const Expr& expr) {
    if (expr.name == "dyn" && expr.args.size() == 1) {
      const Range cost = CostOf(*expr.args[0]);
      SetSize(expr, SizeOf(*expr.args[0]));
      SetEntries(expr, EntriesOf(*expr.args[0]));
      return Range::Of(1) + cost;
    }
    std::vector<Range> costs;
    std::vector<CostNode> args;
    for (const Expr* const arg : expr.args) {
      costs.push_back(CostOf(*arg));
      args.push_back(NodeOf(*arg));
    }
    Range sum;
    std::optional<CostNode> target;
    if (expr.member) {
      sum = CostOf(*expr.target);
      target = NodeOf(*expr.target);
    }
    Range cost = {kUnbounded, 0};
    std::optional<Range> result;
    for (const Overload* const overload : expr.overloads) {
      const CallEstimate estimate = EstimateCall(expr, overload->id, target ? &*target : nullptr, args, costs);
      cost = cost.Union(estimate.cost);
      if (estimate.result_size) result = result ? result->Union(*estimate.result_size) : *estimate.result_size;
      if (overload->id == "index_list" || overload->id == "index_map") {
        const auto entries = EntriesOf(*expr.args[0]);
        result = entries ? std::optional(entries->value) : std::nullopt;
        paths_[&expr] = PathOf(*expr.args[0]).Append(overload->id == "index_list" ? "@items" : "@values");
      }
      if (!result) result = SizeOf(expr);
    }
    SetSize(expr, result);
    return sum + cost;
  }

  CallEstimate EstimateCall(const Expr& expr, std::string_view overload, const CostNode* target, const std::vector<CostNode>& args,
                            const std::vector<Range>& costs) {
    Range of_args;
    for (const Range& cost : costs) of_args = of_args + cost;
    if (auto library = EstimateLibraryCall(expr.name, overload, target, args)) return {library->cost + of_args, library->result_size};

    const auto size_of = [](const CostNode& node) { return node.size.value_or(Range::Unknown()); };
    const auto traversal = [&](const CostNode& node) { return size_of(node).Scaled(kTraversalFactor); };
    const std::string_view function = expr.name;
    if (overload == "string_format" && target != nullptr) return {traversal(*target) + of_args, std::nullopt};
    if (overload == "string_to_bytes") {
      const Range size = size_of(args[0]);
      return {size.Scaled(kTraversalFactor) + of_args, Range{size.min, size.max * 4}};
    }
    if (overload == "bytes_to_string") {
      const Range size = size_of(args[0]);
      return {size.Scaled(kTraversalFactor) + of_args, Range{size.min / 4, size.max}};
    }
    if (overload == "strings_quote") {
      const Range size = size_of(args[0]);
      return {size.Scaled(kTraversalFactor) + of_args, Range{size.min + 2, size.max * 2 + 2}};
    }
    if (overload == "starts_with_string" || overload == "ends_with_string") return {traversal(args[0]) + of_args, std::nullopt};
    if (overload == "in_list") return {size_of(args[1]).Scaled(1) + of_args, std::nullopt};
    if (overload == "matches_string" && target != nullptr) {
      const Range text = (size_of(*target) + Range::Of(1)).Scaled(kTraversalFactor);
      return {text * size_of(args[0]).Scaled(kRegexFactor) + of_args, std::nullopt};
    }
    if (overload == "contains_string" && target != nullptr) return {traversal(*target) * traversal(args[0]) + of_args, std::nullopt};
    if (function == op::kAnd || function == op::kOr) return {Range{costs[0].min, (costs[0] + costs[1]).max}, std::nullopt};
    if (function == op::kConditional) {
      SetEntries(expr, Union(EntriesOf(*expr.args[1]), EntriesOf(*expr.args[2])));
      return {costs[0] + costs[1].Union(costs[2]), size_of(args[1]).Union(size_of(args[2]))};
    }
    if (overload == "add_string" || overload == "add_bytes" || overload == "add_list") {
      const Range size = size_of(args[0]) + size_of(args[1]);
      SetEntries(expr, Union(EntriesOf(*expr.args[0]), EntriesOf(*expr.args[1])));
      return {(overload == "add_list" ? Range::Of(1) : size.Scaled(kTraversalFactor)) + of_args, size};
    }
    const auto ends = [&](std::string_view end) {
      return overload.size() >= end.size() && overload.substr(overload.size() - end.size()) == end;
    };
    const bool ordered = function == op::kLess || function == op::kLessEqual || function == op::kGreater || function == op::kGreaterEqual;
    if (function == op::kEqual || function == op::kNotEqual || (ordered && (ends("_string") || ends("_bytes")))) {
      const uint64_t smaller = std::min(size_of(args[0]).max, size_of(args[1]).max);
      return {Range{smaller > 0 ? uint64_t{1} : 0, smaller}.Scaled(kTraversalFactor) + of_args, std::nullopt};
    }
    return {Range::Of(1) + of_args, std::nullopt};
  }

  Range CostOfList(const Expr& expr) {
    Range cost;
    Range item = {expr.args.empty() ? 0 : kUnbounded, 0};
    for (const Expr* const element : expr.args) {
      cost = cost + CostOf(*element);
      item = item.Union(SizeOrUnknown(*element));
    }
    entries_[&expr] = Entries{true, Range::Of(1), item};
    return cost + Range::Of(kListCost);
  }

  Range CostOfMap(const Expr& expr) {
    Range cost;
    Range key = {expr.args.empty() ? 0 : kUnbounded, 0};
    Range value = key;
    for (size_t i = 0; i < expr.args.size(); i += 2) {
      cost = cost + CostOf(*expr.args[i]);
      cost = cost + CostOf(*expr.args[i + 1]);
      key = key.Union(SizeOrUnknown(*expr.args[i]));
      value = value.Union(SizeOrUnknown(*expr.args[i + 1]));
    }
    entries_[&expr] = Entries{false, key, value};
    return cost + Range::Of(kMapCost);
  }

  Range CostOfStruct(const Expr& expr) {
    Range cost;
    for (const Expr* const value : expr.args) cost = cost + CostOf(*value);
    return cost + Range::Of(kStructCost);
  }

  static bool IsBind(const Expr& expr) {
    const auto& fold = expr.fold;
    return fold.range->Is(Expr::Kind::kList) && fold.range->args.empty() && fold.condition->Is(Expr::Kind::kLiteral) &&
           fold.condition->literal.kind == Literal::Kind::kBool && !fold.condition->literal.bool_value && fold.accu != "__result__";
  }

  void PushAccumulator(const Expr& expr) {
    // Keep this order: SizeOf must run before the variable is in scope.
    Variable variable{expr.fold.accu, PathOf(*expr.fold.init), std::nullopt, EntriesOf(*expr.fold.init)};
    variable.size = SizeOf(*expr.fold.init);
    scope_.push_back(std::move(variable));
  }

  Range CostOfBind(const Expr& expr) {
    Range cost = CostOf(*expr.fold.range) + CostOf(*expr.fold.init);
    PushAccumulator(expr);
    cost = cost + CostOf(*expr.fold.result);
    scope_.pop_back();
    SetSize(expr, SizeOf(*expr.fold.result));
    SetEntries(expr, EntriesOf(*expr.fold.result));
    return cost;
  }

  void PushLoopVariable(std::string_view name, const Expr& range, bool is_key, bool alone) {
    const std::optional<Entries> entries = EntriesOf(range);
    const bool list = entries ? entries->is_list : range.type->kind == K::kList;
    if (alone && list) is_key = false;
    const std::string_view step = is_key ? (list ? "@indices" : "@keys") : (list ? "@items" : "@values");
    Variable variable{name, PathOf(range).Append(step), std::nullopt, std::nullopt};
    if (entries) variable.size = is_key ? entries->key : entries->value;
    scope_.push_back(std::move(variable));
  }

  Range CostOfFold(const Expr& expr) {
    const auto& fold = expr.fold;
    Range cost = CostOf(*fold.range) + CostOf(*fold.init);
    PushAccumulator(expr);
    const size_t outer = scope_.size();
    if (!fold.iter2.empty()) {
      PushLoopVariable(fold.iter, *fold.range, true, false);
      PushLoopVariable(fold.iter2, *fold.range, false, false);
    } else {
      PushLoopVariable(fold.iter, *fold.range, true, true);
    }
    const Range condition = CostOf(*fold.condition);
    const Range step = CostOf(*fold.step);
    scope_.resize(outer);
    cost = cost + CostOf(*fold.result);
    scope_.pop_back();

    const Range count = SizeOrUnknown(*fold.range);
    cost = cost + count * (step + condition);
    if (fold.init->Is(Expr::Kind::kLiteral)) {
      SetSize(expr, SizeOf(*fold.init));
    } else if (fold.init->Is(Expr::Kind::kList) || fold.init->Is(Expr::Kind::kMap)) {
      SetSize(expr, count);
      SetEntries(expr, EntriesOf(*fold.step));
    }
    return cost;
  }

  const Type* const declared_;
  std::vector<Variable> scope_;
  std::unordered_map<const Expr*, Path> paths_;
  std::unordered_map<const Expr*, Range> sizes_;
  std::unordered_map<const Expr*, Entries> entries_;
};

}  // namespace

uint64_t EstimateMaxCost(const Expr& root) { return Estimator(nullptr).CostOf(root).max; }
uint64_t EstimateMaxCost(const Expr& root, const Type& declared) { return Estimator(&declared).CostOf(root).max; }

}  // namespace allot::cel

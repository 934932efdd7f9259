#include "cel/eval/call.h"

#include <algorithm>

#include "base/strings.h"
#include "cel/library/regex.h"

namespace allot::cel {
namespace {

constexpr size_t kMaxArgs = 8;  // more than any function has

// Checks the kinds that the implementation relies on. The static types nearly always guarantee them, but not after an optional was
// converted.
bool HasKinds(const Overload& overload, std::span<const Value> args) {
  if (overload.Has(Declaration::kSingleton) || overload.Has(Declaration::kUnguarded) || overload.Has(Declaration::kNonStrict)) return true;
  for (size_t i = 0; i < args.size(); ++i) {
    if (overload.kinds[i] != Kind::kError && overload.kinds[i] != args[i].kind) return false;
  }
  return true;
}

Value Invoke(Frame& frame, const CallPlan& plan, std::span<const Value> args) {
  const auto fits = [&](const Overload& overload) {
    if (overload.args.size() != args.size()) return false;
    if (overload.Has(Declaration::kUnguarded)) return true;
    for (size_t i = 0; i < args.size(); ++i) {
      if (args[i].IsError() ? !overload.Has(Declaration::kNonStrict) : !IsAssignable(*overload.args[i], args[i])) return false;
    }
    return true;
  };
  if (plan.overload != nullptr) {
    if (plan.check_arguments ? !fits(*plan.overload) : !HasKinds(*plan.overload, args)) return Value::Error(kNoSuchOverload);
    return plan.overload->run(frame, args);
  }
  for (const Overload& overload : plan.function->overloads) {
    if (overload.run != nullptr && fits(overload)) return overload.run(frame, args);
  }
  return frame.NewError(StrCat("no such overload: ", plan.function->name));
}

// Charges for a call after all its arguments were evaluated.
Value Charged(Frame& frame, CostRule rule, std::span<const Value> args, const Value& result) {
  if (result.IsFatal()) return result;
  const uint64_t cost = rule(args, result);
  if (cost == kCostPanic) return Value::Fatal("internal error: the cost of the call cannot be computed");
  return frame.Charge(cost) ? result : Frame::OverLimit();
}

// Evaluates all arguments before it looks for errors among them.
class StrictCall final : public Node {
 public:
  StrictCall(const CallPlan& plan, std::vector<NodePtr> args)
      : plan_(plan), rule_(RuleFor(plan.function->name, plan.overload_id)), args_(std::move(args)) {}

  Value Eval(Frame& frame) const override {
    Value values[2];
    const std::span<const Value> args(values, args_.size());
    for (size_t i = 0; i < args_.size(); ++i) {
      values[i] = args_[i]->Eval(frame);
      if (values[i].IsFatal()) return values[i];
    }
    const bool sees_errors = plan_.overload != nullptr && plan_.overload->Has(Declaration::kNonStrict);
    for (const Value& value : args) {
      if (value.IsError() && !sees_errors) return Charged(frame, rule_, args, value);
    }
    return Charged(frame, rule_, args, Invoke(frame, plan_, args));
  }

 private:
  const CallPlan plan_;
  const CostRule rule_;
  const std::vector<NodePtr> args_;
};

// Stops at the first argument that is an error. The call is then charged only if that was the last argument.
class EagerCall final : public Node {
 public:
  EagerCall(const CallPlan& plan, std::vector<NodePtr> args, std::unique_ptr<const Regex> regex)
      : plan_(plan), rule_(RuleFor(plan.function->name, plan.overload_id)), args_(std::move(args)), regex_(std::move(regex)) {}

  Value Eval(Frame& frame) const override {
    Value values[kMaxArgs];
    const std::span<const Value> args(values, args_.size());
    for (size_t i = 0; i < args_.size(); ++i) {
      values[i] = args_[i]->Eval(frame);
      if (!values[i].IsError()) continue;
      if (values[i].IsFatal() || i + 1 < args_.size()) return values[i];
      return Charged(frame, rule_, args, values[i]);
    }
    return Charged(frame, rule_, args, regex_ != nullptr ? regex_->Call(frame, plan_.function->name, args) : Invoke(frame, plan_, args));
  }

 private:
  const CallPlan plan_;
  const CostRule rule_;
  const std::vector<NodePtr> args_;
  const std::unique_ptr<const Regex> regex_;
};

}  // namespace

NodePtr NewCall(const CallPlan& plan, std::vector<NodePtr> args) {
  CHECK(args.size() <= kMaxArgs);
  const bool eager = args.size() > 2 || args.empty() || plan.overload == nullptr || plan.overload->Has(Declaration::kVariadic);
  if (eager) return std::make_unique<EagerCall>(plan, std::move(args), nullptr);
  return std::make_unique<StrictCall>(plan, std::move(args));
}

Result<NodePtr> NewRegexCall(const CallPlan& plan, std::vector<NodePtr> args, std::string_view pattern) {
  ASSIGN_OR_RETURN(auto regex, Regex::Compile(pattern));
  return NodePtr(std::make_unique<EagerCall>(plan, std::move(args), std::move(regex)));
}

}  // namespace allot::cel

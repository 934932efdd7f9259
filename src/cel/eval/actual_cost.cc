#include "cel/eval/actual_cost.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>

#include "cel/compile/ast.h"
#include "cel/compile/cost_range.h"
#include "cel/library/named_format.h"
#include "cel/unit_cost.h"

namespace allot::cel {
namespace {

using Args = std::span<const Value>;

uint64_t Scaled(uint64_t size, double factor) { return static_cast<uint64_t>(std::ceil(static_cast<double>(size) * factor)); }
uint64_t TraversalOf(uint64_t size) { return Scaled(size, kTraversalFactor); }

// Like SizeOf, but returns the size of an optional's value.
uint64_t SizeThrough(const Value& value) {
  if (value.Is(Kind::kOptional) && value.boxed != nullptr) return SizeThrough(*value.boxed);
  return SizeOf(value);
}

// Returns the cost of walking through a whole value. Stops when `budget` is used up: a higher cost fails anyway.
uint64_t WalkCost(const Value& value, uint64_t* budget) {
  if (*budget == 0) return 0;
  --*budget;
  switch (value.kind) {
    case Kind::kString:
    case Kind::kBytes: return static_cast<uint64_t>(static_cast<double>(value.size) * kTraversalFactor);
    case Kind::kList: {
      uint64_t cost = 0;
      for (uint64_t i = 0; i < value.list->size && *budget > 0; ++i) cost += WalkCost(value.list->At(i), budget);
      return cost;
    }
    case Kind::kMap: {
      uint64_t cost = 0;
      for (uint64_t i = 0; i < value.map->size() && *budget > 0; ++i) {
        cost += WalkCost(value.map->KeyAt(i), budget) + WalkCost(value.map->ValueAt(i), budget);
      }
      return cost;
    }
    default: return 1;
  }
}

uint64_t One(Args, const Value&) { return 1; }

uint64_t Walk(Args args, const Value&) {
  uint64_t budget = 12'000'000;
  return WalkCost(args[0], &budget);
}

uint64_t FirstTraversal(Args args, const Value&) { return TraversalOf(SizeOf(args[0])); }
uint64_t FirstTraversalTwice(Args args, const Value&) { return Scaled(SizeOf(args[0]), 2 * kTraversalFactor); }
uint64_t ResultTraversalTwice(Args, const Value& result) { return Scaled(SizeOf(result), 2 * kTraversalFactor); }
uint64_t FirstThroughTraversal(Args args, const Value&) { return TraversalOf(SizeThrough(args[0])); }

uint64_t Regex(Args args, const Value&) {
  const uint64_t text = static_cast<uint64_t>(std::ceil((1.0 + static_cast<double>(SizeThrough(args[0]))) * kTraversalFactor));
  return text * Scaled(SizeThrough(args[1]), kRegexFactor);
}

uint64_t ContainsIp(Args args, const Value&) { return TraversalOf(2 * SizeOf(args[0])); }
uint64_t ContainsIpText(Args args, const Value& result) { return ContainsIp(args, result) + TraversalOf(SizeOf(args[1])); }
uint64_t ContainsCidr(Args args, const Value&) { return TraversalOf(2 * SizeOf(args[0])) + TraversalOf(SizeOf(args[0])) + 1; }
uint64_t ContainsCidrText(Args args, const Value& result) { return ContainsCidr(args, result) + TraversalOf(SizeOf(args[1])); }

uint64_t Validate(Args args, const Value&) {
  if (!args[0].Is(Kind::kFormat)) return 1;
  const auto text = static_cast<uint64_t>(std::ceil((1.0 + static_cast<double>(SizeOf(args[1]))) * kTraversalFactor));
  return text * Scaled(args[0].format->pattern_size, kRegexFactor);
}

uint64_t Equality(Args args, const Value&) {
  switch (args[0].kind) {
    case Kind::kQuantity:
    case Kind::kIp:
    case Kind::kCidr:
    case Kind::kFormat:
    case Kind::kUrl:
    case Kind::kSemver: return 1;
    default: return TraversalOf(std::min(SizeThrough(args[0]), SizeThrough(args[1])));
  }
}
uint64_t Smaller(Args args, const Value&) { return TraversalOf(std::min(SizeThrough(args[0]), SizeThrough(args[1]))); }
uint64_t Both(Args args, const Value&) { return TraversalOf(SizeThrough(args[0]) + SizeThrough(args[1])); }
uint64_t SecondSize(Args args, const Value&) { return SizeThrough(args[1]); }
uint64_t Product(Args args, const Value&) { return TraversalOf(SizeThrough(args[0])) * TraversalOf(SizeThrough(args[1])); }

// ---- the sets and lists extensions ----

uint64_t Sets(Args args, const Value&) { return 1 + SizeOf(args[0]) * SizeOf(args[1]); }
uint64_t SetsTwice(Args args, const Value&) { return 1 + 2 * SizeOf(args[0]) * SizeOf(args[1]); }

uint64_t NewList(double factor, uint64_t size) { return static_cast<uint64_t>(static_cast<double>(size) * factor) + 1 + kListCost; }
uint64_t ResultList(Args, const Value& result) { return NewList(1, SizeOf(result)); }
uint64_t Flatten(Args args, const Value&) { return NewList(1, SizeOf(args[0])); }
uint64_t FlattenDepth(Args args, const Value&) {
  if (!args[1].Is(Kind::kInt)) return kCostPanic;
  const double cost = static_cast<double>(args[1].integer) * static_cast<double>(SizeOf(args[0]));
  constexpr double kHuge = 1e18;
  if (cost > kHuge) return kCostPanic - 1;
  // A negative depth is an error of the call; its cost wraps around.
  return static_cast<uint64_t>(static_cast<int64_t>(std::max(cost, -kHuge))) + 1 + kListCost;
}
uint64_t SelfCompare(const Value& list) {
  if (!list.Is(Kind::kList)) return kCostPanic;
  const uint64_t size = list.list->size;
  const bool texts = size != 0 && (list.list->At(0).Is(Kind::kString) || list.list->At(0).Is(Kind::kBytes));
  return NewList(texts ? 2 + kTraversalFactor : 2, size * size);
}
uint64_t FirstSelfCompare(Args args, const Value&) { return SelfCompare(args[0]); }
uint64_t SecondSelfCompare(Args args, const Value&) { return SelfCompare(args[1]); }

using Rules = std::unordered_map<std::string_view, CostRule>;

// Rules for an overload, checked before those for its function.
const Rules& OverloadFirst() {
  static const Rules rules = {
      {"list_sets_contains_list", Sets},
      {"list_sets_intersects_list", Sets},
      {"list_sets_equivalent_list", SetsTwice},
      {"list_slice", ResultList},
      {"list_flatten", Flatten},
      {"list_flatten_int", FlattenDepth},
      {"lists_range", ResultList},
      {"list_reverse", ResultList},
      {"list_distinct", FirstSelfCompare},
      {"cidr_ip", One},
      {"cidr_contains_ip_string", ContainsIpText},
      {"cidr_contains_cidr_string", ContainsCidrText},
  };
  return rules;
}

const Rules& ByFunction() {
  static const Rules rules = [] {
    Rules map;
    const auto add = [&](CostRule rule, std::initializer_list<std::string_view> names) {
      for (const std::string_view name : names) map.emplace(name, rule);
    };
    for (const std::string_view name : kUnitCostFunctions) map.emplace(name, One);
    add(Walk, {"isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"});
    add(FirstTraversal, {"url", "lowerAscii", "upperAscii", "substring", "trim", "cidr", "isIP", "isCIDR", "ip", "quantity", "isQuantity",
                         "semver", "isSemver"});
    add(FirstTraversalTwice, {"replace", "split", "ip.isCanonical"});
    add(ResultTraversalTwice, {"join"});
    add(Regex, {"find", "findAll"});
    add(ContainsIp, {"containsIP"});
    add(ContainsCidr, {"containsCIDR"});
    add(Validate, {"validate"});
    add(Equality, {op::kEqual});
    return map;
  }();
  return rules;
}

// The standard functions.
const Rules& ByOverload() {
  static const Rules rules = {
      {"starts_with_string", FirstThroughTraversal},
      {"ends_with_string", FirstThroughTraversal},
      {"string_to_bytes", FirstThroughTraversal},
      {"bytes_to_string", FirstThroughTraversal},
      {"strings_quote", FirstThroughTraversal},
      {"string_format", FirstThroughTraversal},
      {"in_list", SecondSize},
      {"less_string", Smaller},
      {"greater_string", Smaller},
      {"less_equals_string", Smaller},
      {"greater_equals_string", Smaller},
      {"less_bytes", Smaller},
      {"greater_bytes", Smaller},
      {"less_equals_bytes", Smaller},
      {"greater_equals_bytes", Smaller},
      {"not_equals", Smaller},
      {"add_string", Both},
      {"add_bytes", Both},
      {"matches_string", Regex},
      {"contains_string", Product},
  };
  return rules;
}

}  // namespace

CostRule RuleFor(std::string_view function, std::string_view overload) {
  if (const auto rule = OverloadFirst().find(overload); rule != OverloadFirst().end()) return rule->second;
  const auto ends = [&](std::string_view end) {
    return overload.size() > end.size() && overload.substr(overload.size() - end.size()) == end;
  };
  if (ends("_sort")) return FirstSelfCompare;
  if (ends("_sortByAssociatedKeys")) return SecondSelfCompare;
  if (const auto rule = ByFunction().find(function); rule != ByFunction().end()) return rule->second;
  if (const auto rule = ByOverload().find(overload); rule != ByOverload().end()) return rule->second;
  return One;
}

}  // namespace allot::cel

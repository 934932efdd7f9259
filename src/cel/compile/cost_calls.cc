#include "cel/compile/cost_calls.h"

#include <algorithm>
#include <memory>

#include "cel/compile/types.h"
#include "cel/eval/object_type.h"
#include "cel/unit_cost.h"

namespace allot::cel {
namespace {

using K = Type::Kind;

// The largest device that the API allows.
constexpr uint64_t kMaxEntries = 32, kMaxDomain = 63, kMaxId = 32, kMaxDriver = 63, kMaxValue = 64, kMaxListValues = 48;

struct Place {
  const Place* key = nullptr;
  const Place* element = nullptr;
  uint64_t max_elements = 0;
  enum { kOther, kDevice } what = kOther;
};

constexpr Place kDomainPlace{nullptr, nullptr, kMaxDomain, Place::kOther};
constexpr Place kIdPlace{nullptr, nullptr, kMaxId, Place::kOther};
constexpr Place kDriverPlace{nullptr, nullptr, kMaxDriver, Place::kOther};
constexpr Place kFlagPlace{nullptr, nullptr, 1, Place::kOther};
constexpr Place kAttributePlace{nullptr, nullptr, kMaxValue, Place::kOther};
constexpr Place kQuantityPlace{nullptr, nullptr, 0, Place::kOther};
constexpr Place kAttributesOfDomain{&kIdPlace, &kAttributePlace, kMaxEntries, Place::kOther};
constexpr Place kAttributes{&kDomainPlace, &kAttributesOfDomain, kMaxEntries, Place::kOther};
constexpr Place kCapacityOfDomain{&kIdPlace, &kQuantityPlace, kMaxEntries, Place::kOther};
constexpr Place kCapacity{&kDomainPlace, &kCapacityOfDomain, kMaxEntries, Place::kOther};
constexpr Place kDevicePlace{nullptr, nullptr, 0, Place::kDevice};

const Place* Step(const Place& place, std::string_view step) {
  if (step == "@items" || step == "@values") return place.element;
  if (step == "@keys") return place.key;
  if (place.what == Place::kDevice) {
    if (step == "driver") return &kDriverPlace;
    if (step == "allowMultipleAllocations") return &kFlagPlace;
    if (step == "attributes") return &kAttributes;
    if (step == "capacity") return &kCapacity;
    return nullptr;
  }
  return place.element == &kAttributePlace ? &kAttributePlace : nullptr;
}

// Ignores the name of the first step: Kubernetes measures oldSelf like self.
std::optional<Range> SizeInType(const Path& path) {
  const Type* type = path.declared();
  for (size_t i = 1; i < path.size(); ++i) {
    const std::string_view step = path[i];
    if (step == "@items" || step == "@values") {
      if (type->params.empty()) return std::nullopt;
      type = type->params.back();
    } else if (step == "@keys") {
      if (type->kind != K::kMap) return std::nullopt;
      type = type->params[0];
    } else {
      const ObjectField* const field = type->declared == nullptr ? nullptr : type->declared->Find(step);
      if (field == nullptr) return std::nullopt;
      type = field->type;
    }
  }
  return Range{0, type->declared == nullptr ? 0 : type->declared->max_size};
}

bool IsOneOf(std::string_view name, std::initializer_list<std::string_view> names) {
  for (const std::string_view candidate : names) {
    if (candidate == name) return true;
  }
  return false;
}

CallEstimate Fixed(uint64_t cost) { return {Range::Of(cost), std::nullopt}; }

// Returns the elements of a list, or nullopt if the type has none.
std::optional<CostNode> ElementOf(const CostNode& list) {
  if (list.type->params.empty()) return std::nullopt;
  CostNode element;
  element.type = list.type->params[0];
  if (!list.path.empty()) element.path = list.path.Append("@items");
  return element;
}

CallEstimate ListTraversal(const CostNode& target) {
  const Range size = target.SizeOrUnknown();
  const std::optional<CostNode> element = ElementOf(target);
  if (!element) return {size.Scaled(kTraversalFactor), std::nullopt};  // a string: indexOf and lastIndexOf
  Range each = Range::Of(1);
  if (element->type->kind == K::kString || element->type->kind == K::kBytes)
    each = each + element->SizeOrUnknown().Scaled(kTraversalFactor);
  return {size * each, std::nullopt};
}

CallEstimate Replace(const CostNode& target, const CostNode& from, const CostNode& to) {
  const Range size = target.SizeOrUnknown();
  const Range old_size = from.SizeOrUnknown();
  const Range new_size = to.SizeOrUnknown();
  Range count, kept;
  const auto one_more = [](uint64_t n) { return n < kUnbounded ? n + 1 : n; };
  const auto times = [](uint64_t a, uint64_t b) {
    return static_cast<uint64_t>(std::ceil(static_cast<double>(a) / static_cast<double>(b)));
  };
  if (old_size.min == 0) {
    count.max = one_more(size.max);  // the empty text matches between all characters
    kept.max = size.max;
  } else if (new_size.max <= old_size.min) {
    kept.max = size.max;
  } else {
    count.max = size.max == kUnbounded && old_size.min == 1 ? kUnbounded : times(size.max, old_size.min);
  }
  if (old_size.max == 0) {
    count.min = one_more(size.min);
    kept.min = size.min;
  } else if (old_size.max <= new_size.min) {
    kept.min = size.min;
  } else {
    count.min = times(size.min, old_size.max);
  }
  return {size.Scaled(2 * kTraversalFactor), count * new_size + kept};
}

CallEstimate Split(const CostNode& target, std::span<const CostNode> args) {
  const Range size = target.SizeOrUnknown();
  uint64_t parts = size.max;
  if (args.size() > 1 && args[1].expr->Is(Expr::Kind::kLiteral) && args[1].expr->literal.kind == Literal::Kind::kInt) {
    parts = static_cast<uint64_t>(args[1].expr->literal.int_value);
  }
  return {size.Scaled(2 * kTraversalFactor), Range{0, parts}};
}

CallEstimate JoinTexts(const CostNode& target, std::span<const CostNode> args) {
  const Range count = target.SizeOrUnknown();
  Range size;
  if (const auto element = ElementOf(target)) size = count * element->SizeOrUnknown();
  if (!args.empty()) {
    const Range separators = {count.min > 0 ? count.min - 1 : 0, count.max > 0 ? count.max - 1 : 0};
    size = size + args[0].SizeOrUnknown() * separators;
  }
  return {size.Scaled(kTraversalFactor), size};
}

CallEstimate Contains(std::string_view function, std::string_view overload, const CostNode& arg) {
  constexpr Range kAddress = {4, 16};
  Range cost = (kAddress + kAddress).Scaled(kTraversalFactor);
  if (function == "containsCIDR") cost = cost + kAddress.Scaled(kTraversalFactor) + Range::Of(1);
  const bool text = overload == "cidr_contains_ip_string" || overload == "cidr_contains_cidr_string";
  if (text) cost = cost + arg.SizeOrUnknown().Scaled(kTraversalFactor);
  return {cost, std::nullopt};
}

std::optional<CallEstimate> Equality(std::span<const CostNode> args) {
  const Type& type = *args[0].type;
  if (!type.Same(*args[1].type)) return std::nullopt;
  if (IsOneOf(type.name, {"net.IP", "net.CIDR", "kubernetes.Quantity", "kubernetes.Semver"})) return Fixed(1);
  if (type.name == "kubernetes.NamedFormat") return CallEstimate{Range{1, 64}.Scaled(kTraversalFactor), std::nullopt};
  if (type.name != "kubernetes.URL") return std::nullopt;
  // Kubernetes uses the size of the right side for both.
  const uint64_t max = args[1].size ? args[1].size->max : 1;
  return CallEstimate{Range{1, max}.Scaled(kTraversalFactor), std::nullopt};
}

// ---- lists (ext) and sets: rules by overload ----

uint64_t IntLiteral(const CostNode& node, uint64_t otherwise) {
  if (!node.expr->Is(Expr::Kind::kLiteral) || node.expr->literal.kind != Literal::Kind::kInt) return otherwise;
  return node.expr->literal.int_value < 0 ? 0 : static_cast<uint64_t>(node.expr->literal.int_value);
}

CallEstimate NewListOf(double factor, const Range& size) { return {size.Scaled(factor) + Range::Of(1) + Range::Of(kListCost), size}; }

std::optional<CallEstimate> ByOverload(std::string_view overload, const CostNode* target, std::span<const CostNode> args) {
  if (IsOneOf(overload, {"list_sets_contains_list", "list_sets_intersects_list", "list_sets_equivalent_list"})) {
    const double factor = overload == "list_sets_equivalent_list" ? 2 : 1;
    return CallEstimate{(args[0].SizeOrUnknown() * args[1].SizeOrUnknown()).Scaled(factor) + Range::Of(1), std::nullopt};
  }
  if (overload == "list_slice") {
    const uint64_t from = IntLiteral(args[0], 0);
    const uint64_t to = IntLiteral(args[1], target->SizeOrUnknown().max);
    return NewListOf(1, Range::Of(to - from));  // wraps around if from > to, as in Kubernetes
  }
  if (overload == "lists_range") return NewListOf(1, Range::Of(IntLiteral(args[0], kUnbounded)));
  if (overload == "list_reverse") return NewListOf(1, target->SizeOrUnknown());
  if (overload == "list_flatten") return NewListOf(1, target->SizeOrUnknown());
  if (overload == "list_flatten_int") return NewListOf(static_cast<double>(IntLiteral(args[0], kUnbounded)), target->SizeOrUnknown());
  const auto ends = [&](std::string_view end) {
    return overload.size() > end.size() && overload.substr(overload.size() - end.size()) == end;
  };
  const bool sort = ends("_sort"), sort_by = ends("_sortByAssociatedKeys");
  if (overload == "list_distinct" || sort || sort_by) {
    const Range size = (sort_by ? args[0] : *target).SizeOrUnknown();
    const bool texts = (sort || sort_by) && IsOneOf(overload.substr(5, overload.find('_', 5) - 5), {"string", "bytes"});
    return NewListOf(texts ? 2 + kTraversalFactor : 2, size * size);
  }
  return std::nullopt;
}

}  // namespace

Path Path::Root(std::string_view variable, const Type* declared) {
  Path path;
  path.declared_ = declared;
  path.shared_ = std::make_shared<std::vector<std::string_view>>(1, variable);
  path.size_ = 1;
  return path;
}

Path Path::Append(std::string_view step) const {
  Path longer = *this;
  if (shared_ == nullptr || size_ == shared_->size()) {
    longer.shared_ = std::make_shared<std::vector<std::string_view>>(size_ == 0 ? 1 : 2 * size_);
    if (shared_ != nullptr) std::copy(shared_->begin(), shared_->end(), longer.shared_->begin());
  }
  (*longer.shared_)[longer.size_++] = step;
  return longer;
}

std::optional<Range> SizeAt(const Path& path) {
  if (path.declared() != nullptr) return SizeInType(path);
  if (path.empty() || path[0] != "device") return std::nullopt;
  const Place* place = &kDevicePlace;
  for (size_t i = 1; i < path.size(); ++i) {
    place = Step(*place, path[i]);
    if (place == nullptr) return std::nullopt;
  }
  return Range{0, place->max_elements};
}

Range CostNode::SizeOrUnknown() const {
  if (size) return *size;
  return SizeAt(path).value_or(Range::Unknown());
}

std::optional<CallEstimate> EstimateLibraryCall(std::string_view function, std::string_view overload, const CostNode* target,
                                                std::span<const CostNode> args) {
  if (auto estimate = ByOverload(overload, target, args)) return estimate;

  if (overload == "dra_includes_dyn_dyn") return CallEstimate{Range{0, kMaxListValues}, std::nullopt};
  if (function == "check") return Fixed(350'000);
  if (IsOneOf(function, {"serviceAccount", "path", "group", "resource", "subresource", "namespace", "name", "allowed", "reason", "error",
                         "errored"})) {
    return Fixed(1);
  }
  if (function == "fieldSelector" || function == "labelSelector") {
    const Range size = args[0].SizeOrUnknown();
    return CallEstimate{Range::Of(kListCost) + size.Scaled(kTraversalFactor) + size.Scaled(0.5).Scaled(kListCost + kStructCost),
                        std::nullopt};
  }
  if (IsOneOf(function, {"isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"}) && target != nullptr) return ListTraversal(*target);
  if (function == "url" && args.size() == 1) {
    const Range size = args[0].SizeOrUnknown();
    return CallEstimate{size.Scaled(kTraversalFactor), size};
  }
  if (IsOneOf(function, {"lowerAscii", "upperAscii", "substring", "trim"}) && target != nullptr) {
    const Range size = target->SizeOrUnknown();
    return CallEstimate{size.Scaled(kTraversalFactor), size};
  }
  if (function == "replace" && target != nullptr && args.size() >= 2) return Replace(*target, args[0], args[1]);
  if (function == "split" && target != nullptr) return Split(*target, args);
  if (function == "join" && target != nullptr) return JoinTexts(*target, args);
  if ((function == "find" || function == "findAll") && target != nullptr && !args.empty()) {
    const Range size = target->SizeOrUnknown();
    const Range text = (size + Range::Of(1)).Scaled(kTraversalFactor);
    return CallEstimate{text * args[0].SizeOrUnknown().Scaled(kRegexFactor), Range{0, size.max}};
  }
  if (overload == "cidr_ip") return Fixed(1);
  if (IsOneOf(function, {"cidr", "isIP", "isCIDR", "ip", "quantity", "isQuantity", "semver", "isSemver"}) && !args.empty()) {
    return CallEstimate{args[0].SizeOrUnknown().Scaled(kTraversalFactor), std::nullopt};
  }
  if (function == "ip.isCanonical") return CallEstimate{args[0].SizeOrUnknown().Scaled(2 * kTraversalFactor), std::nullopt};
  if (std::find(kUnitCostFunctions.begin(), kUnitCostFunctions.end(), function) != kUnitCostFunctions.end()) return Fixed(1);
  if ((function == "containsIP" || function == "containsCIDR") && !args.empty()) return Contains(function, overload, args[0]);
  if (function == "validate" && !args.empty()) {
    constexpr double kLongestPattern = 128;
    return CallEstimate{args[0].SizeOrUnknown().Scaled(kTraversalFactor).Scaled(kLongestPattern * kRegexFactor), std::nullopt};
  }
  if (function == op::kEqual && args.size() == 2) return Equality(args);
  return std::nullopt;
}

}  // namespace allot::cel

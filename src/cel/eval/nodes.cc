#include <algorithm>

#include "cel/compile/cost_range.h"
#include "cel/eval/maps.h"
#include "cel/eval/node.h"

namespace allot::cel {
namespace {

// a && b && ..., or || if kAbsorbing is true. The absorbing value wins over errors on both sides.
template <bool kAbsorbing>
class LogicNode final : public Node {
 public:
  explicit LogicNode(std::vector<NodePtr> terms) : terms_(std::move(terms)) {}

  Value Eval(Frame& frame) const override {
    Value error;
    for (const NodePtr& term : terms_) {
      const Value value = term->Eval(frame);
      if (value.Is(Kind::kBool)) {
        if (value.boolean == kAbsorbing) return value;
      } else if (value.IsFatal()) {
        return value;
      } else if (!error.IsError()) {
        error = value.IsError() ? value : Value::Error(kNoSuchOverload);
      }
    }
    return error.IsError() ? error : Value::Bool(!kAbsorbing);
  }

 private:
  const std::vector<NodePtr> terms_;
};

class EqualNode final : public Node {
 public:
  EqualNode(NodePtr left, NodePtr right, bool negated) : left_(std::move(left)), right_(std::move(right)), negated_(negated) {}

  Value Eval(Frame& frame) const override {
    const Value left = left_->Eval(frame);
    if (left.IsFatal()) return left;
    const Value right = right_->Eval(frame);
    if (right.IsFatal()) return right;
    const Value result = Compare(frame, left, right);
    if (result.IsFatal()) return result;
    return frame.Charge(Cost(left, right)) ? result : Frame::OverLimit();
  }

 private:
  Value Compare(Frame& frame, const Value& left, const Value& right) const {
    if (left.IsError()) return left;
    if (right.IsError()) return right;
    const Value equal = EqualValues(frame, left, right);
    if (!negated_ || equal.IsFatal()) return equal;
    return Value::Bool(!equal.IsTrue());  // values that cannot be compared are different
  }

  uint64_t Cost(const Value& left, const Value& right) const {
    if (!negated_) {
      switch (left.kind) {
        case Kind::kQuantity:
        case Kind::kIp:
        case Kind::kCidr:
        case Kind::kFormat:
        case Kind::kUrl:
        case Kind::kSemver: return 1;
        default: break;
      }
    }
    const uint64_t smaller = std::min(Size(left), Size(right));
    return smaller <= 10 ? (smaller == 0 ? 0 : 1) : static_cast<uint64_t>(std::ceil(static_cast<double>(smaller) * kTraversalFactor));
  }
  static uint64_t Size(const Value& value) {
    return value.Is(Kind::kOptional) && value.boxed != nullptr ? Size(*value.boxed) : SizeOf(value);
  }

  const NodePtr left_, right_;
  const bool negated_;
};

class ListNode final : public Node {
 public:
  ListNode(std::vector<NodePtr> elements, std::vector<bool> optional) : elements_(std::move(elements)), optional_(std::move(optional)) {}

  Value Eval(Frame& frame) const override {
    const Value list = Make(frame);
    if (list.IsFatal()) return list;
    return frame.Charge(kListCost) ? list : Frame::OverLimit();
  }

 private:
  Value Make(Frame& frame) const {
    Value* const items = frame.arena.Array<Value>(elements_.size());
    uint64_t size = 0;
    for (size_t i = 0; i < elements_.size(); ++i) {
      Value value = elements_[i]->Eval(frame);
      if (value.IsError()) return value;
      if (optional_[i]) {
        if (!value.Is(Kind::kOptional)) return Value::Error("cannot initialize optional list element from non-optional value");
        if (value.boxed == nullptr) continue;
        value = *value.boxed;
        if (value.IsError()) return value;
      }
      items[size++] = value;
    }
    return frame.NewList(items, size);
  }

  const std::vector<NodePtr> elements_;
  const std::vector<bool> optional_;
};

class MapNode final : public Node {
 public:
  MapNode(std::vector<NodePtr> entries, std::vector<bool> optional) : entries_(std::move(entries)), optional_(std::move(optional)) {}

  Value Eval(Frame& frame) const override {
    const Value map = Make(frame);
    if (map.IsFatal()) return map;
    return frame.Charge(kMapCost) ? map : Frame::OverLimit();
  }

 private:
  Value Make(Frame& frame) const {
    HashMap* const map = frame.arena.New<HashMap>(frame.arena);
    for (size_t i = 0; i < entries_.size(); i += 2) {
      const Value key = entries_[i]->Eval(frame);
      if (key.IsError()) return key;
      Value value = entries_[i + 1]->Eval(frame);
      if (value.IsError()) return value;
      if (!CanBeKey(key)) return Value::Fatal("internal error: bytes cannot be a map key");
      if (optional_[i / 2]) {
        if (!value.Is(Kind::kOptional)) return Value::Error("cannot initialize optional entry from non-optional value");
        if (value.boxed == nullptr) {
          map->Remove(key);
          continue;
        }
        value = *value.boxed;
      }
      map->Put(key, value);
    }
    return Value::Of(map);
  }

  const std::vector<NodePtr> entries_;
  const std::vector<bool> optional_;
};

class StructNode final : public Node {
 public:
  explicit StructNode(std::vector<NodePtr> values) : values_(std::move(values)) {}

  Value Eval(Frame& frame) const override {
    Value result = Value::Error("unknown type 'kubernetes.DRADevice'");
    for (const NodePtr& value : values_) {
      const Value field = value->Eval(frame);
      if (field.IsFatal()) return field;
      if (!field.IsError()) continue;
      result = field;
      break;
    }
    return frame.Charge(kStructCost) ? result : Frame::OverLimit();
  }

 private:
  const std::vector<NodePtr> values_;
};

class OptionalOrNode final : public Node {
 public:
  OptionalOrNode(NodePtr left, NodePtr right, bool unwrap) : left_(std::move(left)), right_(std::move(right)), unwrap_(unwrap) {}

  Value Eval(Frame& frame) const override {
    const Value left = left_->Eval(frame);
    if (!left.Is(Kind::kOptional)) return left;
    if (left.boxed == nullptr) return right_->Eval(frame);
    return unwrap_ ? *left.boxed : left;
  }

 private:
  const NodePtr left_, right_;
  const bool unwrap_;
};

class InSetNode final : public Node {
 public:
  InSetNode(NodePtr needle, const HashMap* set) : needle_(std::move(needle)), set_(set) {}

  Value Eval(Frame& frame) const override {
    const Value needle = needle_->Eval(frame);
    if (needle.IsError()) return needle;
    if (!CanBeKey(needle)) return Value::Fatal("internal error: bytes cannot be looked up in a set");
    return Value::Bool(set_->FindExact(needle) != nullptr);
  }

 private:
  const NodePtr needle_;
  const HashMap* const set_;
};

}  // namespace

NodePtr NewAnd(std::vector<NodePtr> terms) { return std::make_unique<LogicNode<false>>(std::move(terms)); }
NodePtr NewOr(std::vector<NodePtr> terms) { return std::make_unique<LogicNode<true>>(std::move(terms)); }
NodePtr NewEqual(NodePtr left, NodePtr right, bool negated) {
  return std::make_unique<EqualNode>(std::move(left), std::move(right), negated);
}
NodePtr NewList(std::vector<NodePtr> elements, std::vector<bool> optional) {
  return std::make_unique<ListNode>(std::move(elements), std::move(optional));
}
NodePtr NewMap(std::vector<NodePtr> entries, std::vector<bool> optional) {
  return std::make_unique<MapNode>(std::move(entries), std::move(optional));
}
NodePtr NewStruct(std::vector<NodePtr> values) { return std::make_unique<StructNode>(std::move(values)); }
NodePtr NewOptionalOr(NodePtr left, NodePtr right, bool unwrap) {
  return std::make_unique<OptionalOrNode>(std::move(left), std::move(right), unwrap);
}

NodePtr NewInSet(NodePtr needle, const List& constants, Arena& arena) {
  HashMap* const set = arena.New<HashMap>(arena);
  const Value present = Value::Bool(true);
  for (uint64_t i = 0; i < constants.size; ++i) {
    const Value& value = constants.At(i);
    set->Put(value, present);
    // A number matches numbers of other kinds if the conversion is exact. An int matches a double even if it is not.
    int64_t integer = 0;
    uint64_t natural = 0;
    switch (value.kind) {
      case Kind::kDouble:
        if (DoubleToInt(value.real, &integer) && static_cast<double>(integer) == value.real) set->Put(Value::Int(integer), present);
        if (DoubleToUint(value.real, &natural) && static_cast<double>(natural) == value.real) set->Put(Value::Uint(natural), present);
        break;
      case Kind::kInt:
        set->Put(Value::Double(static_cast<double>(value.integer)), present);
        if (value.integer >= 0) set->Put(Value::Uint(static_cast<uint64_t>(value.integer)), present);
        break;
      case Kind::kUint:
        set->Put(Value::Double(static_cast<double>(value.natural)), present);
        if (value.natural <= static_cast<uint64_t>(INT64_MAX)) set->Put(Value::Int(static_cast<int64_t>(value.natural)), present);
        break;
      default: break;
    }
  }
  return std::make_unique<InSetNode>(std::move(needle), set);
}

Value FoldNode::ReadAccumulator(Frame& frame) const {
  Slot& slot = frame.slot(parts_.accu_slot);
  if (slot.initialized) return slot.value;
  slot.initialized = true;
  Value value = parts_.init->Eval(frame);
  if (value.Is(Kind::kList) && value.list->size == 0) {
    value = Value::Of(static_cast<const List*>(frame.arena.New<GrowingList>()));
    value.flags = Value::kMutable;
  } else if (value.Is(Kind::kMap) && value.map->size() == 0) {
    value = Value::Of(static_cast<const Map*>(frame.arena.New<HashMap>(frame.arena)));
    value.flags = Value::kMutable;
  }
  frame.slot(parts_.accu_slot).value = value;
  return value;
}

bool FoldNode::Turn(Frame& frame, const Value& first, const Value& second, Value* fatal) const {
  frame.slot(parts_.iter_slot).value = first;
  if (parts_.two_variables) frame.slot(parts_.iter2_slot).value = second;
  const Value condition = parts_.condition->Eval(frame);
  if (condition.IsFatal()) return *fatal = condition, false;
  if (condition.IsFalse()) return false;
  const Value value = parts_.step->Eval(frame);
  if (value.IsFatal()) return *fatal = value, false;
  Slot& accumulator = frame.slot(parts_.accu_slot);
  accumulator.value = value;
  accumulator.initialized = true;
  return true;
}

Value FoldNode::Eval(Frame& frame) const {
  frame.slot(parts_.accu_slot).initialized = false;
  const Value range = parts_.range->Eval(frame);
  if (range.IsError()) return range;
  Value fatal;
  if (range.Is(Kind::kList)) {
    const List& list = *range.list;
    const uint64_t size = list.size;  // a list that grows during the loop does not extend it
    for (uint64_t i = 0; i < size; ++i) {
      const Value item = list.At(i);
      const bool more =
          parts_.two_variables ? Turn(frame, Value::Int(static_cast<int64_t>(i)), item, &fatal) : Turn(frame, item, item, &fatal);
      if (!more) break;
    }
  } else if (range.Is(Kind::kMap)) {
    const uint64_t size = range.map->size();
    for (uint64_t i = 0; i < size; ++i) {
      const Value key = range.map->KeyAt(i);
      if (!Turn(frame, key, parts_.two_variables ? range.map->ValueAt(i) : key, &fatal)) break;
    }
  } else {
    return Value::Error("expected a list or a map to iterate over");
  }
  if (fatal.IsFatal()) return fatal;
  Value result = parts_.result->Eval(frame);
  if (!result.IsMutable() || result.IsError()) return result;
  result.flags = 0;
  if (result.Is(Kind::kList)) return frame.NewList(result.list->items, result.list->size);
  return result;
}

}  // namespace allot::cel

#pragma once
// The nodes that an expression is planned into.
//
// Nodes charge what Kubernetes' evaluator charges for the same part, including where it charges nothing: a list of constants is free, and
// so is `x in [constants]`. Nodes are immutable once planned and may be shared between threads.

#include <memory>
#include <string_view>
#include <vector>

#include "cel/eval/frame.h"
#include "cel/eval/value.h"

namespace allot::cel {

class AttributeNode;

class Node {
 public:
  virtual ~Node() = default;

  virtual Value Eval(Frame& frame) const = 0;

  // Returns the value if it is constant and free, else nullptr.
  virtual const Value* Constant() const { return nullptr; }
  // Returns the value if it is constant, else nullptr. Sets `cost` to the cost of each evaluation.
  virtual const Value* Known(uint64_t* cost) const {
    *cost = 0;
    return Constant();
  }
  virtual AttributeNode* AsAttribute() { return nullptr; }
};

using NodePtr = std::unique_ptr<Node>;

class ConstantNode final : public Node {
 public:
  explicit ConstantNode(const Value& value) : value_(value) {}
  Value Eval(Frame&) const override { return value_; }
  const Value* Constant() const override { return &value_; }

 private:
  const Value value_;
};

// A value computed at compile time. Each evaluation is charged the cost of computing it.
class FoldedNode final : public Node {
 public:
  FoldedNode(const Value& value, uint64_t cost) : value_(value), cost_(cost) {}
  Value Eval(Frame& frame) const override { return frame.Charge(cost_) ? value_ : Frame::OverLimit(); }
  const Value* Known(uint64_t* cost) const override {
    *cost = cost_;
    return &value_;
  }

 private:
  const Value value_;
  const uint64_t cost_;
};

NodePtr NewAnd(std::vector<NodePtr> terms);
NodePtr NewOr(std::vector<NodePtr> terms);
NodePtr NewEqual(NodePtr left, NodePtr right, bool negated);
NodePtr NewList(std::vector<NodePtr> elements, std::vector<bool> optional);
NodePtr NewMap(std::vector<NodePtr> entries, std::vector<bool> optional);
// A message of the device's type, which Kubernetes does not let expressions construct.
NodePtr NewStruct(std::vector<NodePtr> values);
// Makes left.or(right), or left.orValue(right) with `unwrap`.
NodePtr NewOptionalOr(NodePtr left, NodePtr right, bool unwrap);
// Tests `needle` against a list of constant scalars.
NodePtr NewInSet(NodePtr needle, const List& constants, Arena& arena);

// A comprehension. Its variables live in slots of the frame.
class FoldNode final : public Node {
 public:
  struct Parts {
    NodePtr range, init, condition, step, result;
    size_t accu_slot = 0, iter_slot = 0, iter2_slot = 0;
    bool two_variables = false;
  };
  explicit FoldNode(size_t accu_slot) { parts_.accu_slot = accu_slot; }
  void Set(Parts parts) { parts_ = std::move(parts); }

  Value Eval(Frame& frame) const override;
  // Returns the accumulator, initialising it on the first call.
  Value ReadAccumulator(Frame& frame) const;

 private:
  // Runs one iteration. Returns false to end the loop, with a fatal error, if any, in *fatal.
  bool Turn(Frame& frame, const Value& first, const Value& second, Value* fatal) const;

  Parts parts_;
};

}  // namespace allot::cel

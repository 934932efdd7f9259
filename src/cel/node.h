#pragma once
// What an expression is planned into: a tree of nodes that evaluate themselves.
//
// Nodes charge what Kubernetes' evaluator charges for the same part, including where it charges nothing: a list of constants is free, and
// so is `x in [constants]`. Immutable once planned, and shared between threads.

#include <memory>
#include <string_view>
#include <vector>

#include "cel/frame.h"
#include "cel/value.h"

namespace allot::cel {

class AttributeNode;

class Node {
 public:
  virtual ~Node() = default;

  virtual Value Eval(Frame& frame) const = 0;

  // The value, where it does not depend on anything and costs nothing.
  virtual const Value* Constant() const { return nullptr; }
  // The value where it does not depend on anything, and the cost of each evaluation.
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

// Computed when the program was made; what computing it would cost is charged all the same.
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
// A message of the device's type: nobody can make one.
NodePtr NewStruct(std::vector<NodePtr> values);
// left.or(right) and left.orValue(right).
NodePtr NewOptionalOr(NodePtr left, NodePtr right, bool unwrap);
// `needle` in a list of constant scalars.
NodePtr NewInSet(NodePtr needle, const List& constants, Arena& arena);

// A comprehension. The variables live in slots of the frame.
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
  // The accumulator; its first value is computed when it is first asked for.
  Value ReadAccumulator(Frame& frame) const;

 private:
  // False ends the loop, with the error in *fatal when there is one.
  bool Turn(Frame& frame, const Value& first, const Value& second, Value* fatal) const;

  Parts parts_;
};

}  // namespace allot::cel

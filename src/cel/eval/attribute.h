#pragma once
// A variable, or the value of an expression, followed by selections and indices: device.attributes["d"].id, x[0].?y, (c ? a : b).z.
//
// The chain is one node because it is charged as one: 1 for each step taken and 1 for the whole, except in a branch of a conditional. From
// the first '?' on, a missing part makes the whole chain an empty optional.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cel/eval/node.h"

namespace allot::cel {

class AttributeNode final : public Node {
 public:
  // One selection or index.
  struct Step {
    std::shared_ptr<Node> index;  // nullptr: use `key`
    Value key;
    bool optional = false;   // ?.x, [?x]
    bool test_only = false;  // has()
  };

  static std::unique_ptr<AttributeNode> OfDevice();
  static std::unique_ptr<AttributeNode> OfVariable(size_t slot);
  static std::unique_ptr<AttributeNode> OfAccumulator(const FoldNode* fold);
  static std::unique_ptr<AttributeNode> OfValue(NodePtr operand);
  static std::unique_ptr<AttributeNode> OfConditional(NodePtr condition, NodePtr yes, NodePtr no);

  // After a conditional, adds the step to both branches.
  void Add(const Step& step);
  void MakeTest() { test_only_ = true; }
  // Call when all steps are added.
  void Finish(Arena& constants);

  Value Eval(Frame& frame) const override;
  // Evaluates without the charge for the whole.
  Value Resolve(Frame& frame) const;

  AttributeNode* AsAttribute() override { return this; }

 private:
  enum class Root : uint8_t { kDevice, kVariable, kAccu, kValue, kConditional };
  // Chains that read one part of the device directly.
  enum class Direct : uint8_t { kNo, kAttribute, kCapacity, kDriver, kMultiple };

  Value RootValue(Frame& frame) const;
  Value ResolveDirect(Frame& frame) const;
  Value ResolveConditional(Frame& frame) const;
  Value ApplySteps(Frame& frame, Value object, size_t first) const;
  // Returns the value of the key and sets *present. A missing value is an error if `must_exist`.
  Value Take(Frame& frame, const Step& step, const Value& object, bool must_exist, bool* present) const;

  Root root_ = Root::kDevice;
  Direct direct_ = Direct::kNo;
  bool test_only_ = false;
  size_t slot_ = 0;
  const FoldNode* fold_ = nullptr;
  NodePtr operand_;  // kConditional: the condition
  std::unique_ptr<AttributeNode> yes_, no_;
  std::vector<Step> steps_;
  std::string_view missing_;  // the error if the direct part does not exist
};

// Receives every part of the device that an evaluation reads.
class Trace {
 public:
  virtual void Read(std::string_view name, const Value* value) = 0;  // nullptr: the device does not have it

 protected:
  ~Trace() = default;
};

}  // namespace allot::cel

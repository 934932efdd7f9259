#pragma once
// A variable, or the value of an expression, with the selections and indices behind it: device.attributes["d"].id, x[0].?y, (c ? a : b).z.
//
// The chain is one node because it is charged as one: 1 for each step that is taken and 1 for the whole, but not when it stands in a branch
// of a conditional. From the first '?' on, everything that is missing makes the whole an empty optional.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cel/node.h"

namespace allot::cel {

class AttributeNode final : public Node {
 public:
  // One selection or index.
  struct Step {
    std::shared_ptr<Node> index;  // nullptr: the key is `key`
    Value key;
    bool optional = false;   // ?.x, [?x]
    bool test_only = false;  // has()
  };

  static std::unique_ptr<AttributeNode> OfDevice();
  static std::unique_ptr<AttributeNode> OfVariable(size_t slot);
  static std::unique_ptr<AttributeNode> OfAccumulator(const FoldNode* fold);
  static std::unique_ptr<AttributeNode> OfValue(NodePtr operand);
  static std::unique_ptr<AttributeNode> OfConditional(NodePtr condition, NodePtr yes, NodePtr no);

  // Behind a conditional the step belongs to both branches.
  void Add(const Step& step);
  void MakeTest() { test_only_ = true; }
  // Called once all steps are known.
  void Finish(Arena& constants);

  Value Eval(Frame& frame) const override;
  // Without the charge for the whole.
  Value Resolve(Frame& frame) const;

  AttributeNode* AsAttribute() override { return this; }

 private:
  enum class Root : uint8_t { kDevice, kVariable, kAccu, kValue, kConditional };
  // Chains that go straight to one part of the device.
  enum class Direct : uint8_t { kNo, kAttribute, kCapacity, kDriver, kMultiple };

  Value RootValue(Frame& frame) const;
  Value ResolveDirect(Frame& frame) const;
  Value ResolveConditional(Frame& frame) const;
  Value ApplySteps(Frame& frame, Value object, size_t first) const;
  // The value under the key. *present tells whether there is one; an error when there is none and `must_exist`.
  Value Take(Frame& frame, const Step& step, const Value& object, bool must_exist, bool* present) const;

  Root root_ = Root::kDevice;
  Direct direct_ = Direct::kNo;
  bool test_only_ = false;
  size_t slot_ = 0;
  const FoldNode* fold_ = nullptr;
  NodePtr operand_;  // or the condition
  std::unique_ptr<AttributeNode> yes_, no_;
  std::vector<Step> steps_;
  std::string_view missing_;  // what is said when the direct part does not exist
};

// Told about every part of the device that an evaluation reads.
class Trace {
 public:
  virtual void Read(std::string_view name, const Value* value) = 0;  // nullptr: the device does not have it

 protected:
  ~Trace() = default;
};

}  // namespace allot::cel

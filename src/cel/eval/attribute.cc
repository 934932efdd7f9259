#include "cel/eval/attribute.h"

#include "base/strings.h"
#include "cel/eval/maps.h"

namespace allot::cel {
namespace {

bool IsText(const AttributeNode::Step& step) {
  return step.index == nullptr && step.key.Is(Kind::kString) && !step.optional && !step.test_only;
}

// Kubernetes converts the value of an optional variable to a Go value and back. Some values do not survive that.
Value RoundTrip(Frame& frame, const Value& value) {
  switch (value.kind) {
    case Kind::kQuantity:
    case Kind::kSemver:
    case Kind::kIp:
    case Kind::kCidr:
    case Kind::kUrl: return frame.NewError(StrCat("unsupported conversion of ", TypeNameOf(value), " out of an optional"));
    case Kind::kType: return Value::String(value.Text());
    case Kind::kOptional: return value.boxed == nullptr ? Value::Null() : RoundTrip(frame, *value.boxed);
    default: return value;
  }
}

std::string KeyText(const Value& key) {
  switch (key.kind) {
    case Kind::kString: return std::string(key.Text());
    case Kind::kInt: return StrCat(key.integer);
    case Kind::kUint: return StrCat(key.natural);
    case Kind::kBool: return key.boolean ? "true" : "false";
    default: return std::string(TypeNameOf(key));
  }
}

}  // namespace

std::unique_ptr<AttributeNode> AttributeNode::OfDevice() { return std::make_unique<AttributeNode>(); }

std::unique_ptr<AttributeNode> AttributeNode::OfVariable(size_t slot) {
  auto node = std::make_unique<AttributeNode>();
  node->root_ = Root::kVariable;
  node->slot_ = slot;
  return node;
}

std::unique_ptr<AttributeNode> AttributeNode::OfAccumulator(const FoldNode* fold) {
  auto node = std::make_unique<AttributeNode>();
  node->root_ = Root::kAccu;
  node->fold_ = fold;
  return node;
}

std::unique_ptr<AttributeNode> AttributeNode::OfValue(NodePtr operand) {
  auto node = std::make_unique<AttributeNode>();
  node->root_ = Root::kValue;
  node->operand_ = std::move(operand);
  return node;
}

std::unique_ptr<AttributeNode> AttributeNode::OfConditional(NodePtr condition, NodePtr yes, NodePtr no) {
  const auto branch = [](NodePtr node) {
    if (AttributeNode* const attribute = node->AsAttribute()) {
      node.release();
      return std::unique_ptr<AttributeNode>(attribute);
    }
    return OfValue(std::move(node));
  };
  auto node = std::make_unique<AttributeNode>();
  node->root_ = Root::kConditional;
  node->operand_ = std::move(condition);
  node->yes_ = branch(std::move(yes));
  node->no_ = branch(std::move(no));
  return node;
}

void AttributeNode::Add(const Step& step) {
  direct_ = Direct::kNo;
  if (root_ == Root::kConditional) {
    yes_->Add(step);
    no_->Add(step);
  } else {
    steps_.push_back(step);
  }
}

void AttributeNode::Finish(Arena& constants) {
  if (root_ == Root::kConditional) {
    yes_->Finish(constants);
    no_->Finish(constants);
  }
  if (root_ != Root::kDevice || steps_.empty() || !IsText(steps_[0])) return;
  const std::string_view field = steps_[0].key.Text();
  if (steps_.size() == 1) {
    if (field == "driver") direct_ = Direct::kDriver;
    if (field == "allowMultipleAllocations") direct_ = Direct::kMultiple;
  }
  if (steps_.size() == 3 && IsText(steps_[1])) {
    const Step& last = steps_[2];
    if (last.index != nullptr || !last.key.Is(Kind::kString) || last.optional) return;
    if (field == "attributes") direct_ = Direct::kAttribute;
    if (field == "capacity") direct_ = Direct::kCapacity;
    missing_ = constants.Copy(StrCat("no such key: ", last.key.Text()));
  }
}

Value AttributeNode::Eval(Frame& frame) const {
  Value value = Resolve(frame);
  if (value.IsFatal()) return value;
  if (test_only_) {
    if (value.Is(Kind::kOptional)) value = Value::Bool(value.boxed != nullptr);
    // has() costs one less than the selection that it tests.
    if (root_ == Root::kConditional) frame.Refund(1);
    return value;
  }
  if (root_ == Root::kConditional) return value;
  return frame.Charge(1) ? value : Frame::OverLimit();
}

Value AttributeNode::RootValue(Frame& frame) const {
  switch (root_) {
    case Root::kDevice: return Value::Of(NewDeviceMap(frame.arena, *frame.device(), frame.driver()));
    case Root::kVariable: return frame.slot(slot_).value;
    case Root::kAccu: return fold_->ReadAccumulator(frame);
    default: return operand_->Eval(frame);
  }
}

Value AttributeNode::Resolve(Frame& frame) const {
  if (direct_ != Direct::kNo) return ResolveDirect(frame);
  if (root_ == Root::kConditional) return ResolveConditional(frame);
  if (root_ == Root::kDevice && steps_.size() >= 2 && IsText(steps_[0]) && IsText(steps_[1])) {
    // Get the map of one domain without making the maps around it.
    const bool capacity = steps_[0].key.Text() == "capacity";
    if (capacity || steps_[0].key.Text() == "attributes") {
      if (!frame.Charge(2)) return Frame::OverLimit();
      return ApplySteps(frame, Value::Of(NewDomainMap(frame.arena, *frame.device(), frame.driver(), steps_[1].key.Text(), capacity)), 2);
    }
  }
  const Value object = RootValue(frame);
  if (object.IsError()) return object;
  return ApplySteps(frame, object, 0);
}

Value AttributeNode::ResolveDirect(Frame& frame) const {
  if (!frame.Charge(steps_.size())) return Frame::OverLimit();
  const model::Device& device = *frame.device();
  Value value;
  bool found = true;
  switch (direct_) {
    case Direct::kDriver: value = Value::String(frame.driver()); break;
    case Direct::kMultiple: value = Value::Bool(device.allow_multiple_allocations); break;
    case Direct::kCapacity: {
      const model::Quantity* const quantity = FindCapacity(device, frame.driver(), steps_[1].key.Text(), steps_[2].key.Text());
      found = quantity != nullptr;
      if (found) value = Value::Of(quantity);
      break;
    }
    default: {
      const model::AttributeValue* const attribute = FindAttribute(device, frame.driver(), steps_[1].key.Text(), steps_[2].key.Text());
      found = attribute != nullptr;
      if (found) value = AttributeToValue(frame.arena, *attribute);
      break;
    }
  }
  if (frame.trace != nullptr) frame.trace->Read(steps_.back().key.Text(), found ? &value : nullptr);
  if (steps_.back().test_only) return Value::Bool(found);
  return found ? value : Value::Error(missing_);
}

Value AttributeNode::ResolveConditional(Frame& frame) const {
  const Value condition = operand_->Eval(frame);
  if (condition.IsTrue()) return yes_->Resolve(frame);
  if (condition.IsFalse()) return no_->Resolve(frame);
  return condition.IsError() ? condition : Value::Error(kNoSuchOverload);
}

Value AttributeNode::ApplySteps(Frame& frame, Value object, size_t first) const {
  bool optional = false;
  if (object.Is(Kind::kOptional)) {
    if (object.boxed == nullptr) return object;
    object = RoundTrip(frame, *object.boxed);
    optional = true;
  }
  for (size_t i = first; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    optional = optional || step.optional;
    bool present = false;
    const Value next = Take(frame, step, object, !optional && !step.test_only, &present);
    if (next.IsFatal()) return next;
    // Charge a mandatory step even if it fails, and an optional step only if it succeeds.
    if ((!optional || present) && !frame.Charge(1)) return Frame::OverLimit();
    if (next.IsError() && !(optional && present)) return next;
    if (optional) {
      if (!present) return Value::Optional(nullptr);
      object = next;
    } else {
      object = step.test_only ? Value::Bool(present) : next;
    }
  }
  return optional ? frame.NewOptional(object) : object;
}

Value AttributeNode::Take(Frame& frame, const Step& step, const Value& object, bool must_exist, bool* present) const {
  Value key = step.key;
  if (step.index != nullptr) {
    AttributeNode* const attribute = step.index->AsAttribute();
    key = attribute != nullptr ? attribute->Resolve(frame) : step.index->Eval(frame);
    if (key.IsError()) return key;
    switch (key.kind) {
      case Kind::kString:
      case Kind::kInt:
      case Kind::kUint:
      case Kind::kBool:
      case Kind::kDouble: break;
      default: return Value::Error("invalid qualifier type");
    }
  }
  Value value;
  switch (object.kind) {
    case Kind::kError: return object;
    case Kind::kMap:
      *present = object.map->Find(key, &value);
      if (frame.trace != nullptr && object.map->IsPartOfDevice() && key.Is(Kind::kString))
        frame.trace->Read(key.Text(), *present ? &value : nullptr);
      if (*present) return value;
      break;
    case Kind::kList: {
      int64_t index = 0;
      if (!AsIndex(key, &index)) return Value::Error("unsupported index in list");
      *present = index >= 0 && static_cast<uint64_t>(index) < object.list->size;
      if (*present) return object.list->At(static_cast<uint64_t>(index));
      if (must_exist) return frame.NewError(StrCat("index out of bounds: ", index));
      break;
    }
    default: break;
  }
  return must_exist ? frame.NewError(StrCat("no such key: ", KeyText(key))) : Value::Null();
}

}  // namespace allot::cel

#pragma once
// The state of one evaluation: the device, the variables, the cost so far, and the memory for intermediate values.

#include <cstdint>
#include <string>
#include <string_view>

#include "cel/eval/arena.h"
#include "cel/eval/value.h"
#include "model/device.h"

namespace allot::cel {

class Trace;

// A variable of a comprehension. An accumulator is initialised when it is first read.
struct Slot {
  Value value;
  bool initialized = false;
};

class Frame {
 public:
  Frame(const model::Device* device, std::string_view driver, uint64_t cost_limit, size_t slots)
      : device_(device), driver_(driver), limit_(cost_limit), slots_(slots == 0 ? nullptr : arena.Array<Slot>(slots)) {}

  // nullptr while constants are folded.
  const model::Device* device() const { return device_; }
  std::string_view driver() const { return driver_; }
  Slot& slot(size_t index) { return slots_[index]; }

  // Adds to the cost. Returns false if that exceeds the limit; the caller then returns OverLimit().
  [[nodiscard]] bool Charge(uint64_t units) {
    cost_ += units;
    return cost_ <= limit_;
  }
  void Refund(uint64_t units) { cost_ -= units; }
  uint64_t cost() const { return cost_; }
  uint64_t limit() const { return limit_; }
  static Value OverLimit() { return Value::Fatal("operation cancelled: actual cost limit exceeded"); }

  // Bounds the comparison of nested lists that share parts, which takes far longer than its cost says. Returns false beyond the bound.
  [[nodiscard]] bool Work(uint64_t units) { return (work_ += units) <= kMaxWork; }
  static Value TooMuch() { return Value::Fatal("operation cancelled: expression needs too much time or memory"); }

  // Makes values in the arena. A text that does not fit gives TooMuch().
  Value NewString(std::string_view text) {
    if (!arena.HasRoom(text.size())) return TooMuch();
    return Value::String(arena.Copy(text));
  }
  Value NewError(std::string_view message) { return Value::Error(arena.Copy(message)); }
  Value NewList(const Value* items, uint64_t size) {
    List* const list = arena.New<List>();
    list->items = items;
    list->size = size;
    return Value::Of(list);
  }
  Value NewOptional(const Value& value) { return Value::Optional(arena.New<Value>(value)); }

  Arena arena;
  Trace* trace = nullptr;  // receives the parts of the device that are read; may be nullptr

 private:
  static constexpr uint64_t kMaxWork = 12'000'000;

  const model::Device* const device_;
  const std::string_view driver_;
  const uint64_t limit_;
  uint64_t cost_ = 0;
  uint64_t work_ = 0;
  Slot* const slots_;
};

// Returns a == b, or an error where Kubernetes' types cannot be compared.
Value EqualValues(Frame& frame, const Value& a, const Value& b);

// Sets *order to -1, 0 or 1, or returns false with *error.
bool OrderValues(const Value& a, const Value& b, int* order, Value* error);

// Returns whether `list` contains `element`. A pair that cannot be compared counts as different.
Value ListContains(Frame& frame, const List& list, const Value& element);

}  // namespace allot::cel

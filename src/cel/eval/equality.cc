// Equality of values. Follows Kubernetes even where its rules are inconsistent: comparing a quantity with another type is an error, but the
// same pair inside two lists or maps counts as equal.

#include <cmath>

#include "cel/eval/frame.h"
#include "cel/eval/object_value.h"
#include "cel/library/named_format.h"
#include "cel/library/net.h"
#include "cel/library/url.h"

namespace allot::cel {
namespace {

Value EqualLists(Frame& frame, const List& a, const List& b) {
  if (a.size != b.size) return Value::Bool(false);
  if (a.size / 10 > frame.limit()) return Frame::OverLimit();  // the charge for comparing them
  if (a.declared != nullptr && a.declared->rule != ListRule::kAtomic) return EqualByRule(frame, a, b);
  Value trouble;
  for (uint64_t i = 0; i < a.size; ++i) {
    if (!frame.Work(1)) return Frame::TooMuch();
    const Value equal = EqualValues(frame, a.At(i), b.At(i));
    if (equal.IsFatal() || equal.IsFalse()) return equal;
    if (equal.IsError() && !trouble.IsError()) trouble = equal;
  }
  // Only a list made with + reports an element that cannot be compared.
  if (trouble.IsError() && !a.IsFlat()) return trouble;
  return Value::Bool(true);
}

Value EqualMaps(Frame& frame, const Map& a, const Map& b) {
  if (a.size() != b.size()) return Value::Bool(false);
  for (uint64_t i = 0; i < a.size(); ++i) {
    if (!frame.Work(1)) return Frame::TooMuch();
    Value other;
    if (!b.Find(a.KeyAt(i), &other)) return Value::Bool(false);
    const Value equal = EqualValues(frame, a.ValueAt(i), other);
    if (equal.IsFatal() || equal.IsFalse()) return equal;
  }
  return Value::Bool(true);
}

Value EqualOptionals(Frame& frame, const Value& a, const Value& b) {
  if (a.boxed == nullptr || b.boxed == nullptr) return Value::Bool(a.boxed == b.boxed);
  if (a.boxed->IsError()) return *a.boxed;
  return EqualValues(frame, *a.boxed, *b.boxed);
}

}  // namespace

Value EqualValues(Frame& frame, const Value& a, const Value& b) {
  if (a.Is(Kind::kNull) || b.Is(Kind::kNull)) return Value::Bool(a.kind == b.kind);
  const bool same = a.kind == b.kind;
  switch (a.kind) {
    case Kind::kInt:
    case Kind::kUint:
    case Kind::kDouble: {
      std::strong_ordering order = std::strong_ordering::equal;
      bool nan = false;
      return Value::Bool(b.IsNumber() && CompareValues(a, b, &order, &nan) && order == 0);
    }
    case Kind::kString:
    case Kind::kBytes:
    case Kind::kType: return Value::Bool(same && a.Text() == b.Text());
    case Kind::kBool: return Value::Bool(same && a.boolean == b.boolean);
    case Kind::kDuration: return Value::Bool(same && a.integer == b.integer);
    case Kind::kTimestamp: return Value::Bool(same && a.integer == b.integer && a.size == b.size);
    case Kind::kList: return same ? EqualLists(frame, *a.list, *b.list) : Value::Bool(false);
    case Kind::kMap: return same ? EqualMaps(frame, *a.map, *b.map) : Value::Bool(false);
    case Kind::kOptional: return same ? EqualOptionals(frame, a, b) : Value::Bool(false);
    case Kind::kError: return a;
    default: break;
  }
  if (b.IsError()) return b;
  if (!same) return Value::Error(kNoSuchOverload);
  switch (a.kind) {
    case Kind::kQuantity:
      // On the right side, Kubernetes does not expect the Go type that add() and sub() return.
      if ((b.flags & Value::kComputed) != 0) return Value::Error(kNoSuchOverload);
      return Value::Bool(*a.quantity == *b.quantity);
    case Kind::kSemver: return Value::Bool(*a.version == *b.version);
    case Kind::kIp: return Value::Bool(*a.ip == *b.ip);
    case Kind::kCidr: return Value::Bool(*a.cidr == *b.cidr);
    case Kind::kUrl: return Value::Bool(a.url->ToString() == b.url->ToString());
    default: return Value::Bool(a.format->label == b.format->label);
  }
}

bool OrderValues(const Value& a, const Value& b, int* order, Value* error) {
  std::strong_ordering result = std::strong_ordering::equal;
  bool nan = false;
  if (!CompareValues(a, b, &result, &nan)) {
    *error = Value::Error(nan ? "NaN values cannot be ordered" : kNoSuchOverload);
    return false;
  }
  *order = result < 0 ? -1 : result > 0 ? 1 : 0;
  return true;
}

Value ListContains(Frame& frame, const List& list, const Value& element) {
  for (uint64_t i = 0; i < list.size; ++i) {
    if (!frame.Work(1)) return Frame::TooMuch();
    const Value equal = EqualValues(frame, element, list.At(i));
    if (equal.IsFatal() || equal.IsTrue()) return equal;
  }
  return Value::Bool(false);
}

}  // namespace allot::cel

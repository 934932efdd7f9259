// Arithmetic, comparison, containment and size. The logical operators and == are nodes of their own (nodes.cc); only their types are
// declared here.

#include <cmath>

#include "cel/compile/ast.h"
#include "cel/compile/declarations.h"
#include "cel/eval/frame.h"
#include "cel/eval/maps.h"
#include "cel/eval/object_value.h"
#include "cel/library/time.h"

namespace allot::cel {
namespace {

using Args = std::span<const Value>;

Value NoOverload() { return Value::Error(kNoSuchOverload); }
Value IntOverflow() { return Value::Error("integer overflow"); }
Value UintOverflow() { return Value::Error("unsigned integer overflow"); }

Value AddLists(Frame& frame, const Value& a, const Value& b) {
  if (a.IsMutable()) {
    auto* const growing = const_cast<GrowingList*>(static_cast<const GrowingList*>(a.list));
    const uint64_t count = b.list->size;  // `b` may be the same list
    if (!frame.Work(count) || !frame.arena.HasRoom(count * sizeof(Value))) return Frame::TooMuch();
    for (uint64_t i = 0; i < count; ++i) growing->Append(frame.arena, b.list->At(i));
    return a;
  }
  if (a.list->declared != nullptr && a.list->declared->rule != ListRule::kAtomic) return AddByRule(frame, *a.list, *b.list);
  if (a.list->size == 0) return b;
  if (b.list->size == 0) return a;
  if (a.list->size > UINT64_MAX / 4 || b.list->size > UINT64_MAX / 4) return Frame::TooMuch();
  List* const both = frame.arena.New<List>();
  both->size = a.list->size + b.list->size;
  both->left = a.list;
  both->right = b.list;
  return Value::Of(both);
}

Value AddTexts(Frame& frame, const Value& a, const Value& b) {
  const size_t size = size_t{a.size} + b.size;
  if (!frame.arena.HasRoom(size)) return Frame::TooMuch();
  char* const both = frame.arena.Array<char>(size);
  if (a.size != 0) std::memcpy(both, a.text, a.size);
  if (b.size != 0) std::memcpy(both + a.size, b.text, b.size);
  return Value::OfText(a.kind, {both, size});
}

Value Add(Frame& frame, Args args) {
  const Value& a = args[0];
  const Value& b = args[1];
  if (a.Is(Kind::kDuration) && b.Is(Kind::kTimestamp)) return AddToTimestamp(b, a.integer).value_or(Value::Error("timestamp overflow"));
  if (a.Is(Kind::kTimestamp) && b.Is(Kind::kDuration)) return AddToTimestamp(a, b.integer).value_or(Value::Error("timestamp overflow"));
  if (a.kind != b.kind) return NoOverload();
  switch (a.kind) {
    case Kind::kInt:
    case Kind::kDuration: {
      Value sum = a;
      return __builtin_add_overflow(a.integer, b.integer, &sum.integer) ? IntOverflow() : sum;
    }
    case Kind::kUint: {
      Value sum = a;
      return __builtin_add_overflow(a.natural, b.natural, &sum.natural) ? UintOverflow() : sum;
    }
    case Kind::kDouble: return Value::Double(a.real + b.real);
    case Kind::kString:
    case Kind::kBytes: return AddTexts(frame, a, b);
    case Kind::kList: return AddLists(frame, a, b);
    default: return NoOverload();
  }
}

Value Subtract(Frame&, Args args) {
  const Value& a = args[0];
  const Value& b = args[1];
  if (a.Is(Kind::kTimestamp) && b.Is(Kind::kDuration)) {
    if (b.integer == INT64_MIN) return IntOverflow();
    return AddToTimestamp(a, -b.integer).value_or(Value::Error("timestamp overflow"));
  }
  if (a.kind != b.kind) return NoOverload();
  switch (a.kind) {
    case Kind::kInt:
    case Kind::kDuration: {
      Value difference = a;
      return __builtin_sub_overflow(a.integer, b.integer, &difference.integer) ? IntOverflow() : difference;
    }
    case Kind::kUint: return b.natural > a.natural ? UintOverflow() : Value::Uint(a.natural - b.natural);
    case Kind::kDouble: return Value::Double(a.real - b.real);
    case Kind::kTimestamp: {
      const auto difference = TimestampDifference(a, b);
      return difference ? Value::Duration(*difference) : IntOverflow();
    }
    default: return NoOverload();
  }
}

Value Multiply(Frame&, Args args) {
  const Value& a = args[0];
  const Value& b = args[1];
  if (a.kind != b.kind) return NoOverload();
  switch (a.kind) {
    case Kind::kInt: {
      Value product = a;
      return __builtin_mul_overflow(a.integer, b.integer, &product.integer) ? IntOverflow() : product;
    }
    case Kind::kUint: {
      Value product = a;
      return __builtin_mul_overflow(a.natural, b.natural, &product.natural) ? UintOverflow() : product;
    }
    case Kind::kDouble: return Value::Double(a.real * b.real);
    default: return NoOverload();
  }
}

// IEEE 754 division. C++ leaves division by zero undefined.
double DivideDoubles(double a, double b) {
  if (b != 0) return a / b;
  if (a == 0 || std::isnan(a)) return std::nan("");
  return std::copysign(HUGE_VAL, a) * std::copysign(1.0, b);
}

Value Divide(Frame&, Args args) {
  const Value& a = args[0];
  const Value& b = args[1];
  if (a.kind != b.kind) return NoOverload();
  switch (a.kind) {
    case Kind::kInt:
      if (b.integer == 0) return Value::Error("division by zero");
      if (a.integer == INT64_MIN && b.integer == -1) return IntOverflow();
      return Value::Int(a.integer / b.integer);
    case Kind::kUint:
      if (b.natural == 0) return Value::Error("division by zero");
      return Value::Uint(a.natural / b.natural);
    case Kind::kDouble: return Value::Double(DivideDoubles(a.real, b.real));
    default: return NoOverload();
  }
}

Value Modulo(Frame&, Args args) {
  const Value& a = args[0];
  const Value& b = args[1];
  if (a.kind != b.kind) return NoOverload();
  switch (a.kind) {
    case Kind::kInt:
      if (b.integer == 0) return Value::Error("modulus by zero");
      if (a.integer == INT64_MIN && b.integer == -1) return IntOverflow();
      return Value::Int(a.integer % b.integer);
    case Kind::kUint:
      if (b.natural == 0) return Value::Error("modulus by zero");
      return Value::Uint(a.natural % b.natural);
    default: return NoOverload();
  }
}

Value Negate(Frame&, Args args) {
  const Value& a = args[0];
  if (a.Is(Kind::kInt) || a.Is(Kind::kDuration)) {
    if (a.integer == INT64_MIN) return IntOverflow();
    Value negative = a;
    negative.integer = -a.integer;
    return negative;
  }
  if (a.Is(Kind::kDouble)) return Value::Double(-a.real);
  return NoOverload();
}

Value Not(Frame&, Args args) { return args[0].Is(Kind::kBool) ? Value::Bool(!args[0].boolean) : NoOverload(); }

Value NotStrictlyFalse(Frame&, Args args) { return args[0].Is(Kind::kBool) ? args[0] : Value::Bool(true); }

template <typename Test>
Value Ordered(Args args, Test test) {
  int order = 0;
  Value error;
  if (!OrderValues(args[0], args[1], &order, &error)) return error;
  return Value::Bool(test(order));
}
Value Less(Frame&, Args args) {
  return Ordered(args, [](int order) { return order < 0; });
}
Value LessEqual(Frame&, Args args) {
  return Ordered(args, [](int order) { return order <= 0; });
}
Value Greater(Frame&, Args args) {
  return Ordered(args, [](int order) { return order > 0; });
}
Value GreaterEqual(Frame&, Args args) {
  return Ordered(args, [](int order) { return order >= 0; });
}

Value In(Frame& frame, Args args) {
  if (args[1].Is(Kind::kMap)) {
    // Go's map panics on such a key, and cel-go turns that into an error.
    const bool made = dynamic_cast<const HashMap*>(args[1].map) != nullptr;
    if (made && !CanBeKey(args[0])) return Value::Fatal("internal error: a value of this kind cannot be looked up in a map");
    return Value::Bool(args[1].map->Contains(args[0]));
  }
  if (args[1].Is(Kind::kList)) return ListContains(frame, *args[1].list, args[0]);
  return NoOverload();
}

Value Size(Frame&, Args args) {
  switch (args[0].kind) {
    case Kind::kString:
    case Kind::kBytes:
    case Kind::kList:
    case Kind::kMap: return Value::Int(static_cast<int64_t>(SizeOf(args[0])));
    default: return NoOverload();
  }
}

constexpr auto kS = Declaration::kSingleton;

// Kubernetes has one overload for each pair of kinds that can be ordered.
#define ORDERED(function, prefix, run)                                                                                                    \
  {function, prefix "_bool", "bool,bool->bool", run, kS}, {function, prefix "_int64", "int,int->bool", run, kS},                          \
      {function, prefix "_int64_double", "int,double->bool", run, kS}, {function, prefix "_int64_uint64", "int,uint->bool", run, kS},     \
      {function, prefix "_uint64", "uint,uint->bool", run, kS}, {function, prefix "_uint64_double", "uint,double->bool", run, kS},        \
      {function, prefix "_uint64_int64", "uint,int->bool", run, kS}, {function, prefix "_double", "double,double->bool", run, kS},        \
      {function, prefix "_double_int64", "double,int->bool", run, kS}, {function, prefix "_double_uint64", "double,uint->bool", run, kS}, \
      {function, prefix "_string", "string,string->bool", run, kS}, {function, prefix "_bytes", "bytes,bytes->bool", run, kS},            \
      {function, prefix "_timestamp", "timestamp,timestamp->bool", run, kS}, {                                                            \
    function, prefix "_duration", "duration,duration->bool", run, kS                                                                      \
  }

constexpr Declaration kTable[] = {
    {op::kConditional, "conditional", "bool,A,A->A", nullptr, kS},
    {op::kAnd, "logical_and", "bool,bool->bool", nullptr, kS},
    {op::kOr, "logical_or", "bool,bool->bool", nullptr, kS},
    {op::kNot, "logical_not", "bool->bool", Not, kS},
    {op::kNotStrictlyFalse, "not_strictly_false", "bool->bool", NotStrictlyFalse, Declaration::kNonStrict},
    {op::kEqual, "equals", "A,A->bool", nullptr, kS},
    {op::kNotEqual, "not_equals", "A,A->bool", nullptr, kS},
    {op::kAdd, "add_bytes", "bytes,bytes->bytes", Add, kS},
    {op::kAdd, "add_double", "double,double->double", Add, kS},
    {op::kAdd, "add_duration_duration", "duration,duration->duration", Add, kS},
    {op::kAdd, "add_duration_timestamp", "duration,timestamp->timestamp", Add, kS},
    {op::kAdd, "add_timestamp_duration", "timestamp,duration->timestamp", Add, kS},
    {op::kAdd, "add_int64", "int,int->int", Add, kS},
    {op::kAdd, "add_list", "list(A),list(A)->list(A)", Add, kS},
    {op::kAdd, "add_string", "string,string->string", Add, kS},
    {op::kAdd, "add_uint64", "uint,uint->uint", Add, kS},
    {op::kDivide, "divide_double", "double,double->double", Divide, kS},
    {op::kDivide, "divide_int64", "int,int->int", Divide, kS},
    {op::kDivide, "divide_uint64", "uint,uint->uint", Divide, kS},
    {op::kModulo, "modulo_int64", "int,int->int", Modulo, kS},
    {op::kModulo, "modulo_uint64", "uint,uint->uint", Modulo, kS},
    {op::kMultiply, "multiply_double", "double,double->double", Multiply, kS},
    {op::kMultiply, "multiply_int64", "int,int->int", Multiply, kS},
    {op::kMultiply, "multiply_uint64", "uint,uint->uint", Multiply, kS},
    {op::kNegate, "negate_double", "double->double", Negate, kS},
    {op::kNegate, "negate_int64", "int->int", Negate, kS},
    {op::kSubtract, "subtract_double", "double,double->double", Subtract, kS},
    {op::kSubtract, "subtract_duration_duration", "duration,duration->duration", Subtract, kS},
    {op::kSubtract, "subtract_int64", "int,int->int", Subtract, kS},
    {op::kSubtract, "subtract_timestamp_duration", "timestamp,duration->timestamp", Subtract, kS},
    {op::kSubtract, "subtract_timestamp_timestamp", "timestamp,timestamp->duration", Subtract, kS},
    {op::kSubtract, "subtract_uint64", "uint,uint->uint", Subtract, kS},
    ORDERED(op::kLess, "less", Less),
    ORDERED(op::kLessEqual, "less_equals", LessEqual),
    ORDERED(op::kGreater, "greater", Greater),
    ORDERED(op::kGreaterEqual, "greater_equals", GreaterEqual),
    {op::kIndex, "index_list", "list(A),int->A", nullptr, kS},
    {op::kIndex, "index_map", "map(A,B),A->B", nullptr, kS},
    {op::kIn, "in_list", "A,list(A)->bool", In, kS},
    {op::kIn, "in_map", "A,map(A,B)->bool", In, kS},
    {"size", "size_bytes", "bytes->int", Size, kS},
    {"size", "bytes_size", ".bytes->int", Size, kS},
    {"size", "size_list", "list(A)->int", Size, kS},
    {"size", "list_size", ".list(A)->int", Size, kS},
    {"size", "size_map", "map(A,B)->int", Size, kS},
    {"size", "map_size", ".map(A,B)->int", Size, kS},
    {"size", "size_string", "string->int", Size, kS},
    {"size", "string_size", ".string->int", Size, kS},
};

#undef ORDERED

}  // namespace

std::span<const Declaration> OperatorFunctions() { return kTable; }

}  // namespace allot::cel

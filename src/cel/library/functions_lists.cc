// Lists, maps and optionals: Kubernetes' list functions, the lists extension (version 3), sets, optional values, and the functions behind
// macros.

#include <algorithm>

#include "cel/compile/ast.h"
#include "cel/compile/declarations.h"
#include "cel/eval/frame.h"
#include "cel/eval/maps.h"

namespace allot::cel {
namespace {

using Args = std::span<const Value>;

Value NoOverload() { return Value::Error(kNoSuchOverload); }
Value Finished(const GrowingList* list) { return Value::Of(static_cast<const List*>(list)); }

bool IsOrdered(const Value& value) {
  switch (value.kind) {
    case Kind::kBool:
    case Kind::kInt:
    case Kind::kUint:
    case Kind::kDouble:
    case Kind::kString:
    case Kind::kBytes:
    case Kind::kDuration:
    case Kind::kTimestamp: return true;
    default: return false;
  }
}

// ---- Kubernetes ----

Value IsSorted(Frame& frame, Args args) {
  const List& list = *args[0].list;
  for (uint64_t i = 0; i < list.size; ++i) {
    if (!frame.Work(1)) return Frame::TooMuch();
    if (!IsOrdered(list.At(i))) return NoOverload();
    int order = 0;
    Value ignored;
    // Elements that cannot be ordered are ignored.
    if (i > 0 && OrderValues(list.At(i - 1), list.At(i), &order, &ignored) && order > 0) return Value::Bool(false);
  }
  return Value::Bool(true);
}

Value Sum(Frame& frame, const Value& zero, const List& list) {
  static const Overload* const kAdd = &FindFunction(op::kAdd)->overloads[0];
  Value sum = zero;
  for (uint64_t i = 0; i < list.size; ++i) {
    if (!frame.Work(1)) return Frame::TooMuch();
    const Value pair[] = {sum, list.At(i)};
    sum = kAdd->run(frame, std::span(pair));
    if (sum.IsError()) return sum;
  }
  return sum;
}
Value SumInt(Frame& frame, Args args) { return Sum(frame, Value::Int(0), *args[0].list); }
Value SumUint(Frame& frame, Args args) { return Sum(frame, Value::Uint(0), *args[0].list); }
Value SumDouble(Frame& frame, Args args) { return Sum(frame, Value::Double(0), *args[0].list); }
Value SumDuration(Frame& frame, Args args) { return Sum(frame, Value::Duration(0), *args[0].list); }

// Returns the smallest element (`sign` 1) or the largest (`sign` -1).
Value Best(Frame& frame, const List& list, int sign, std::string_view when_empty) {
  if (list.size == 0) return Value::Error(when_empty);
  Value best = list.At(0);
  for (uint64_t i = 0; i < list.size; ++i) {
    if (!frame.Work(1)) return Frame::TooMuch();
    if (!IsOrdered(list.At(i))) return NoOverload();
    int order = 0;
    Value ignored;
    if (OrderValues(best, list.At(i), &order, &ignored) && order == sign) best = list.At(i);
  }
  return best;
}
Value Max(Frame& frame, Args args) { return Best(frame, *args[0].list, -1, "max called on empty list"); }
Value Min(Frame& frame, Args args) { return Best(frame, *args[0].list, 1, "min called on empty list"); }

Value IndexOf(Frame& frame, Args args) {
  for (uint64_t i = 0; i < args[0].list->size; ++i) {
    if (!frame.Work(1)) return Frame::TooMuch();
    if (EqualValues(frame, args[0].list->At(i), args[1]).IsTrue()) return Value::Int(static_cast<int64_t>(i));
  }
  return Value::Int(-1);
}
Value LastIndexOf(Frame& frame, Args args) {
  for (uint64_t i = args[0].list->size; i-- > 0;) {
    if (!frame.Work(1)) return Frame::TooMuch();
    if (EqualValues(frame, args[0].list->At(i), args[1]).IsTrue()) return Value::Int(static_cast<int64_t>(i));
  }
  return Value::Int(-1);
}

#define FOR_ORDERED_TYPES(row)                                                                                       \
  row("int", "int"), row("uint", "uint"), row("double", "double"), row("bool", "bool"), row("duration", "duration"), \
      row("timestamp", "timestamp"), row("string", "string"), row("bytes", "bytes")
#define SORTED_ROW(name, type) {"isSorted", "list_" name "_is_sorted_bool", ".list(" type ")->bool", IsSorted}
#define MAX_ROW(name, type) {"max", "list_" name "_max_" name, ".list(" type ")->" type, Max}
#define MIN_ROW(name, type) {"min", "list_" name "_min_" name, ".list(" type ")->" type, Min}

constexpr Declaration kKubernetes[] = {
    FOR_ORDERED_TYPES(SORTED_ROW),
    {"sum", "list_int_sum_int", ".list(int)->int", SumInt},
    {"sum", "list_uint_sum_uint", ".list(uint)->uint", SumUint},
    {"sum", "list_double_sum_double", ".list(double)->double", SumDouble},
    {"sum", "list_duration_sum_duration", ".list(duration)->duration", SumDuration},
    FOR_ORDERED_TYPES(MAX_ROW),
    FOR_ORDERED_TYPES(MIN_ROW),
    {"indexOf", "list_a_index_of_int", ".list(A),A->int", IndexOf},
    {"lastIndexOf", "list_a_last_index_of_int", ".list(A),A->int", LastIndexOf},
};

// ---- The lists extension ----

Value Slice(Frame& frame, Args args) {
  const List& list = *args[0].list;
  const int64_t begin = args[1].integer, end = args[2].integer;
  if (begin < 0 || end < 0) return Value::Error("slice: negative indexes are not supported");
  if (begin > end) return Value::Error("slice: the start must not be after the end");
  if (list.size < static_cast<uint64_t>(end)) return Value::Error("slice: the list is shorter");
  const auto size = static_cast<uint64_t>(end - begin);
  if (size > frame.limit()) return Frame::OverLimit();
  Value* const items = frame.arena.Array<Value>(size);
  for (uint64_t i = 0; i < size; ++i) items[i] = list.At(static_cast<uint64_t>(begin) + i);
  return frame.NewList(items, size);
}

bool FlattenInto(Frame& frame, const List& list, int64_t depth, GrowingList* flat) {
  for (uint64_t i = 0; i < list.size; ++i) {
    if (!frame.Work(1) || !frame.arena.HasRoom(sizeof(Value))) return false;
    const Value& value = list.At(i);
    if (depth > 0 && value.Is(Kind::kList)) {
      if (!FlattenInto(frame, *value.list, depth - 1, flat)) return false;
    } else {
      flat->Append(frame.arena, value);
    }
  }
  return true;
}
Value Flatten(Frame& frame, Args args) {
  if (!args[0].Is(Kind::kList) || (args.size() > 1 && !args[1].Is(Kind::kInt))) return NoOverload();
  const int64_t depth = args.size() > 1 ? args[1].integer : 1;
  if (depth < 0) return Value::Error("level must be non-negative");
  GrowingList* const flat = frame.arena.New<GrowingList>();
  return FlattenInto(frame, *args[0].list, depth, flat) ? Finished(flat) : Frame::TooMuch();
}

Value SortBy(Frame& frame, const Value& list_value, const Value& keys_value) {
  const List& list = *list_value.list;
  const List& keys = *keys_value.list;
  if (list.size != keys.size) return Value::Error("sortBy: as many keys as elements are needed");
  if (list.size == 0) return list_value;
  // The cost is the square of the size. Check it before sorting.
  if (list.size > frame.limit()) return Frame::OverLimit();
  if (!IsOrdered(keys.At(0))) return Value::Error("list elements must be comparable");
  uint64_t* const order = frame.arena.Array<uint64_t>(list.size);
  for (uint64_t i = 0; i < list.size; ++i) {
    order[i] = i;
    if (keys.At(i).kind != keys.At(0).kind && list.size > 1) return Value::Error("list elements must have the same type");
  }
  // Kubernetes' sort is not stable, so the order of equal keys is unspecified.
  std::stable_sort(order, order + list.size, [&](uint64_t a, uint64_t b) {
    int result = 0;
    Value ignored;
    return OrderValues(keys.At(a), keys.At(b), &result, &ignored) && result < 0;
  });
  Value* const items = frame.arena.Array<Value>(list.size);
  for (uint64_t i = 0; i < list.size; ++i) items[i] = list.At(order[i]);
  return frame.NewList(items, list.size);
}
Value Sort(Frame& frame, Args args) { return args[0].Is(Kind::kList) ? SortBy(frame, args[0], args[0]) : NoOverload(); }
Value SortByKeys(Frame& frame, Args args) {
  if (!args[0].Is(Kind::kList)) return NoOverload();
  return args[1].Is(Kind::kList) ? SortBy(frame, args[0], args[1]) : Value::Fatal("internal error: keys are not a list");
}

Value RangeList(Frame& frame, Args args) {
  const auto size = static_cast<uint64_t>(std::max<int64_t>(args[0].integer, 0));
  if (size > frame.limit()) return Frame::OverLimit();
  Value* const items = frame.arena.Array<Value>(size);
  for (uint64_t i = 0; i < size; ++i) items[i] = Value::Int(static_cast<int64_t>(i));
  return frame.NewList(items, size);
}

Value ReverseList(Frame& frame, Args args) {
  const List& list = *args[0].list;
  if (list.size > frame.limit()) return Frame::OverLimit();
  Value* const items = frame.arena.Array<Value>(list.size);
  for (uint64_t i = 0; i < list.size; ++i) items[i] = list.At(list.size - i - 1);
  return frame.NewList(items, list.size);
}

Value Distinct(Frame& frame, Args args) {
  const List& list = *args[0].list;
  if (list.size == 0) return args[0];
  if (list.size > frame.limit() || 2 * list.size * list.size > frame.limit()) return Frame::OverLimit();
  GrowingList* const unique = frame.arena.New<GrowingList>();
  for (uint64_t i = 0; i < list.size; ++i) {
    const Value value = list.At(i);
    bool seen = false;
    for (uint64_t j = 0; j < unique->size && !seen; ++j) {
      const Value equal = EqualValues(frame, value, unique->items[j]);
      if (equal.IsFatal()) return equal;
      seen = equal.IsTrue();
    }
    if (!seen) unique->Append(frame.arena, value);
  }
  return Finished(unique);
}

#define SORT_ROW(name, type) {"sort", "list_" name "_sort", ".list(" type ")->list(" type ")", Sort, Declaration::kSingleton}
#define SORT_BY_ROW(name, type) \
  {"@sortByAssociatedKeys", "list_" name "_sortByAssociatedKeys", ".list(T),list(" type ")->list(T)", SortByKeys, Declaration::kSingleton}

constexpr Declaration kLists[] = {
    {"slice", "list_slice", ".list(T),int,int->list(T)", Slice, Declaration::kVariadic},
    {"flatten", "list_flatten", ".list(list(T))->list(T)", Flatten, Declaration::kUnguarded},
    {"flatten", "list_flatten_int", ".list(dyn),int->list(dyn)", Flatten, Declaration::kUnguarded},
    FOR_ORDERED_TYPES(SORT_ROW),
    FOR_ORDERED_TYPES(SORT_BY_ROW),
    {"lists.range", "lists_range", "int->list(int)", RangeList},
    {"reverse", "list_reverse", ".list(T)->list(T)", ReverseList},
    {"distinct", "list_distinct", ".list(T)->list(T)", Distinct},
};

#undef FOR_ORDERED_TYPES
#undef SORTED_ROW
#undef MAX_ROW
#undef MIN_ROW
#undef SORT_ROW
#undef SORT_BY_ROW

// ---- Sets ----

// Returns whether all elements of `part` are in `list`.
Value ContainsAll(Frame& frame, const List& list, const List& part) {
  for (uint64_t i = 0; i < part.size; ++i) {
    const Value found = ListContains(frame, list, part.At(i));
    if (!found.IsTrue()) return found;
  }
  return Value::Bool(true);
}
// Every pair is charged for. Returns whether that exceeds the limit, before any comparison.
bool IsTooExpensive(const Frame& frame, Args args) {
  const uint64_t a = args[0].list->size, b = args[1].list->size;
  return a != 0 && b > frame.limit() / a;
}
Value SetsContains(Frame& frame, Args args) {
  return IsTooExpensive(frame, args) ? Frame::OverLimit() : ContainsAll(frame, *args[0].list, *args[1].list);
}
Value SetsEquivalent(Frame& frame, Args args) {
  if (IsTooExpensive(frame, args)) return Frame::OverLimit();
  const Value forth = ContainsAll(frame, *args[0].list, *args[1].list);
  return forth.IsTrue() ? ContainsAll(frame, *args[1].list, *args[0].list) : forth;
}
Value SetsIntersects(Frame& frame, Args args) {
  if (IsTooExpensive(frame, args)) return Frame::OverLimit();
  for (uint64_t i = 0; i < args[0].list->size; ++i) {
    const Value found = ListContains(frame, *args[1].list, args[0].list->At(i));
    if (found.IsFatal() || found.IsTrue()) return found;
  }
  return Value::Bool(false);
}

constexpr Declaration kSets[] = {
    {"sets.contains", "list_sets_contains_list", "list(T),list(T)->bool", SetsContains},
    {"sets.equivalent", "list_sets_equivalent_list", "list(T),list(T)->bool", SetsEquivalent},
    {"sets.intersects", "list_sets_intersects_list", "list(T),list(T)->bool", SetsIntersects},
};

// ---- Optionals ----

Value OptionalOf(Frame& frame, Args args) { return frame.NewOptional(args[0]); }
Value OptionalOfNonZero(Frame& frame, Args args) { return IsZeroValue(args[0]) ? Value::Optional(nullptr) : frame.NewOptional(args[0]); }
Value OptionalNone(Frame&, Args) { return Value::Optional(nullptr); }
Value OptionalValue(Frame&, Args args) { return args[0].boxed == nullptr ? Value::Error("optional.none() dereference") : *args[0].boxed; }
Value OptionalHasValue(Frame&, Args args) { return Value::Bool(args[0].boxed != nullptr); }
Value First(Frame& frame, Args args) { return args[0].list->size == 0 ? Value::Optional(nullptr) : frame.NewOptional(args[0].list->At(0)); }
Value Last(Frame& frame, Args args) {
  const uint64_t size = args[0].list->size;
  return size == 0 ? Value::Optional(nullptr) : frame.NewOptional(args[0].list->At(size - 1));
}
Value Unwrap(Frame& frame, Args args) {
  GrowingList* const values = frame.arena.New<GrowingList>();
  for (uint64_t i = 0; i < args[0].list->size; ++i) {
    const Value& value = args[0].list->At(i);
    if (!frame.Work(1)) return Frame::TooMuch();
    if (!value.Is(Kind::kOptional)) return Value::Error("value is not optional");
    if (value.boxed != nullptr) values->Append(frame.arena, *value.boxed);
  }
  return Finished(values);
}

constexpr Declaration kOptional[] = {
    {"optional.of", "optional_of", "V->optional(V)", OptionalOf},
    {"optional.ofNonZeroValue", "optional_ofNonZeroValue", "V->optional(V)", OptionalOfNonZero},
    {"optional.none", "optional_none", "->optional(V)", OptionalNone, Declaration::kVariadic},
    {"value", "optional_value", ".optional(V)->V", OptionalValue},
    {"hasValue", "optional_hasValue", ".optional(V)->bool", OptionalHasValue},
    {"or", "optional_or_optional", ".optional(V),optional(V)->optional(V)", nullptr},
    {"orValue", "optional_orValue_value", ".optional(V),V->V", nullptr},
    {op::kOptSelect, "select_optional_field", "dyn,string->optional(V)", nullptr},
    {op::kOptIndex, "list_optindex_optional_int", "list(V),int->optional(V)", nullptr},
    {op::kOptIndex, "optional_list_optindex_optional_int", "optional(list(V)),int->optional(V)", nullptr},
    {op::kOptIndex, "map_optindex_optional_value", "map(K,V),K->optional(V)", nullptr},
    {op::kOptIndex, "optional_map_optindex_optional_value", "optional(map(K,V)),K->optional(V)", nullptr},
    {op::kIndex, "optional_list_index_int", "optional(list(V)),int->optional(V)", nullptr},
    {op::kIndex, "optional_map_index_value", "optional(map(K,V)),K->optional(V)", nullptr},
    {"last", "list_last", ".list(V)->optional(V)", Last},
    {"first", "list_first", ".list(V)->optional(V)", First},
    {"optional.unwrap", "optional_unwrap", "list(optional(V))->list(V)", Unwrap},
    {"unwrapOpt", "optional_unwrapOpt", ".list(optional(V))->list(V)", Unwrap},
};

// ---- Called by transformMap() and transformMapEntry() ----

Value Insert(Frame& frame, const Value& map, const Value& key, const Value& value) {
  if (!CanBeKey(key)) return Value::Fatal("internal error: bytes cannot be a map key");
  if (map.map->Contains(key)) return Value::Error("insert failed: the key already exists");
  if (map.IsMutable()) {
    const_cast<HashMap*>(static_cast<const HashMap*>(map.map))->Put(key, value);
    return map;
  }
  HashMap* const copy = frame.arena.New<HashMap>(frame.arena);
  for (uint64_t i = 0; i < map.map->size(); ++i) copy->Put(map.map->KeyAt(i), map.map->ValueAt(i));
  copy->Put(key, value);
  return Value::Of(static_cast<const Map*>(copy));
}
Value InsertEntry(Frame& frame, Args args) { return Insert(frame, args[0], args[1], args[2]); }
Value InsertMap(Frame& frame, Args args) {
  Value map = args[0];
  for (uint64_t i = 0; i < args[1].map->size(); ++i) {
    map = Insert(frame, map, args[1].map->KeyAt(i), args[1].map->ValueAt(i));
    if (map.IsError()) return map;
  }
  return map;
}

constexpr Declaration kMaps[] = {
    {"cel.@mapInsert", "@mapInsert_map_key_value", "map(K,V),K,V->map(K,V)", InsertEntry, Declaration::kVariadic},
    {"cel.@mapInsert", "@mapInsert_map_map", "map(K,V),map(K,V)->map(K,V)", InsertMap},
};

}  // namespace

std::span<const Declaration> KubernetesListFunctions() { return kKubernetes; }
std::span<const Declaration> ListFunctions() { return kLists; }
std::span<const Declaration> SetFunctions() { return kSets; }
std::span<const Declaration> OptionalFunctions() { return kOptional; }
std::span<const Declaration> MapFunctions() { return kMaps; }

}  // namespace allot::cel

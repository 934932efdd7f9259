#include "cel/eval/value.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/utf8.h"
#include "cel/library/net.h"

namespace allot::cel {
namespace {

constexpr double kTwoTo63 = 9223372036854775808.0;
constexpr double kTwoTo64 = 18446744073709551616.0;

std::strong_ordering OrderOf(double a, double b) {
  return a < b ? std::strong_ordering::less : a > b ? std::strong_ordering::greater : std::strong_ordering::equal;
}

// Kubernetes compares an integer with a double as doubles, if the double is within the range of the integers.
std::strong_ordering CompareDoubleInt(double d, int64_t i) {
  if (d < -kTwoTo63) return std::strong_ordering::less;
  if (d > kTwoTo63) return std::strong_ordering::greater;
  return OrderOf(d, static_cast<double>(i));
}

std::strong_ordering CompareDoubleUint(double d, uint64_t u) {
  if (d < 0) return std::strong_ordering::less;
  if (d > kTwoTo64) return std::strong_ordering::greater;
  return OrderOf(d, static_cast<double>(u));
}

std::strong_ordering CompareIntUint(int64_t i, uint64_t u) {
  if (i < 0 || u > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) return std::strong_ordering::less;
  return i <=> static_cast<int64_t>(u);
}

std::strong_ordering Reverse(std::strong_ordering order) { return 0 <=> order; }

std::strong_ordering CompareNumbers(const Value& a, const Value& b) {
  switch (a.kind) {
    case Kind::kInt:
      if (b.Is(Kind::kInt)) return a.integer <=> b.integer;
      if (b.Is(Kind::kUint)) return CompareIntUint(a.integer, b.natural);
      return Reverse(CompareDoubleInt(b.real, a.integer));
    case Kind::kUint:
      if (b.Is(Kind::kUint)) return a.natural <=> b.natural;
      if (b.Is(Kind::kInt)) return Reverse(CompareIntUint(b.integer, a.natural));
      return Reverse(CompareDoubleUint(b.real, a.natural));
    default:
      if (b.Is(Kind::kInt)) return CompareDoubleInt(a.real, b.integer);
      if (b.Is(Kind::kUint)) return CompareDoubleUint(a.real, b.natural);
      return OrderOf(a.real, b.real);
  }
}

}  // namespace

void GrowingList::Append(Arena& arena, const Value& value) {
  if (size == capacity) {
    capacity = std::max<uint64_t>(8, capacity * 2);
    Value* const grown = arena.Array<Value>(capacity);
    std::copy_n(items, size, grown);
    items = grown;
  }
  const_cast<Value*>(items)[size++] = value;  // the array belongs to this list
}

std::string_view TypeNameOf(const Value& value) {
  switch (value.kind) {
    case Kind::kError: return "error";
    case Kind::kNull: return "null_type";
    case Kind::kBool: return "bool";
    case Kind::kInt: return "int";
    case Kind::kUint: return "uint";
    case Kind::kDouble: return "double";
    case Kind::kString: return "string";
    case Kind::kBytes: return "bytes";
    case Kind::kDuration: return "google.protobuf.Duration";
    case Kind::kTimestamp: return "google.protobuf.Timestamp";
    case Kind::kType: return "type";
    case Kind::kList: return "list";
    case Kind::kMap: return "map";
    case Kind::kOptional: return "optional_type";
    case Kind::kQuantity: return "kubernetes.Quantity";
    case Kind::kSemver: return "kubernetes.Semver";
    case Kind::kIp: return "net.IP";
    case Kind::kCidr: return "net.CIDR";
    case Kind::kUrl: return "kubernetes.URL";
    case Kind::kFormat: return "kubernetes.NamedFormat";
  }
  return "error";
}

bool CompareValues(const Value& a, const Value& b, std::strong_ordering* order, bool* nan) {
  *nan = false;
  if (a.IsNumber() && b.IsNumber()) {
    *nan = (a.Is(Kind::kDouble) && std::isnan(a.real)) || (b.Is(Kind::kDouble) && std::isnan(b.real));
    if (*nan) return false;
    *order = CompareNumbers(a, b);
    return true;
  }
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case Kind::kBool: *order = a.boolean <=> b.boolean; return true;
    case Kind::kString:
    case Kind::kBytes: *order = a.Text().compare(b.Text()) <=> 0; return true;
    case Kind::kDuration: *order = a.integer <=> b.integer; return true;
    case Kind::kTimestamp: *order = a.integer != b.integer ? a.integer <=> b.integer : a.size <=> b.size; return true;
    default: return false;
  }
}

bool DoubleToInt(double d, int64_t* i) {
  if (!(d > -kTwoTo63 && d < kTwoTo63)) return false;
  *i = static_cast<int64_t>(d);
  return true;
}

bool DoubleToUint(double d, uint64_t* u) {
  if (!(d >= 0 && d < kTwoTo64)) return false;
  *u = static_cast<uint64_t>(d);
  return true;
}

bool AsIndex(const Value& value, int64_t* index) {
  switch (value.kind) {
    case Kind::kInt: *index = value.integer; return true;
    case Kind::kUint: *index = static_cast<int64_t>(value.natural); return *index >= 0;
    case Kind::kDouble: return DoubleToInt(value.real, index) && static_cast<double>(*index) == value.real;
    default: return false;
  }
}

uint64_t SizeOf(const Value& value) {
  switch (value.kind) {
    case Kind::kString: return CountCharacters(value.Text());
    case Kind::kBytes: return value.size;
    case Kind::kList: return value.list->size;
    case Kind::kMap: return value.map->size();
    case Kind::kIp: return value.ip->v4 ? 4 : 16;
    case Kind::kCidr: return (value.cidr->bits + 7u) / 8;
    default: return 1;
  }
}

bool IsZeroValue(const Value& value) {
  switch (value.kind) {
    case Kind::kNull: return true;
    case Kind::kBool: return !value.boolean;
    case Kind::kInt:
    case Kind::kUint:
    case Kind::kDuration: return value.integer == 0;
    case Kind::kDouble: return value.real == 0;
    case Kind::kString:
    case Kind::kBytes: return value.size == 0;
    case Kind::kList: return value.list->size == 0;
    case Kind::kMap: return value.map->size() == 0;
    case Kind::kTimestamp: return value.integer == -62135596800 && value.size == 0;  // the first second of year 1
    default: return false;
  }
}

}  // namespace allot::cel

#pragma once
// The value of a part of an expression.
//
// A Value is two words and owns nothing: texts, lists and objects live in the arena of the evaluation, in the constants of the program, or
// in the device. An error is a value too, because && and || may ignore it. A fatal error (the cost limit) is never ignored.

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "cel/eval/arena.h"
#include "model/quantity.h"
#include "model/version.h"

namespace allot::cel {

struct List;
class Map;
struct Ip;
struct Cidr;
struct Url;
struct NamedFormat;
struct Declared;

enum class Kind : uint8_t {
  kError,
  kNull,
  kBool,
  kInt,
  kUint,
  kDouble,
  kString,
  kBytes,
  kDuration,   // nanoseconds in `integer`
  kTimestamp,  // Unix seconds in `integer`, nanoseconds in `size`, minutes east of UTC in `zone`
  kType,       // its name in `text`
  kList,
  kMap,
  kOptional,  // `boxed`, nullptr when empty
  kQuantity,
  kSemver,
  kIp,
  kCidr,
  kUrl,
  kFormat,
};

struct Value {
  enum Flag : uint8_t {
    kFatal = 1,     // kError: ends the evaluation
    kMutable = 2,   // kList, kMap: the accumulator of a running comprehension, changed in place
    kComputed = 4,  // kQuantity: result of add() or sub()
  };

  Kind kind = Kind::kNull;
  uint8_t flags = 0;
  int16_t zone = 0;
  uint32_t size = 0;
  union {
    bool boolean;
    int64_t integer = 0;
    uint64_t natural;
    double real;
    const char* text;
    const Value* boxed;
    const List* list;
    const Map* map;
    const model::Quantity* quantity;
    const model::Version* version;
    const Ip* ip;
    const Cidr* cidr;
    const Url* url;
    const NamedFormat* format;
  };

  static Value Null() { return {}; }
  static Value Bool(bool b) {
    Value v;
    v.kind = Kind::kBool;
    v.boolean = b;
    return v;
  }
  static Value Int(int64_t i) {
    Value v;
    v.kind = Kind::kInt;
    v.integer = i;
    return v;
  }
  static Value Uint(uint64_t u) {
    Value v;
    v.kind = Kind::kUint;
    v.natural = u;
    return v;
  }
  static Value Double(double d) {
    Value v;
    v.kind = Kind::kDouble;
    v.real = d;
    return v;
  }
  static Value OfText(Kind kind, std::string_view text) {
    Value v;
    v.kind = kind;
    v.size = static_cast<uint32_t>(text.size());
    v.text = text.data();
    return v;
  }
  static Value String(std::string_view text) { return OfText(Kind::kString, text); }
  static Value Bytes(std::string_view bytes) { return OfText(Kind::kBytes, bytes); }
  static Value TypeName(std::string_view name) { return OfText(Kind::kType, name); }
  // `message` must outlive the value.
  static Value Error(std::string_view message) { return OfText(Kind::kError, message); }
  static Value Fatal(std::string_view message) {
    Value v = Error(message);
    v.flags = kFatal;
    return v;
  }
  static Value Duration(int64_t nanoseconds) {
    Value v = Int(nanoseconds);
    v.kind = Kind::kDuration;
    return v;
  }
  static Value Timestamp(int64_t seconds, uint32_t nanoseconds, int16_t zone_minutes) {
    Value v = Int(seconds);
    v.kind = Kind::kTimestamp;
    v.size = nanoseconds;
    v.zone = zone_minutes;
    return v;
  }
  static Value Optional(const Value* boxed) {
    Value v;
    v.kind = Kind::kOptional;
    v.boxed = boxed;
    return v;
  }
  static Value Of(const List* list) {
    Value v;
    v.kind = Kind::kList;
    v.list = list;
    return v;
  }
  static Value Of(const Map* map) {
    Value v;
    v.kind = Kind::kMap;
    v.map = map;
    return v;
  }
  static Value Of(const model::Quantity* quantity) {
    Value v;
    v.kind = Kind::kQuantity;
    v.quantity = quantity;
    return v;
  }
  static Value Of(const model::Version* version) {
    Value v;
    v.kind = Kind::kSemver;
    v.version = version;
    return v;
  }
  static Value Of(const Ip* ip) {
    Value v;
    v.kind = Kind::kIp;
    v.ip = ip;
    return v;
  }
  static Value Of(const Cidr* cidr) {
    Value v;
    v.kind = Kind::kCidr;
    v.cidr = cidr;
    return v;
  }
  static Value Of(const Url* url) {
    Value v;
    v.kind = Kind::kUrl;
    v.url = url;
    return v;
  }
  static Value Of(const NamedFormat* format) {
    Value v;
    v.kind = Kind::kFormat;
    v.format = format;
    return v;
  }

  bool Is(Kind k) const { return kind == k; }
  bool IsError() const { return kind == Kind::kError; }
  bool IsFatal() const { return kind == Kind::kError && (flags & kFatal) != 0; }
  bool IsTrue() const { return kind == Kind::kBool && boolean; }
  bool IsFalse() const { return kind == Kind::kBool && !boolean; }
  bool IsNumber() const { return kind == Kind::kInt || kind == Kind::kUint || kind == Kind::kDouble; }
  bool IsMutable() const { return (flags & kMutable) != 0; }
  // For kString, kBytes, kType, kError.
  std::string_view Text() const { return {text, size}; }
};
static_assert(sizeof(Value) == 16);

// A list is flat, or the concatenation of two lists, so adding lists takes constant time.
struct List {
  uint64_t size = 0;
  const Value* items = nullptr;  // flat
  const List* left = nullptr;
  const List* right = nullptr;
  const Declared* declared = nullptr;  // how a schema compares and adds it (object_type.h)

  bool IsFlat() const { return left == nullptr; }
  // REQUIRES: index < size.
  const Value& At(uint64_t index) const {
    const List* list = this;
    while (!list->IsFlat()) {
      const bool in_left = index < list->left->size;
      if (!in_left) index -= list->left->size;
      list = in_left ? list->left : list->right;
    }
    return list->items[index];
  }
};

// The accumulator of map() and filter(); grows in place.
struct GrowingList : List {
  uint64_t capacity = 0;
  void Append(Arena& arena, const Value& value);
};

class Map {
 public:
  virtual uint64_t size() const = 0;
  // A number finds an equal key of another numeric kind. Returns false if there is no such key.
  virtual bool Find(const Value& key, Value* value) const = 0;
  virtual bool Contains(const Value& key) const {
    Value ignored;
    return Find(key, &ignored);
  }
  // The entries, in a fixed order. REQUIRES: index < size().
  virtual Value KeyAt(uint64_t index) const = 0;
  virtual Value ValueAt(uint64_t index) const = 0;
  // Whether the entries are attributes or capacities of the device.
  virtual bool IsPartOfDevice() const { return false; }

 protected:
  ~Map() = default;  // the arena destroys it with its actual type
};

// ---- What operators and functions share ----

inline constexpr std::string_view kNoSuchOverload = "no such overload";

// The name that type(v) returns.
std::string_view TypeNameOf(const Value& value);

// Returns true and sets *order if the kinds can be ordered. Sets *nan, and returns false, if one of them is NaN.
bool CompareValues(const Value& a, const Value& b, std::strong_ordering* order, bool* nan);

// Sets *index to the list index that a number denotes. Returns false if it denotes none.
bool AsIndex(const Value& value, int64_t* index);

bool DoubleToInt(double d, int64_t* i);    // truncates; false outside the range
bool DoubleToUint(double d, uint64_t* u);  // truncates; false outside the range

// The result of size(); 1 for values without a size.
uint64_t SizeOf(const Value& value);

bool IsZeroValue(const Value& value);

}  // namespace allot::cel

// Quantities: printing and parsing are inverse, and arithmetic obeys its laws. The input is one quantity, or two separated by a space.

#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "model/quantity.h"

namespace {

using allot::model::Quantity;

// Whether Kubernetes itself can parse the text that it prints. It cannot
//   - from 1000E on, which has no suffix, so that 1000E prints as 1;
//   - for a sum with a binary suffix above 2^63-1, which is more than it parses.
// Our parser cannot if a sum needs more text than it accepts.
bool PrintsWhatItIs(const Quantity& x) {
  static const Quantity kBeyondSuffixes = *Quantity::Parse("1e21");
  static const Quantity kBelowSuffixes = *Quantity::Parse("-1e21");
  if (x.Canonical().size() > Quantity::kMaxText) return false;
  switch (x.format()) {
    case Quantity::Format::kDecimalSI: return x < kBeyondSuffixes && x > kBelowSuffixes;
    case Quantity::Format::kBinarySI: return x.Value().has_value();
    case Quantity::Format::kDecimalExponent: return true;
  }
  return true;
}

void CheckPrinting(const Quantity& x) {
  if (!PrintsWhatItIs(x)) return;
  const auto canonical = Quantity::Parse(x.Canonical());
  CHECK(canonical.ok());
  CHECK(*canonical == x);
  // A binary quantity without a suffix is parsed as a decimal one, which has other suffixes.
  if (canonical->format() == x.format()) CHECK(canonical->Canonical() == x.Canonical());
  const auto printed = Quantity::Parse(x.ToString());
  CHECK(printed.ok());
  CHECK(*printed == x);
}

void CheckIntegers(const Quantity& x) {
  if (const auto exact = x.AsInt64()) {
    CHECK(x.Value() == exact);
    CHECK(x == Quantity::FromInt64(*exact, x.format()));
  }
  if (const auto value = x.Value()) {
    if (!x.IsBig()) CHECK(x.WrappedValue() == *value);  // big ones have Go's quirks
    // Rounded away from zero.
    const Quantity rounded = Quantity::FromInt64(*value, x.format());
    CHECK(x.Sign() >= 0 ? rounded >= x : rounded <= x);
  }
  Quantity big = x;
  big.MakeBig();
  CHECK(big == x);
  CHECK(big.Canonical() == x.Canonical());
  CHECK(big.Value() == x.Value());
  CHECK(big.MilliValue() == x.MilliValue());
}

void CheckArithmetic(const Quantity& a, const Quantity& b) {
  CHECK(a.Compare(b) == -b.Compare(a));
  Quantity sum = a;
  sum.Add(b);
  Quantity mirrored = b;
  mirrored.Add(a);
  CHECK(sum == mirrored);
  CheckPrinting(sum);
  sum.Sub(b);
  CHECK(sum == a);
  Quantity difference = a;
  difference.Sub(b);
  CHECK(difference.Sign() == a.Compare(b));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t space = text.find(' ');
  const auto a = Quantity::Parse(text.substr(0, space));
  if (!a.ok()) {
    CHECK(!a.status().message().empty());
    return 0;
  }
  CheckPrinting(*a);
  CheckIntegers(*a);
  if (space == std::string_view::npos) return 0;
  if (const auto b = Quantity::Parse(text.substr(space + 1)); b.ok()) CheckArithmetic(*a, *b);
  return 0;
}

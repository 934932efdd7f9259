#pragma once
// An amount as Kubernetes writes it: "6Gi", "500m", "1e3", "24576Mi".
//
// Kubernetes' semantics to the letter (apimachinery 1.36): exact decimal arithmetic at a precision of one nano, three formats of
// printing, and a text that is kept as written where Kubernetes keeps it. Two quantities of the same value may differ in how they are
// represented; `Identical` sees that difference because one rule of DRA does (see there).
//
// A small amount (64-bit mantissa and a decimal exponent) costs no allocation; larger ones go to a shared immutable big decimal.
// Values are immutable except through operator= and Add/Sub. Safe to share between threads as const.

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace allot::model {

class Quantity {
 public:
  enum class Format : uint8_t { kDecimalSI, kBinarySI, kDecimalExponent };

  Quantity() = default;  // zero, DecimalSI
  static Quantity FromInt64(int64_t value, Format format);

  // kInvalid, naming the text and what was expected. Beyond what any resource can mean, and refused although Kubernetes takes them:
  // texts longer than kMaxText bytes and exponents (1e5000) outside of +-kMaxExponent. So no text costs more than microseconds.
  static constexpr size_t kMaxText = 1024;
  static constexpr int kMaxExponent = 1024;
  static Result<Quantity> Parse(std::string_view text);

  Format format() const { return format_; }

  // What Kubernetes prints: the text as written where it kept that, else the canonical form.
  std::string ToString() const;
  // Always the canonical form: the largest suffix without a fraction.
  std::string Canonical() const;

  // Rounded up (away from zero) to an integer, respectively to thousandths; nothing where that does not fit into 64 bits.
  std::optional<int64_t> Value() const { return exponent_ == 0 && !big_ ? mantissa_ : RoundedAt(0); }
  std::optional<int64_t> MilliValue() const;
  // The integer that it is exactly, held in Kubernetes' small form (CEL's asInteger); nothing otherwise.
  std::optional<int64_t> AsInt64() const;
  double AsApproximateFloat64() const;
  // What Kubernetes' Value() and MilliValue() return, wrong answers included: they wrap around where the number does not fit, and round
  // negative big decimals up.
  int64_t WrappedValue() const { return exponent_ == 0 && !big_ ? mantissa_ : WrappedAt(0); }
  int64_t WrappedMilliValue() const;

  int Sign() const { return big_ ? BigSign() : (mantissa_ > 0) - (mantissa_ < 0); }
  bool IsZero() const { return Sign() == 0; }

  // Exact. Add and Sub take over the other's format when this is zero.
  void Add(const Quantity& other);
  void Sub(const Quantity& other);
  friend std::strong_ordering operator<=>(const Quantity& a, const Quantity& b) { return a.Compare(b) <=> 0; }
  friend bool operator==(const Quantity& a, const Quantity& b) { return a.Compare(b) == 0; }
  int Compare(const Quantity& other) const {
    if (exponent_ != other.exponent_ || big_ || other.big_) return CompareScaled(other);
    return (mantissa_ > other.mantissa_) - (mantissa_ < other.mantissa_);
  }

  // Whether Go's `==` on the struct would hold: same mantissa, exponent, format and kept text; never for big decimals.
  bool Identical(const Quantity& other) const;
  // Whether Kubernetes holds this as a big decimal; and moves it there (Go does so to the left side of a comparison with one).
  bool IsBig() const { return big_; }
  void MakeBig();

  // The text as written where Kubernetes keeps it, else empty.
  std::string_view KeptText() const;

 private:
  struct Rare;
  struct Decimal;

  static Quantity Small(int64_t mantissa, int32_t exponent, Format format, std::string_view kept_text);
  Decimal ToDecimal() const;
  void SetBig(Decimal value, std::string_view kept_text);
  void DropText();
  // Adds `mantissa` x 10^`exponent` to the small form; false, and nothing changed, where the sum is no small form.
  bool AddSmall(int64_t mantissa, int32_t exponent);
  int CompareScaled(const Quantity& other) const;
  int BigSign() const;
  int64_t WrappedAt(int32_t exponent) const;
  std::optional<int64_t> RoundedAt(int32_t exponent) const;

  static constexpr size_t kInlineText = 17;  // enough for common texts; longer ones go to rare_

  int64_t mantissa_ = 0;
  std::shared_ptr<const Rare> rare_;  // the big decimal, or a long text; null for nearly all
  int32_t exponent_ = 0;              // decimal
  Format format_ = Format::kDecimalSI;
  bool big_ = false;  // the value is in rare_
  uint8_t text_size_ = 0;
  char text_[kInlineText] = {};  // as written; a longer one is in rare_
};

}  // namespace allot::model

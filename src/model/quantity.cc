#include "model/quantity.h"

#include <algorithm>
#include <array>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

namespace allot::model {

namespace {

using BigInt = boost::multiprecision::cpp_int;
using Format = Quantity::Format;

constexpr int32_t kNano = -9;  // the finest that Kubernetes keeps
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

constexpr auto kPowers = [] {
  std::array<int64_t, 19> powers{1};
  for (size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}();
constexpr int32_t kMaxPower = static_cast<int32_t>(kPowers.size()) - 1;

// value x 10^power, or nothing when that leaves 64 bits.
std::optional<int64_t> ScaleUp(int64_t value, int32_t power) {
  if (value == 0) return 0;
  if (power > kMaxPower) return std::nullopt;
  int64_t product;
  if (__builtin_mul_overflow(value, kPowers[power], &product)) return std::nullopt;
  return product;
}

// value / 10^power, away from zero.
int64_t ScaleDown(int64_t value, int32_t power) {
  if (power > kMaxPower) return (value > 0) - (value < 0);
  const int64_t quotient = value / kPowers[power];
  if (value % kPowers[power] == 0) return quotient;
  return value > 0 ? quotient + 1 : quotient - 1;
}

BigInt BigPower(int32_t power) { return boost::multiprecision::pow(BigInt(10), static_cast<unsigned>(power)); }

// value / 10^power, away from zero.
BigInt ScaleDown(const BigInt& value, int32_t power) {
  BigInt quotient, rest;
  boost::multiprecision::divide_qr(value, BigPower(power), quotient, rest);
  if (!rest.is_zero()) quotient += value.sign();
  return quotient;
}

// Takes the zeros off the end and returns how many there were. REQUIRES that it is not zero. In big steps: 1e1000 has a thousand.
int32_t StripZeros(BigInt& value) {
  int32_t zeros = 0;
  for (const int32_t step : {kMaxPower, 6, 1}) {
    const BigInt power = kPowers[step];
    for (BigInt quotient, rest;; zeros += step) {
      boost::multiprecision::divide_qr(value, power, quotient, rest);
      if (!rest.is_zero()) break;
      value.swap(quotient);
    }
  }
  return zeros;
}

// The lowest 64 bits of the two's complement.
uint64_t LowBits(const BigInt& value) {
  const uint64_t magnitude = static_cast<uint64_t>(BigInt(abs(value) & std::numeric_limits<uint64_t>::max()));
  return value.sign() < 0 ? 0 - magnitude : magnitude;
}

bool FitsInt64(const BigInt& value) { return value >= kMin && value <= kMax; }

// Rounded to nearest, ties to even. Boost's own conversion makes no promise on how it rounds.
double ToDouble(const BigInt& value) {
  if (value.is_zero()) return 0;
  BigInt magnitude = abs(value);
  const auto top = static_cast<int>(msb(magnitude));
  double result;
  if (top < 64) {
    result = static_cast<double>(static_cast<uint64_t>(magnitude));
  } else {
    const int dropped = top - 63;
    const bool sticky = static_cast<int>(lsb(magnitude)) < dropped;
    magnitude >>= static_cast<unsigned>(dropped);
    result = std::ldexp(static_cast<double>(static_cast<uint64_t>(magnitude) | (sticky ? 1 : 0)), dropped);
  }
  return value.sign() < 0 ? -result : result;
}

// Go's math.Pow10: a product (or quotient) of two table entries, which is not always the nearest double.
double GoPow10(int power) {
  static constexpr double kCoarse[] = {1e0, 1e32, 1e64, 1e96, 1e128, 1e160, 1e192, 1e224, 1e256, 1e288};
  static constexpr double kCoarseBelow[] = {1e0, 1e-32, 1e-64, 1e-96, 1e-128, 1e-160, 1e-192, 1e-224, 1e-256, 1e-288, 1e-320};
  static constexpr double kFine[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22, 1e23, 1e24, 1e25, 1e26, 1e27, 1e28, 1e29, 1e30, 1e31};
  if (power > 308) return std::numeric_limits<double>::infinity();
  if (power >= 0) return kCoarse[power / 32] * kFine[power % 32];
  if (power >= -323) return kCoarseBelow[-power / 32] / kFine[-power % 32];
  return 0;
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::string_view TakeDigits(std::string_view& text) {
  const size_t end = std::find_if_not(text.begin(), text.end(), IsDigit) - text.begin();
  const std::string_view digits = text.substr(0, end);
  text.remove_prefix(end);
  return digits;
}

struct Suffix {
  Format format;
  int base;
  int exponent;
};

struct NamedSuffix {
  std::string_view name;
  int exponent;
};
constexpr NamedSuffix kDecimal[] = {{"n", -9}, {"u", -6}, {"m", -3}, {"", 0},   {"k", 3},
                                    {"M", 6},  {"G", 9},  {"T", 12}, {"P", 15}, {"E", 18}};
constexpr NamedSuffix kBinary[] = {{"Ki", 10}, {"Mi", 20}, {"Gi", 30}, {"Ti", 40}, {"Pi", 50}, {"Ei", 60}};

// Kubernetes prints no suffix for an exponent without one: 1e21 in DecimalSI becomes "1".
std::string_view SuffixFor(std::span<const NamedSuffix> table, int64_t exponent) {
  for (const auto& suffix : table) {
    if (suffix.exponent == exponent) return suffix.name;
  }
  return "";
}

std::string PrintDecimal(std::string mantissa, int32_t exponent, Format format) {
  if (format != Format::kDecimalExponent) return mantissa.append(SuffixFor(kDecimal, exponent));
  return exponent == 0 ? mantissa : StrCat(mantissa, 'e', exponent);
}

std::string Text(int64_t number) { return StrCat(number); }
std::string Text(const BigInt& number) { return number.str(); }

template <typename Int>
std::string PrintBinary(Int number) {
  int64_t power = 0;
  for (; number % 1024 == 0; number /= 1024) power += 10;
  return Text(number).append(SuffixFor(kBinary, power));
}

Result<Suffix> ReadSuffix(std::string_view text) {
  for (const auto& suffix : kDecimal) {
    if (suffix.name == text) return Suffix{Format::kDecimalSI, 10, suffix.exponent};
  }
  for (const auto& suffix : kBinary) {
    if (suffix.name == text) return Suffix{Format::kBinarySI, 2, suffix.exponent};
  }
  const Status unknown =
      Invalid("unknown suffix ", Quoted(text, 16), "; expected one of Ki Mi Gi Ti Pi Ei, n u m k M G T P E, or an exponent such as e3");
  if (text.size() < 2 || (text[0] != 'e' && text[0] != 'E')) return unknown;
  std::string_view digits = text.substr(1);
  const bool negative = digits[0] == '-';
  if (negative || digits[0] == '+') digits.remove_prefix(1);
  if (digits.empty() || !std::all_of(digits.begin(), digits.end(), IsDigit)) return unknown;
  int exponent = 0;
  for (const char c : digits) {
    exponent = exponent * 10 + (c - '0');
    if (exponent > Quantity::kMaxExponent) {
      return Invalid("exponent ", Quoted(text, 16), " is beyond ", Quantity::kMaxExponent);
    }
  }
  return Suffix{Format::kDecimalExponent, 10, negative ? -exponent : exponent};
}

// The parts of a well-formed quantity. As in Kubernetes a number may lack digits ("m" and "-" are zero).
struct Parts {
  bool negative = false;
  bool any_digit = false;
  std::string_view whole;     // without leading zeros, but never empty
  std::string_view fraction;  // behind the point
  std::string_view suffix;
};

Result<Parts> Split(std::string_view text) {
  Parts parts;
  if (text[0] == '-' || text[0] == '+') {
    parts.negative = text[0] == '-';
    text.remove_prefix(1);
  }
  const size_t zeros = std::min(text.find_first_not_of('0'), text.size());
  text.remove_prefix(zeros);
  parts.whole = TakeDigits(text);
  if (!text.empty() && text[0] == '.') {
    text.remove_prefix(1);
    parts.fraction = TakeDigits(text);
  }
  parts.any_digit = zeros + parts.whole.size() + parts.fraction.size() > 0;
  if (parts.whole.empty()) parts.whole = "0";

  parts.suffix = text;
  text.remove_prefix(std::min(text.find_first_not_of("eEinumkKMGTP"), text.size()));
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  TakeDigits(text);
  if (!text.empty()) return Invalid("expected a number and a suffix, such as 1.5, 500m, 6Gi or 1e3, and not ", Quoted(text, 16));
  return parts;
}

int64_t ReadSmall(std::string_view a, std::string_view b) {
  int64_t value = 0;
  for (const char c : a) value = value * 10 + (c - '0');
  for (const char c : b) value = value * 10 + (c - '0');
  return value;
}

BigInt ReadBig(std::string_view whole, std::string_view fraction) {
  BigInt value = 0;
  for (std::string_view digits : {whole, fraction}) {
    while (!digits.empty()) {
      const std::string_view chunk = digits.substr(0, kMaxPower);
      digits.remove_prefix(chunk.size());
      value = value * kPowers[chunk.size()] + ReadSmall(chunk, {});
    }
  }
  return value;
}

}  // namespace

// mantissa x 10^exponent
struct Quantity::Decimal {
  BigInt mantissa;
  int32_t exponent = 0;

  // Both with the smaller of the two exponents.
  static void Align(Decimal& a, Decimal& b) {
    if (a.exponent > b.exponent) return Align(b, a);
    if (a.exponent == b.exponent) return;
    b.mantissa *= BigPower(b.exponent - a.exponent);
    b.exponent = a.exponent;
  }
};

struct Quantity::Rare {
  Decimal value;
  std::string text;
};

Quantity Quantity::FromInt64(int64_t value, Format format) { return Small(value, 0, format, {}); }

Quantity Quantity::Small(int64_t mantissa, int32_t exponent, Format format, std::string_view kept_text) {
  Quantity quantity;
  quantity.mantissa_ = mantissa;
  quantity.exponent_ = exponent;
  quantity.format_ = format;
  if (kept_text.size() <= kInlineText) {
    quantity.text_size_ = static_cast<uint8_t>(kept_text.size());
    std::copy(kept_text.begin(), kept_text.end(), quantity.text_);
  } else {
    quantity.rare_ = std::make_shared<const Rare>(Rare{{}, std::string(kept_text)});
  }
  return quantity;
}

void Quantity::SetBig(Decimal value, std::string_view kept_text) {
  rare_ = std::make_shared<const Rare>(Rare{std::move(value), std::string(kept_text)});
  big_ = true;
  text_size_ = 0;
  mantissa_ = 0;
  exponent_ = 0;
}

Quantity::Decimal Quantity::ToDecimal() const { return big_ ? rare_->value : Decimal{mantissa_, exponent_}; }

void Quantity::MakeBig() {
  if (!big_) SetBig(ToDecimal(), std::string(KeptText()));
}

std::string_view Quantity::KeptText() const {
  if (rare_ != nullptr) return rare_->text;
  return {text_, text_size_};
}

void Quantity::DropText() {
  text_size_ = 0;
  if (!big_) rare_.reset();
}

Result<Quantity> Quantity::Parse(std::string_view text) {
  const auto fail = [&](Status status) { return std::move(status).Context("quantity ", Quoted(text, 40)); };
  if (text.empty()) return Invalid("quantity \"\": expected a number and a suffix, such as 1.5, 500m, 6Gi or 1e3");
  if (text.size() > kMaxText) return fail(Invalid("longer than ", kMaxText, " bytes"));
  if (text == "0") return Small(0, 0, Format::kDecimalSI, text);

  auto split = Split(text);
  if (!split.ok()) return fail(std::move(split).status());
  const Parts parts = *std::move(split);
  auto read = ReadSuffix(parts.suffix);
  if (!read.ok()) return fail(std::move(read).status());
  const Suffix suffix = *std::move(read);

  // Whether Kubernetes takes the small form depends on the count of digits, not on the value; Identical can tell the difference.
  const auto digits = static_cast<int>(parts.whole.size() + parts.fraction.size());
  const int32_t exponent = (suffix.base == 10 ? suffix.exponent : 0) - static_cast<int32_t>(parts.fraction.size());
  const bool small =
      suffix.base == 10 ? digits <= kMaxPower && exponent >= kNano : parts.fraction.empty() && digits + suffix.exponent * 3 / 10 + 1 <= 15;
  if (small) {
    const int64_t number = ReadSmall(parts.whole, parts.fraction);
    const int64_t magnitude = suffix.base == 10 ? number : number << suffix.exponent;
    bool keep;
    if (suffix.base == 10) {
      const bool three_zeros = digits >= 3 && number % 1000 == 0;
      keep = exponent % 3 == 0 && !three_zeros && parts.whole[0] != '0';
    } else {
      keep = number % 8 != 0;
    }
    return Small(parts.negative ? -magnitude : magnitude, exponent, suffix.format, keep ? text : std::string_view());
  }

  if (!parts.any_digit) return fail(Invalid("expected a number in front of the suffix"));
  Decimal value{ReadBig(parts.whole, parts.fraction), exponent};
  if (suffix.base == 2) value.mantissa <<= static_cast<unsigned>(suffix.exponent);
  Format format = suffix.format;
  if (!value.mantissa.is_zero()) {
    if (value.exponent < kNano) {
      value.mantissa = ScaleDown(value.mantissa, kNano - value.exponent);
    } else {
      value.mantissa *= BigPower(value.exponent - kNano);
    }
    value.exponent = kNano;
    if (format == Format::kBinarySI) {
      if (value.mantissa > BigInt(kMax) * kPowers[-kNano]) value = Decimal{kMax, 0};
      if (value.exponent == kNano && value.mantissa < kPowers[-kNano]) format = Format::kDecimalSI;
    }
  }
  if (parts.negative) value.mantissa = -value.mantissa;
  Quantity quantity;
  quantity.format_ = format;
  quantity.SetBig(std::move(value), {});
  return quantity;
}

std::string Quantity::ToString() const {
  const std::string_view kept = KeptText();
  return kept.empty() ? Canonical() : std::string(kept);
}

std::string Quantity::Canonical() const {
  if (IsZero()) return "0";
  // Kubernetes prints only whole numbers of at least 1Ki in binary.
  if (format_ == Format::kBinarySI && !big_ && exponent_ == 0 && mantissa_ != kMin) {
    if (mantissa_ >= 1024 || mantissa_ <= -1024) return PrintBinary(mantissa_);
  } else if (format_ == Format::kBinarySI) {
    const Decimal value = ToDecimal();
    const BigInt whole =
        value.exponent >= 0 ? BigInt(value.mantissa * BigPower(value.exponent)) : ScaleDown(value.mantissa, -value.exponent);
    const bool exact = value.exponent >= 0 || whole * BigPower(-value.exponent) == value.mantissa;
    // The small form of -2^63 is its own negation in Go, and so keeps its factors.
    if (exact && !big_ && whole == kMin) return whole.str();
    if (exact && abs(whole) >= 1024) return PrintBinary(whole);
  }
  if (!big_) {
    int64_t mantissa = mantissa_;
    int32_t exponent = exponent_;
    for (; mantissa % 10 == 0; mantissa /= 10) ++exponent;
    const int32_t surplus = (exponent % 3 + 3) % 3;
    if (const auto number = ScaleUp(mantissa, surplus)) return PrintDecimal(StrCat(*number), exponent - surplus, format_);
  }
  auto [mantissa, exponent] = ToDecimal();
  exponent += StripZeros(mantissa);
  for (; exponent % 3 != 0; --exponent) mantissa *= 10;
  return PrintDecimal(mantissa.str(), exponent, format_);
}

std::optional<int64_t> Quantity::RoundedAt(int32_t exponent) const {
  if (!big_) {
    const int32_t power = exponent_ - exponent;
    if (power < 0) return ScaleDown(mantissa_, -power);
    return ScaleUp(mantissa_, power);
  }
  const int32_t power = rare_->value.exponent - exponent;
  const BigInt& mantissa = rare_->value.mantissa;
  const BigInt number = power < 0 ? ScaleDown(mantissa, -power) : BigInt(mantissa * BigPower(power));
  if (!FitsInt64(number)) return std::nullopt;
  return static_cast<int64_t>(number);
}

std::optional<int64_t> Quantity::MilliValue() const { return RoundedAt(-3); }

// apimachinery 1.36, quantity.go (ScaledValue), math.go and scale_int.go. What it does on overflow depends on the path taken.
int64_t Quantity::WrappedAt(int32_t exponent) const {
  if (!big_) {
    if (const auto value = RoundedAt(exponent)) return *value;
    const int32_t power = exponent_ - exponent;
    const bool one_multiplication = power == 1 || power == 2 || power == 3 || power == 6 || power == 9;
    if (!one_multiplication || mantissa_ == kMin) return 0;
    return static_cast<int64_t>(static_cast<uint64_t>(mantissa_) * static_cast<uint64_t>(kPowers[power]));
  }
  const int32_t power = rare_->value.exponent - exponent;
  const BigInt& mantissa = rare_->value.mantissa;
  const auto low = static_cast<int64_t>(LowBits(mantissa));
  if (power >= 0) {
    // A power of ten beyond 64 bits becomes -2^63 on amd64.
    const uint64_t factor = power <= kMaxPower ? static_cast<uint64_t>(kPowers[power]) : uint64_t{1} << 63;
    return static_cast<int64_t>(static_cast<uint64_t>(low) * factor);
  }
  if (mantissa < kMax && -power <= kMaxPower) {  // also far below -2^63
    const int64_t divisor = kPowers[-power];
    return low / divisor + (low % divisor != 0 ? 1 : 0);
  }
  BigInt quotient, rest;
  boost::multiprecision::divide_qr(mantissa, BigPower(-power), quotient, rest);
  if (rest.sign() > 0) ++quotient;
  return static_cast<int64_t>(LowBits(quotient));
}

int64_t Quantity::WrappedMilliValue() const { return WrappedAt(-3); }

std::optional<int64_t> Quantity::AsInt64() const {
  if (big_ || exponent_ < 0) return std::nullopt;
  return ScaleUp(mantissa_, exponent_);
}

double Quantity::AsApproximateFloat64() const {
  const double number = big_ ? ToDouble(rare_->value.mantissa) : static_cast<double>(mantissa_);
  const int32_t exponent = big_ ? rare_->value.exponent : exponent_;
  return exponent == 0 ? number : number * GoPow10(exponent);
}

int Quantity::BigSign() const { return rare_->value.mantissa.sign(); }

bool Quantity::AddSmall(int64_t mantissa, int32_t exponent) {
  if (mantissa == 0) return true;
  if (mantissa_ == 0) {
    mantissa_ = mantissa;
    exponent_ = exponent;
    return true;
  }
  // At the lower of the two exponents.
  std::optional<int64_t> scaled = mantissa_;
  if (exponent_ > exponent) {
    scaled = ScaleUp(mantissa_, exponent_ - exponent);
  } else if (exponent_ < exponent) {
    const auto added = ScaleUp(mantissa, exponent - exponent_);
    if (!added) return false;
    mantissa = *added;
  }
  int64_t sum;
  if (!scaled || __builtin_add_overflow(*scaled, mantissa, &sum)) return false;
  mantissa_ = sum;
  exponent_ = std::min(exponent_, exponent);
  return true;
}

void Quantity::Add(const Quantity& other) {
  DropText();
  if (IsZero()) format_ = other.format_;
  if (!big_ && !other.big_ && AddSmall(other.mantissa_, other.exponent_)) return;
  Decimal a = ToDecimal(), b = other.ToDecimal();
  Decimal::Align(a, b);
  a.mantissa += b.mantissa;
  SetBig(std::move(a), {});
}

void Quantity::Sub(const Quantity& other) {
  DropText();
  if (IsZero()) format_ = other.format_;
  // Go negates -2^63 to itself, and so adds it.
  const auto negated = static_cast<int64_t>(0 - static_cast<uint64_t>(other.mantissa_));
  if (!big_ && !other.big_ && AddSmall(negated, other.exponent_)) return;
  Decimal a = ToDecimal(), b = other.ToDecimal();
  Decimal::Align(a, b);
  a.mantissa -= b.mantissa;
  SetBig(std::move(a), {});
}

int Quantity::CompareScaled(const Quantity& other) const {
  if (!big_ && !other.big_) {
    const int sign = Sign(), other_sign = other.Sign();
    if (sign != other_sign || sign == 0) return (sign > other_sign) - (sign < other_sign);
    const int32_t power = exponent_ - other.exponent_;
    // Ten to the 19th is more than any mantissa.
    if (power > kMaxPower) return sign;
    if (power < -kMaxPower) return -sign;
    __extension__ using Wide = __int128;
    const Wide a = power > 0 ? Wide{mantissa_} * kPowers[power] : Wide{mantissa_};
    const Wide b = power < 0 ? Wide{other.mantissa_} * kPowers[-power] : Wide{other.mantissa_};
    return (a > b) - (a < b);
  }
  Decimal a = ToDecimal(), b = other.ToDecimal();
  Decimal::Align(a, b);
  const int order = a.mantissa.compare(b.mantissa);
  return (order > 0) - (order < 0);
}

bool Quantity::Identical(const Quantity& other) const {
  return !big_ && !other.big_ && mantissa_ == other.mantissa_ && exponent_ == other.exponent_ && format_ == other.format_ &&
         KeptText() == other.KeptText();
}

}  // namespace allot::model

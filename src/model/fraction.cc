#include "model/fraction.h"

#include <charconv>
#include <numeric>
#include <optional>

#include "model/quantity.h"

namespace allot::model {
namespace {

constexpr size_t kMostDigits = 18;  // so that numerator and denominator fit into 64 bits

std::optional<int64_t> ReadDigits(std::string_view text) {
  int64_t number = 0;
  if (text.empty() || text.find_first_not_of("0123456789") != text.npos) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

std::string_view WithoutZeros(std::string_view digits) {
  const size_t first = digits.find_first_not_of('0');
  return first == digits.npos ? std::string_view() : digits.substr(first);
}

}  // namespace

Fraction::Fraction(std::string_view text, int64_t numerator, int64_t denominator)
    : text_(text), numerator_(numerator / std::gcd(numerator, denominator)), denominator_(denominator / std::gcd(numerator, denominator)) {}

Result<Fraction> Fraction::Parse(std::string_view text) {
  const auto fail = [&](std::string_view why) {
    return Invalid(Quoted(text), " ", why, "; give a part of a GPU between 0 and 1, like 0.5 or 1/3");
  };
  const auto make = [&](int64_t numerator, int64_t denominator) -> Result<Fraction> {
    if (numerator == 0) return fail("is not above 0");
    if (numerator == denominator) return fail("is a whole GPU, which is given where no fraction is asked for");
    if (numerator > denominator) return fail("is more than a whole GPU");
    return Fraction(text, numerator, denominator);
  };

  if (const size_t slash = text.find('/'); slash != text.npos) {
    const std::string_view above = WithoutZeros(text.substr(0, slash)), below = WithoutZeros(text.substr(slash + 1));
    if (above.size() > kMostDigits || below.size() > kMostDigits) return fail("has more than 18 digits");
    const std::optional<int64_t> numerator = ReadDigits(text.substr(0, slash)), denominator = ReadDigits(text.substr(slash + 1));
    if (!numerator || !denominator || *denominator == 0) return fail("is not a number");
    return make(*numerator, *denominator);
  }

  // Kubernetes' syntax of quantities decides what a number is. A quantity itself is rounded at a billionth, so the digits are read here.
  const Result<Quantity> quantity = Quantity::Parse(text);
  if (!quantity.ok()) return fail("is not a number");
  if (text.find_first_not_of("+-.0123456789") != text.npos) return fail("has an exponent or a unit");
  if (quantity->Sign() <= 0) return fail("is not above 0");
  const std::string_view digits = text.substr(text.front() == '+' ? 1 : 0);
  const size_t dot = digits.find('.');
  const std::string_view whole = WithoutZeros(digits.substr(0, dot));
  const std::string_view decimals = dot == digits.npos ? std::string_view() : digits.substr(dot + 1);
  if (whole.size() > 1) return fail("is more than a whole GPU");
  if (decimals.size() > kMostDigits) return fail("has more than 18 decimals");
  int64_t denominator = 1;
  for (size_t i = 0; i < decimals.size(); ++i) denominator *= 10;
  const int64_t ones = whole.empty() ? 0 : whole[0] - '0';
  if (ones > 1) return fail("is more than a whole GPU");
  return make(ones * denominator + ReadDigits(decimals).value_or(0), denominator);
}

MiB Fraction::Of(MiB whole) const {
  __extension__ using Wide = __int128;
  return MiB(static_cast<int64_t>(static_cast<Wide>(whole.count()) * numerator_ / denominator_));
}

}  // namespace allot::model

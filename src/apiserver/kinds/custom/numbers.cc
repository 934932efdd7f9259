#include "apiserver/kinds/custom/numbers.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

namespace allot::apiserver {
namespace {

constexpr double kTwoTo63 = 9223372036854775808.0;

// Converts a number; one out of range becomes the nearest. (In Go the result of that conversion depends on the implementation.)
int64_t Truncated(double number) {
  if (number >= kTwoTo63) return std::numeric_limits<int64_t>::max();
  if (!(number > -kTwoTo63)) return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(number);
}

class Checker {
 public:
  Checker(const CustomSchema& schema, const json::Value& value, std::string_view path)
      : path_(path), integer_(value.AsInt64()), number_(value.AsDouble()), shown_(integer_ ? StrCat(*integer_) : WriteNumber(number_)) {
    if (!schema.int_or_string) type_ = schema.type;
    if (type_ == "integer" && (schema.format == "int32" || schema.format == "int64")) format_ = schema.format;
    if (type_ == "number" && (schema.format == "float" || schema.format == "double")) format_ = schema.format;
  }

  std::vector<NumberProblem> Run(const CustomSchema& schema) {
    const bool fits = type_ == "integer" && integer_ ? format_ != "int32" || IsInt32(*integer_) : FitsType(number_);
    if (!fits) OutOfRange("Checked");
    if (schema.multiple_of) CheckMultiple(*schema.multiple_of);
    if (schema.minimum) CheckBound(*schema.minimum, schema.exclusive_minimum, false);
    if (schema.maximum) CheckBound(*schema.maximum, schema.exclusive_maximum, true);
    return std::move(problems_);
  }

 private:
  static bool IsInt32(int64_t number) {
    return number >= std::numeric_limits<int32_t>::min() && number <= std::numeric_limits<int32_t>::max();
  }

  bool FitsType(double number) const {
    if (type_ == "integer") {
      const bool whole = std::trunc(number) == number && number >= -kTwoTo63 && number < kTwoTo63;
      return whole && (format_ != "int32" || IsInt32(static_cast<int64_t>(number)));
    }
    return format_ != "float" || std::abs(number) <= static_cast<double>(std::numeric_limits<float>::max());
  }

  void OutOfRange(std::string_view what) {
    const std::string format = format_.empty() ? " (default format)" : StrCat(" with format ", format_);
    problems_.push_back({"\"\"", StrCat(what, " value must be of type ", type_, format, " in ", path_), true});
  }

  void Add(std::string_view rule, std::string_view limit) {
    problems_.push_back({shown_, StrCat(path_, " in body should be ", rule, " ", limit), false});
  }

  void CheckMultiple(double factor) {
    const bool fits = FitsType(factor);
    if (!fits) OutOfRange("MultipleOf");
    if (fits && integer_) {
      const int64_t whole = Truncated(factor);
      if (whole <= 0) {
        problems_.push_back({StrCat(whole), StrCat("factor MultipleOf declared for ", path_, " must be positive: ", whole), false});
      } else if (*integer_ % whole != 0) {
        Add("a multiple of", StrCat(whole));
      }
      return;
    }
    if (!(factor > 0)) {
      const std::string text = WriteNumber(factor);
      problems_.push_back({text, StrCat("factor MultipleOf declared for ", path_, " must be positive: ", text), false});
    } else if (!IsWhole(factor < 1 ? 1 / factor * number_ : number_ / factor)) {
      Add("a multiple of", WriteNumber(factor));
    }
  }

  void CheckBound(double bound, bool exclusive, bool upper) {
    const bool fits = FitsType(bound);
    if (!fits) OutOfRange(upper ? "Maximum boundary" : "Minimum boundary");
    const std::string_view rule =
        upper ? (exclusive ? "less than" : "less than or equal to") : (exclusive ? "greater than" : "greater than or equal to");
    const auto beyond = [&](auto number, auto limit) {
      if (number == limit) return exclusive;
      return upper ? number > limit : number < limit;
    };
    if (fits && integer_) {
      const int64_t whole = Truncated(bound);
      if (beyond(*integer_, whole)) Add(rule, StrCat(whole));
    } else if (beyond(number_, bound)) {
      Add(rule, WriteNumber(bound));
    }
  }

  const std::string_view path_;
  const std::optional<int64_t> integer_;
  const double number_;
  const std::string shown_;
  std::string_view type_, format_;
  std::vector<NumberProblem> problems_;
};

}  // namespace

bool IsWhole(double number) {
  constexpr double kLargest = 9007199254740991;  // 2^53 - 1
  if (!(std::abs(number) <= kLargest)) return false;
  // Division leaves small rounding errors.
  const double nearest = std::round(number);
  const double difference = std::abs(number - nearest);
  return difference == 0 || difference < 1e-9 * std::max(1.0, std::abs(nearest));
}

std::string WriteNumber(double number) {
  if (number == 0) return std::signbit(number) ? "-0" : "0";
  const double size = std::abs(number);
  char text[64];
  const bool plain = size >= 1e-4 && size < 1e6;
  const auto [end, error] =
      std::to_chars(text, text + sizeof text, number, plain ? std::chars_format::fixed : std::chars_format::scientific);
  return std::string(text, end);
}

std::vector<NumberProblem> CheckNumber(const CustomSchema& schema, const json::Value& value, std::string_view path) {
  return Checker(schema, value, path).Run(schema);
}

}  // namespace allot::apiserver

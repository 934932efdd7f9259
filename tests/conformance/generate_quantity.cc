#include <algorithm>
#include <string>

#include "generate.h"
#include "generate_json.h"
#include "generate_random.h"

namespace allot::conformance {

namespace {

constexpr uint64_t kKind = 3;

std::string Digits(Dice& dice, int count) {
  std::string digits;
  for (int i = 0; i < count; ++i) digits += static_cast<char>('0' + dice.Below(10));
  return digits;
}

std::string Whole(Dice& dice) {
  switch (dice.Weighted({50, 25, 15, 10})) {
    case 0: return Digits(dice, dice.Between(1, 4));
    case 1: return Digits(dice, dice.Between(5, 21));
    case 2:
      return dice.Pick({"0", "1", "1023", "1024", "1000", "999", "2147483648", "9223372036854775807", "9223372036854775808",
                        "18446744073709551616", "4294967296", "1048576", "8388607", "999999999999999999"});
    default: return "000" + Digits(dice, dice.Between(1, 3));
  }
}

std::string Exponent(Dice& dice) {
  std::string text = dice.Pick({"e", "E"});
  text += dice.Pick({"", "", "+", "-"});
  return text + std::to_string(dice.Pick({0, 1, 2, 3, 6, 9, 12, 18, 19, 20, 25}));
}

std::string Suffix(Dice& dice) {
  switch (dice.Weighted({20, 35, 35, 10})) {
    case 0: return "";
    case 1: return dice.Pick({"Ki", "Mi", "Gi", "Ti", "Pi", "Ei"});
    case 2: return dice.Pick({"n", "u", "m", "k", "M", "G", "T", "P", "E"});
    default: return Exponent(dice);
  }
}

std::string Valid(Dice& dice) {
  std::string text = dice.Pick({"", "", "", "", "-", "+"});
  switch (dice.Weighted({60, 32, 5, 3})) {
    case 0: text += Whole(dice); break;
    case 1:
      text += Whole(dice) + '.';
      text += Digits(dice, dice.Pick({1, 1, 2, 3, 6, 9, 10, 12}));
      break;
    case 2: text += '.' + Digits(dice, dice.Between(1, 4)); break;
    default: text += Whole(dice) + '.';
  }
  return text + Suffix(dice);
}

// Texts that a careless parser would accept or refuse wrongly.
std::string Doubtful(Dice& dice) {
  std::string text = Valid(dice);
  switch (dice.Below(8)) {
    case 0:
      return dice.Pick({"",    " ",    "+",     "-", ".",  "Gi",  "m",  "e3", "+-1",  "1,5",  "NaN",
                        "inf", "0x10", "1_000", "٣", "1e", "1e+", "1E", "-.", "1..2", "1.2.3"});
    case 1: return ' ' + text;
    case 2: return text + ' ';
    case 3: return text + dice.Pick({"B", "i", "b", "K", "gi", "MI", "Y", "Z", "mm", "ki", "e3", "Ki"});
    case 4: {
      const size_t at = dice.Index(text.size() + 1);
      return text.insert(at, dice.Pick({".", "-", "+", "e", "0", " ", "x"}));
    }
    case 5: text.erase(dice.Index(text.size()), 1); return text;
    case 6: return text + Exponent(dice);
    default: text = Digits(dice, 3); return text + dice.Pick({"e100", "e-100", "E99", "e-30", "E40", "e9999999999999999999"});
  }
}

// An exponent of four to eighteen digits: Kubernetes accepts it, and may then compute for hours; we refuse it (Quantity::kMaxExponent).
bool HasHugeExponent(const std::string& text) {
  size_t at = text.find_first_of("eE");
  if (at == std::string::npos) return false;
  at = text.find_first_not_of("+-0", at + 1);
  if (at == std::string::npos) return false;
  const size_t digits = text.find_first_not_of("0123456789", at) - at;
  return std::min(digits, text.size() - at) >= 4 && text.size() - at <= 18;
}

}  // namespace

std::string GenerateQuantityText(uint64_t seed) {
  Dice dice(seed, kKind);
  if (dice.Percent(50)) {
    std::string text;
    do {
      text = dice.Percent(75) ? Valid(dice) : Doubtful(dice);
    } while (HasHugeExponent(text));
    return Json(Object().Set("parse", Text(text))).text;
  }
  const std::string a = Valid(dice);
  // Sometimes the same text, so that there are equal pairs.
  std::string b = Valid(dice);
  if (dice.Percent(15)) b = a;
  return Json(Object().Set("a", Text(a)).Set("b", Text(b))).text;
}

}  // namespace allot::conformance

#include "cel/library/format_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "base/strings.h"
#include "base/utf8.h"
#include "cel/compile/types.h"
#include "cel/library/numbers.h"
#include "cel/library/time.h"

namespace allot::cel {
namespace {

constexpr int kDefaultPrecision = 6;
constexpr int kMaxPrecision = 1000;  // a double has no more digits than this

// One clause of a format text: %s, %.3f...
struct Clause {
  char kind = 0;
  int precision = kDefaultPrecision;
};

// Reads the clause at `*at`, after its '%'. Returns nullopt if it is invalid.
std::optional<Clause> ReadClause(std::string_view text, size_t* at) {
  Clause clause;
  if (*at < text.size() && text[*at] == '.') {
    const size_t begin = ++*at;
    while (*at < text.size() && text[*at] >= '0' && text[*at] <= '9') ++*at;
    const auto precision = ParseUint(text.substr(begin, *at - begin));
    if (!precision || *precision > static_cast<uint64_t>(INT64_MAX)) return std::nullopt;
    clause.precision = static_cast<int>(std::min<uint64_t>(*precision, kMaxPrecision));
  }
  if (*at >= text.size()) return std::nullopt;
  clause.kind = text[(*at)++];
  if (std::string_view("sdfebxXo").find(clause.kind) == std::string_view::npos) return std::nullopt;
  return clause;
}

// Go's %q: escapes unprintable characters.
std::string GoQuoted(std::string_view text) {
  std::string quoted = "\"";
  char buffer[16];
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    const uint32_t c = DecodeCharacter(text, &at);
    switch (c) {
      case '\a': quoted += "\\a"; continue;
      case '\b': quoted += "\\b"; continue;
      case '\f': quoted += "\\f"; continue;
      case '\n': quoted += "\\n"; continue;
      case '\r': quoted += "\\r"; continue;
      case '\t': quoted += "\\t"; continue;
      case '\v': quoted += "\\v"; continue;
      case '\\': quoted += "\\\\"; continue;
      case '"': quoted += "\\\""; continue;
      default: break;
    }
    if (c == kReplacementCharacter && at - begin == 1) {
      std::snprintf(buffer, sizeof buffer, "\\x%02x", static_cast<unsigned char>(text[begin]));
      quoted += buffer;
    } else if (c < 0x20 || c == 0x7F) {
      std::snprintf(buffer, sizeof buffer, "\\x%02x", c);
      quoted += buffer;
    } else if (c >= 0x80 && c < 0xA1) {
      std::snprintf(buffer, sizeof buffer, "\\u%04x", c);
      quoted += buffer;
    } else {
      quoted.append(text.substr(begin, at - begin));
    }
  }
  return quoted + "\"";
}

std::string Printf(const char* format, int precision, double value) {
  std::string text(static_cast<size_t>(std::snprintf(nullptr, 0, format, precision, value)) + 1, '\0');
  std::snprintf(text.data(), text.size(), format, precision, value);
  text.pop_back();
  return text;
}

// Groups thousands: "1,234.500".
std::string Grouped(double value, int precision) {
  std::string text = Printf("%.*f", precision, std::fabs(value));
  const size_t point = std::min(text.find('.'), text.size());
  for (size_t i = point; i > 3; i -= 3) text.insert(i - 3, ",");
  return std::signbit(value) && value != 0 ? "-" + text : text;
}

// Writes "1.052033×10⁰³".
std::string Scientific(double value, int precision) {
  static constexpr std::string_view kDigits[] = {"\u2070", "\u00B9", "\u00B2", "\u00B3", "\u2074",
                                                 "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
  const std::string plain = Printf("%.*e", precision, value);
  const size_t e = plain.find('e');
  std::string text = plain.substr(0, e) + "\u00D710";
  for (const char c : plain.substr(e + 1)) {
    if (c == '-') text += "\u207B";
    if (c >= '0' && c <= '9') text += kDigits[c - '0'];
  }
  return text;
}

std::string InBase(uint64_t value, bool negative, int base, bool upper) {
  char buffer[72];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, base).ptr;
  std::string text(buffer, end);
  if (upper) std::transform(text.begin(), text.end(), text.begin(), [](char c) { return c >= 'a' ? static_cast<char>(c - 32) : c; });
  return negative ? "-" + text : text;
}

class Formatter {
 public:
  explicit Formatter(Frame& frame) : frame_(frame) {}

  bool too_much() const { return too_much_; }

  // Returns nullopt if the clause does not accept the value.
  std::optional<std::string> Format(const Clause& clause, const Value& value) {
    switch (clause.kind) {
      case 's': return Text(value);
      case 'd': return Decimal(value);
      case 'f':
      case 'e': return Real(clause, value);
      case 'b':
        if (value.Is(Kind::kBool)) return value.boolean ? "1" : "0";
        return Whole(value, 2, false);
      case 'o': return Whole(value, 8, false);
      default: return Hex(value, clause.kind == 'X');
    }
  }

 private:
  static std::optional<std::string> Decimal(const Value& value) {
    if (value.Is(Kind::kInt)) return StrCat(value.integer);
    if (value.Is(Kind::kUint)) return StrCat(value.natural);
    return std::nullopt;
  }

  static std::optional<std::string> Whole(const Value& value, int base, bool upper) {
    if (value.Is(Kind::kUint)) return InBase(value.natural, false, base, upper);
    if (!value.Is(Kind::kInt)) return std::nullopt;
    const uint64_t magnitude = value.integer < 0 ? uint64_t{0} - value.natural : value.natural;
    return InBase(magnitude, value.integer < 0, base, upper);
  }

  static std::optional<std::string> Hex(const Value& value, bool upper) {
    if (!value.Is(Kind::kString) && !value.Is(Kind::kBytes)) return Whole(value, 16, upper);
    const char* const digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";
    std::string text;
    for (const char c : value.Text()) {
      text += digits[static_cast<unsigned char>(c) >> 4];
      text += digits[static_cast<unsigned char>(c) & 15];
    }
    return text;
  }

  static std::optional<std::string> Real(const Clause& clause, const Value& value) {
    double real = 0;
    if (value.Is(Kind::kDouble)) {
      real = value.real;
    } else if (value.Is(Kind::kString) && (value.Text() == "NaN" || value.Text() == "Infinity" || value.Text() == "-Infinity")) {
      real = *ParseDouble(value.Text());
    } else {
      return std::nullopt;
    }
    std::string text;
    if (std::isnan(real)) {
      text = "NaN";
    } else if (std::isinf(real)) {
      text = real > 0 ? "\u221E" : "-\u221E";
    } else {
      text = clause.kind == 'f' ? Grouped(real, clause.precision) : Scientific(real, kDefaultPrecision);
    }
    // Kubernetes interprets the precision of %e as a width.
    const auto width = static_cast<uint64_t>(clause.precision);
    if (clause.kind == 'e' && CountCharacters(text) < width) text.insert(0, width - CountCharacters(text), ' ');
    return text;
  }

  std::optional<std::string> Text(const Value& value) {
    switch (value.kind) {
      case Kind::kList: return ListText(*value.list);
      case Kind::kMap: return MapText(*value.map);
      case Kind::kNull: return "null";
      case Kind::kBool: return value.boolean ? "true" : "false";
      case Kind::kInt:
      case Kind::kUint: return Decimal(value);
      case Kind::kDouble: return FormatDouble(value.real);
      case Kind::kString:
      case Kind::kType: return std::string(value.Text());
      case Kind::kBytes:
        if (!IsValidUtf8(value.Text())) return std::nullopt;
        return std::string(value.Text());
      case Kind::kDuration: return FormatDuration(value.integer);
      case Kind::kTimestamp: return FormatTimestamp(value);
      default: return std::nullopt;
    }
  }

  // Formats an element of a list or a value of a map.
  std::optional<std::string> Element(const Value& value) {
    if (!frame_.Work(1)) {
      too_much_ = true;
      return std::nullopt;
    }
    switch (value.kind) {
      case Kind::kDouble:
        if (std::isnan(value.real) || std::isinf(value.real)) return GoQuoted(FormatDouble(value.real));
        return Printf("%.*f", kDefaultPrecision, value.real);
      case Kind::kTimestamp: return StrCat("timestamp(", GoQuoted(FormatTimestamp(value)), ")");
      case Kind::kDuration: return StrCat("duration(", GoQuoted(FormatDuration(value.integer)), ")");
      case Kind::kString: return GoQuoted(value.Text());
      case Kind::kBytes: {
        const auto text = Text(value);
        return text ? std::optional("b" + GoQuoted(*text)) : std::nullopt;
      }
      default: return Text(value);
    }
  }

  std::optional<std::string> ListText(const List& list) {
    std::string text = "[";
    for (uint64_t i = 0; i < list.size; ++i) {
      const auto element = Element(list.At(i));
      if (!element) return std::nullopt;
      if (i != 0) text += ", ";
      text += *element;
      if (!frame_.arena.HasRoom(text.size())) {
        too_much_ = true;
        return std::nullopt;
      }
    }
    return text + "]";
  }

  std::optional<std::string> MapText(const Map& map) {
    std::vector<std::pair<std::string, std::string>> entries;
    for (uint64_t i = 0; i < map.size(); ++i) {
      const Value key = map.KeyAt(i);
      if (!key.Is(Kind::kString) && !key.Is(Kind::kBool) && !key.Is(Kind::kInt) && !key.Is(Kind::kUint)) return std::nullopt;
      const auto name = Element(key);
      const auto value = Element(map.ValueAt(i));
      if (!name || !value) return std::nullopt;
      entries.emplace_back(*name, *value);
    }
    std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::string text = "{";
    for (size_t i = 0; i < entries.size(); ++i) {
      if (i != 0) text += ", ";
      text += entries[i].first + ":" + entries[i].second;
      if (!frame_.arena.HasRoom(text.size())) {
        too_much_ = true;
        return std::nullopt;
      }
    }
    return text + "}";
  }

  Frame& frame_;
  bool too_much_ = false;
};

using K = Type::Kind;

bool IsOneOf(const Type& type, std::initializer_list<K> kinds) {
  return type.kind == K::kDyn || std::find(kinds.begin(), kinds.end(), type.kind) != kinds.end();
}

bool AllowsText(const Expr& expr) {
  if (!IsOneOf(*expr.type, {K::kList, K::kMap, K::kInt, K::kUint, K::kDouble, K::kBool, K::kString, K::kTimestamp, K::kBytes, K::kDuration,
                            K::kType, K::kNull})) {
    return false;
  }
  if (!expr.Is(Expr::Kind::kList) && !expr.Is(Expr::Kind::kMap)) return true;
  return std::all_of(expr.args.begin(), expr.args.end(), [](const Expr* part) { return AllowsText(*part); });
}

bool Allows(const Clause& clause, const Expr& arg) {
  switch (clause.kind) {
    case 's': return AllowsText(arg);
    case 'd':
    case 'o': return IsOneOf(*arg.type, {K::kInt, K::kUint});
    case 'f':
    case 'e': return IsOneOf(*arg.type, {K::kDouble, K::kString});
    case 'b': return IsOneOf(*arg.type, {K::kInt, K::kUint, K::kBool});
    default: return IsOneOf(*arg.type, {K::kInt, K::kUint, K::kString, K::kBytes});
  }
}

}  // namespace

Value FormatText(Frame& frame, std::string_view text, const List& args) {
  Formatter formatter(frame);
  std::string result;
  uint64_t next = 0;
  for (size_t at = 0; at < text.size();) {
    if (text[at] != '%') {
      result += text[at++];
      continue;
    }
    if (++at < text.size() && text[at] == '%') {
      result += text[at++];
      continue;
    }
    if (next >= args.size) return Value::Error("format: more clauses than arguments");
    const auto clause = ReadClause(text, &at);
    if (!clause) return Value::Error("format: unknown clause");
    const auto part = formatter.Format(*clause, args.At(next++));
    if (formatter.too_much()) return Frame::TooMuch();
    if (!part) return Value::Error("format: the clause does not take such a value");
    result += *part;
    if (!frame.arena.HasRoom(result.size())) return Frame::TooMuch();
  }
  return frame.NewString(result);
}

std::string CheckFormatText(std::string_view text, const std::vector<Expr*>& args) {
  size_t next = 0;
  for (size_t at = 0; at < text.size();) {
    if (text[at++] != '%') continue;
    if (at < text.size() && text[at] == '%') {
      ++at;
      continue;
    }
    if (at == text.size()) return "the format text ends inside of a clause";
    if (next >= args.size()) return StrCat("the format text has more clauses than the ", args.size(), " arguments");
    const auto clause = ReadClause(text, &at);
    if (!clause) return "unknown clause in the format text; expected %s, %d, %f, %e, %b, %x, %X or %o";
    if (!Allows(*clause, *args[next])) return StrCat("%", clause->kind, " does not take ", args[next]->type->ToString());
    ++next;
  }
  if (args.size() > next) return StrCat("the format text has ", next, " clauses, but there are ", args.size(), " arguments");
  return {};
}

}  // namespace allot::cel

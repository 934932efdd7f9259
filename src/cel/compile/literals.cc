#include "cel/compile/literals.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "base/utf8.h"

namespace allot::cel {
namespace {

std::optional<uint64_t> ParseMagnitude(std::string_view text) {
  int base = 10;
  if (text.substr(0, 2) == "0x") {
    base = 16;
    text.remove_prefix(2);
  }
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

uint32_t HexDigit(char c) {
  if (c <= '9') return static_cast<uint32_t>(c - '0');
  return static_cast<uint32_t>((c | 0x20) - 'a' + 10);
}

std::string WithNewlines(std::string_view text) {
  std::string normal;
  normal.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r') {
      normal += text[i];
    } else {
      normal += '\n';
      if (i + 1 < text.size() && text[i + 1] == '\n') ++i;
    }
  }
  return normal;
}

char SimpleEscape(char c) {
  switch (c) {
    case 'a': return '\a';
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'v': return '\v';
    default: return c;  // a quote, a backslash, '?' or '`' stands for itself
  }
}

}  // namespace

std::optional<int64_t> ParseIntLiteral(std::string_view text, bool negative) {
  const auto magnitude = ParseMagnitude(text);
  if (!magnitude) return std::nullopt;
  constexpr auto kMax = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  if (*magnitude > kMax + (negative ? 1 : 0)) return std::nullopt;
  return static_cast<int64_t>(negative ? uint64_t{0} - *magnitude : *magnitude);
}

std::optional<uint64_t> ParseUintLiteral(std::string_view text) {
  text.remove_suffix(1);
  return ParseMagnitude(text);
}

std::optional<double> ParseDoubleLiteral(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc()) return value;
  // Underflow gives zero; overflow is an error.
  value = std::strtod(std::string(text).c_str(), nullptr);
  if (std::isinf(value)) return std::nullopt;
  return value;
}

std::optional<std::string> Unquote(std::string_view text, bool bytes) {
  const bool raw = text.front() == 'r' || text.front() == 'R';
  if (raw) text.remove_prefix(1);
  const size_t quotes = text.size() >= 6 && text[1] == text[0] && text[2] == text[0] ? 3 : 1;
  const std::string body = WithNewlines(text.substr(quotes, text.size() - 2 * quotes));
  if (raw || body.find('\\') == std::string::npos) return body;

  std::string value;
  for (size_t i = 0; i < body.size(); ++i) {
    if (body[i] != '\\') {
      value += body[i];
      continue;
    }
    const char kind = body[++i];
    size_t digits = 0;
    uint32_t base = 16;
    switch (kind) {
      case 'x':
      case 'X': digits = 2; break;
      case 'u': digits = 4; break;
      case 'U': digits = 8; break;
      case '0':
      case '1':
      case '2':
      case '3':
        digits = 3;
        base = 8;
        --i;
        break;
      default: value += SimpleEscape(kind); continue;
    }
    if (bytes && (kind == 'u' || kind == 'U')) return std::nullopt;
    uint32_t c = 0;
    for (size_t d = 0; d < digits; ++d) c = c * base + HexDigit(body[++i]);
    if (bytes) {
      value += static_cast<char>(c);
    } else if (!IsCodePoint(c)) {
      return std::nullopt;
    } else {
      AppendCharacter(value, c);
    }
  }
  return value;
}

}  // namespace allot::cel

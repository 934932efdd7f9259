#include "json/yaml_quote.h"

#include <regex>

#include "base/strings.h"
#include "base/utf8.h"
#include "json/yaml_scalar.h"

namespace allot::json {
namespace {

constexpr size_t kWidth = 80;

// What go-yaml considers printable: not tabs, and nothing beyond U+FFFF.
bool IsPrintable(std::string_view character) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(character[i]); };
  if (character.size() == 1) return byte(0) == '\n' || (byte(0) >= 0x20 && byte(0) <= 0x7E);
  if (character.size() == 2) return byte(0) > 0xC2 || byte(1) >= 0xA0;
  if (character.size() == 3) {
    if (byte(0) == 0xE2 && byte(1) == 0x80 && (byte(2) == 0xA8 || byte(2) == 0xA9)) return false;  // line separators
    return byte(0) != 0xEF || (character != "\uFEFF" && !(byte(1) == 0xBF && byte(2) >= 0xBE));
  }
  return false;
}

struct Analysis {
  bool plain = true, single = true, block = true;
};

Analysis Analyse(std::string_view text) {
  constexpr std::string_view kFirst = "#,[]{}&*!|>'\"%@`";
  bool indicators = text.starts_with("---") || text.starts_with("...");
  bool lines = false, special = false, break_space = false, space_break = false;
  bool after_blank = true, after_space = false, after_break = false;
  for (size_t i = 0; i < text.size();) {
    const size_t size = std::max<size_t>(Utf8Length(text.substr(i)), 1);
    const char c = text[i];
    const bool before_blank = i + size >= text.size() || text[i + size] == ' ' || text[i + size] == '\t' || text[i + size] == '\n';
    if (i == 0) {
      indicators |= kFirst.find(c) != kFirst.npos || ((c == '?' || c == ':' || c == '-') && before_blank);
    } else {
      indicators |= (c == ':' && before_blank) || (c == '#' && after_blank);
    }
    special |= !IsPrintable(text.substr(i, size));
    if (c == '\n') {
      lines = true;
      space_break |= after_space;
    } else if (c == ' ') {
      break_space |= after_break;
    }
    after_space = c == ' ';
    after_break = c == '\n';
    after_blank = c == ' ' || c == '\t' || c == '\n';
    i += size;
  }
  const bool blank_ends = text.starts_with(' ') || text.starts_with('\n') || text.ends_with(' ') || text.ends_with('\n');
  Analysis analysis;
  analysis.plain = !blank_ends && !break_space && !space_break && !special && !lines && !indicators;
  analysis.single = !break_space && !space_break && !special;
  analysis.block = !text.ends_with(' ') && !space_break && !special;
  return analysis;
}

// Returns whether a reader takes the plain text for a string.
bool ReadsAsString(std::string_view text) {
  static const std::regex kTime(
      R"(\d{4}-\d{1,2}-\d{1,2}([Tt]\d{1,2}:\d{1,2}:\d{1,2}(\.\d+)?(Z|[+-]\d\d:\d\d)| \d{1,2}:\d{1,2}:\d{1,2}(\.\d+)?)?)");
  static const std::regex kBase60(R"([-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?)");
  if (ResolveScalar(text).kind != Scalar::Kind::kString || text == "<<") return false;
  const bool may_be_number = (text[0] >= '0' && text[0] <= '9') || text[0] == '-' || text[0] == '+';
  if (!may_be_number || text.size() > 64) return true;
  return !std::regex_match(text.begin(), text.end(), kTime) && !std::regex_match(text.begin(), text.end(), kBase60);
}

void Escape(std::string& out, std::string_view character) {
  uint32_t code = static_cast<unsigned char>(character[0]);
  if (character.size() > 1) code &= 0x7Fu >> character.size();
  for (const char c : character.substr(1)) code = code << 6 | (static_cast<unsigned char>(c) & 0x3Fu);
  constexpr std::pair<uint32_t, char> kNamed[] = {{0, '0'},     {7, 'a'},    {8, 'b'},    {9, 't'},      {0xA, 'n'},
                                                  {0xB, 'v'},   {0xC, 'f'},  {0xD, 'r'},  {0x1B, 'e'},   {'"', '"'},
                                                  {'\\', '\\'}, {0x85, 'N'}, {0xA0, '_'}, {0x2028, 'L'}, {0x2029, 'P'}};
  out += '\\';
  for (const auto& [named, letter] : kNamed) {
    if (named == code) {
      out += letter;
      return;
    }
  }
  const size_t digits = code <= 0xFF ? 2 : code <= 0xFFFF ? 4 : 8;
  out += digits == 2 ? 'x' : digits == 4 ? 'u' : 'U';
  for (size_t i = digits; i-- > 0;) out += "0123456789ABCDEF"[code >> (4 * i) & 0xF];
}

// Writes text that may continue on the next line at a space, and counts columns.
class Flow {
 public:
  Flow(std::string& out, std::string_view text, size_t indent, size_t column, bool one_line)
      : out_(out), text_(text), indent_(indent), column_(column), one_line_(one_line) {}

  enum class Style { kPlain, kSingle, kDouble };
  void Write(Style style) {
    if (style != Style::kPlain) Put(style == Style::kSingle ? "'" : "\"");
    bool after_space = false;
    for (size_t i = 0; i < text_.size();) {
      const size_t size = std::max<size_t>(Utf8Length(text_.substr(i)), 1);
      const std::string_view character = text_.substr(i, size);
      const bool escape =
          style == Style::kDouble && (!IsPrintable(character) || character == "\"" || character == "\\" || character == "\n");
      if (escape) {
        std::string escaped;
        Escape(escaped, character);
        Put(escaped);
      } else if (character == " ") {
        const bool next_is_space = i + 1 < text_.size() && text_[i + 1] == ' ';
        const bool inside = style == Style::kPlain || (i > 0 && i + 1 < text_.size());
        if (!one_line_ && !after_space && column_ > kWidth && inside && (style == Style::kDouble || !next_is_space)) {
          out_ += '\n';
          out_.append(indent_, ' ');
          column_ = indent_;
          if (next_is_space) Put("\\");
        } else {
          Put(" ");
        }
      } else {
        Put(style == Style::kSingle && character == "'" ? "''" : character);
      }
      after_space = character == " " && !escape;
      i += size;
    }
    if (style != Style::kPlain) Put(style == Style::kSingle ? "'" : "\"");
  }

 private:
  void Put(std::string_view text) {
    out_ += text;
    for (const char c : text) column_ += (c & 0xC0) != 0x80 ? 1 : 0;
  }

  std::string& out_;
  const std::string_view text_;
  const size_t indent_;
  size_t column_;
  const bool one_line_;
};

void AppendBlock(std::string& out, std::string_view text, size_t indent) {
  out += '|';
  if (text.starts_with(' ') || text.starts_with('\n')) out += '2';
  if (!text.ends_with('\n')) {
    out += '-';
  } else if (text.size() == 1 || text.ends_with("\n\n")) {
    out += '+';
  }
  if (text.ends_with('\n')) text.remove_suffix(1);
  for (const std::string_view line : Split(text, '\n')) {
    out += '\n';
    if (!line.empty()) out.append(indent, ' ').append(line);
  }
}

void AppendLine(std::string& out, std::string_view text, size_t indent, size_t column, bool key) {
  const Analysis analysis = Analyse(text);
  const bool plain = analysis.plain && !text.empty();
  const bool lines = text.find('\n') != text.npos;
  Flow flow(out, text, indent, column, key);
  if (lines || !ReadsAsString(text)) {
    flow.Write(Flow::Style::kDouble);
  } else {
    flow.Write(plain ? Flow::Style::kPlain : analysis.single ? Flow::Style::kSingle : Flow::Style::kDouble);
  }
}

}  // namespace

void AppendScalar(std::string& out, std::string_view text, size_t indent, size_t column) {
  if (text.find('\n') != text.npos && Analyse(text).block) {
    AppendBlock(out, text, indent);
  } else {
    AppendLine(out, text, indent, column, false);
  }
}

std::string WriteKey(std::string_view text) {
  std::string out;
  AppendLine(out, text, 0, 0, true);
  return out;
}

}  // namespace allot::json

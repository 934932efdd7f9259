#include "cel/compile/source.h"

#include <algorithm>

#include "base/strings.h"
#include "base/utf8.h"

namespace allot::cel {

Source::Source(std::string_view text) : text_(RepairedUtf8(text)) {}

Status Source::Error(uint32_t offset, std::string_view message) const {
  const std::string_view all = text_;
  const size_t at = std::min<size_t>(offset, all.size());
  const size_t newline = at == 0 ? std::string_view::npos : all.rfind('\n', at - 1);
  const size_t line_begin = newline == std::string_view::npos ? 0 : newline + 1;
  const std::string_view line = all.substr(line_begin, all.find('\n', line_begin) - line_begin);
  const auto line_number = 1 + std::count(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(line_begin), '\n');
  const auto column = CountCharacters(all.substr(line_begin, at - line_begin));

  // Show only the part of a long line around the mistake.
  constexpr size_t kBefore = 60, kShown = 120;
  const size_t in_line = at - line_begin;
  size_t cut = in_line > kBefore ? in_line - kBefore : 0;
  while (cut > 0 && cut < line.size() && (static_cast<unsigned char>(line[cut]) & 0xC0) == 0x80) --cut;
  std::string_view shown = line.substr(std::min(cut, line.size()));
  if (shown.size() > kShown) shown = shown.substr(0, CharacterOffset(shown, kShown));
  const auto caret = CountCharacters(line.substr(std::min(cut, line.size()), in_line - cut));
  return Invalid(line_number, ":", column + 1, ": ", message, "\n | ", shown, "\n | ", std::string(caret, ' '), "^");
}

}  // namespace allot::cel

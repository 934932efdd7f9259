#include "base/utf8.h"

namespace allot {

namespace {

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

}  // namespace

size_t Utf8Length(std::string_view text) {
  const auto at = [text](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = at(0);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if (!IsContinuation(text[i])) return 0;
  }
  if (first == 0xE0 && at(1) < 0xA0) return 0;  // not the shortest form
  if (first == 0xED && at(1) > 0x9F) return 0;  // surrogate
  if (first == 0xF0 && at(1) < 0x90) return 0;  // not the shortest form
  if (first == 0xF4 && at(1) > 0x8F) return 0;  // beyond U+10FFFF
  return length;
}

uint32_t DecodeCharacter(std::string_view text, size_t* at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const uint32_t lead = byte((*at)++);
  if (lead < 0x80) return lead;
  const size_t more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
  if (lead < 0xC2 || lead > 0xF4 || *at + more > text.size()) return kReplacementCharacter;
  uint32_t c = lead & (0x3Fu >> more);
  for (size_t i = 0; i < more; ++i) {
    if ((byte(*at + i) & 0xC0) != 0x80) return kReplacementCharacter;
    c = (c << 6) | (byte(*at + i) & 0x3F);
  }
  static constexpr uint32_t kSmallest[] = {0, 0x80, 0x800, 0x10000};
  if (c < kSmallest[more] || !IsCodePoint(c)) return kReplacementCharacter;
  *at += more;
  return c;
}

void AppendCharacter(std::string& to, uint32_t c) {
  if (!IsCodePoint(c)) c = kReplacementCharacter;
  if (c < 0x80) {
    to += static_cast<char>(c);
    return;
  }
  const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  static constexpr uint32_t kLead[] = {0, 0xC0, 0xE0, 0xF0};
  to += static_cast<char>(kLead[more] | (c >> (6 * more)));
  for (int i = more - 1; i >= 0; --i) to += static_cast<char>(0x80 | ((c >> (6 * i)) & 0x3F));
}

bool IsValidUtf8(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    // A real U+FFFD takes three bytes; a broken byte is skipped alone.
    if (DecodeCharacter(text, &at) == kReplacementCharacter && at - begin == 1) return false;
  }
  return true;
}

std::string RepairedUtf8(std::string_view text) {
  if (IsValidUtf8(text)) return std::string(text);
  std::string repaired;
  for (size_t at = 0; at < text.size();) AppendCharacter(repaired, DecodeCharacter(text, &at));
  return repaired;
}

std::vector<uint32_t> Characters(std::string_view text) {
  std::vector<uint32_t> characters;
  characters.reserve(text.size());
  for (size_t at = 0; at < text.size();) characters.push_back(DecodeCharacter(text, &at));
  return characters;
}

size_t CharacterOffset(std::string_view text, uint64_t index) {
  size_t at = 0;
  for (; index > 0 && at < text.size(); --index) DecodeCharacter(text, &at);
  return at;
}

}  // namespace allot

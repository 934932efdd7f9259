#pragma once
// UTF-8 as the selector language counts it: one code point is one character, a broken byte counts as U+FFFD.

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace allot::cel {

inline constexpr uint32_t kReplacementCharacter = 0xFFFD;

inline bool IsCodePoint(uint32_t c) { return c < 0xD800 || (c > 0xDFFF && c <= 0x10FFFF); }

// How many characters valid UTF-8 holds.
inline uint64_t CountCharacters(std::string_view text) {
  // All bytes but those that continue a character, eight at a time: sizes are what evaluations are charged for.
  uint64_t count = text.size();
  size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    uint64_t word = 0;
    std::memcpy(&word, text.data() + at, 8);
    count -= static_cast<uint64_t>(std::popcount((word >> 7) & ~(word >> 6) & 0x0101010101010101u));
  }
  for (; at < text.size(); ++at) count -= (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
  return count;
}

// Reads the character at `*at` and moves `*at` behind it. REQUIRES: *at < text.size().
uint32_t DecodeCharacter(std::string_view text, size_t* at);

void AppendCharacter(std::string& to, uint32_t c);

bool IsValidUtf8(std::string_view text);

// `text` with every broken byte replaced by U+FFFD.
std::string RepairedUtf8(std::string_view text);

std::vector<uint32_t> Characters(std::string_view text);

// The byte at which character number `index` begins; text.size() when there are no more characters.
size_t CharacterOffset(std::string_view text, uint64_t index);

}  // namespace allot::cel

#pragma once
// UTF-8 as the selector language counts it: one code point is one character, a broken byte counts as U+FFFD.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace allot::cel {

inline constexpr uint32_t kReplacementCharacter = 0xFFFD;

inline bool IsCodePoint(uint32_t c) { return c < 0xD800 || (c > 0xDFFF && c <= 0x10FFFF); }

// How many characters valid UTF-8 holds.
inline uint64_t CountCharacters(std::string_view text) {
  uint64_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
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

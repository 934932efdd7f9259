#pragma once
// Writes members of an object, key and value in one call.

#include <cstdint>
#include <optional>
#include <string_view>

#include "json/builder.h"

namespace allot::json {

// Writes nothing if the text is empty.
inline void WriteText(std::string_view key, std::string_view text, Builder& to) {
  if (!text.empty()) to.Key(key), to.String(text);
}

// Writes an array, even if it is empty.
template <typename Texts>
void WriteTexts(std::string_view key, const Texts& texts, Builder& to) {
  to.Key(key), to.StartArray();
  for (const std::string_view text : texts) to.String(text);
  to.EndArray();
}

template <typename Texts>
void WriteTextsUnlessEmpty(std::string_view key, const Texts& texts, Builder& to) {
  if (!texts.empty()) WriteTexts(key, texts, to);
}

// Writes nothing if there is no number.
inline void WriteNumber(std::string_view key, std::optional<int64_t> number, Builder& to) {
  if (number) to.Key(key), to.Int(*number);
}

}  // namespace allot::json

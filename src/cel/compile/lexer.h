#pragma once
// Splits an expression into tokens.

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "cel/compile/source.h"

namespace allot::cel {

enum class Tok : uint8_t {
  kEnd,
  kIdentifier,
  kInt,
  kUint,
  kDouble,
  kString,
  kBytes,
  kTrue,
  kFalse,
  kNull,
  kIn,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kAnd,
  kOr,
  kLeftBracket,
  kRightBracket,
  kLeftBrace,
  kRightBrace,
  kLeftParen,
  kRightParen,
  kDot,
  kComma,
  kMinus,
  kNot,
  kQuestion,
  kColon,
  kPlus,
  kStar,
  kSlash,
  kPercent,
};

struct Token {
  Tok kind = Tok::kEnd;
  Span span;
};

// Returns the tokens of `source`, ending in kEnd. Returns kInvalid at the first character that begins no token.
Result<std::vector<Token>> Lex(const Source& source);

}  // namespace allot::cel

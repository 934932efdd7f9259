#include "cel/compile/lexer.h"

#include <string_view>

#include "base/strings.h"
#include "base/utf8.h"

namespace allot::cel {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsOctal(char c) { return c >= '0' && c <= '7'; }
bool IsHex(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

class Lexer {
 public:
  explicit Lexer(const Source& source) : source_(source), text_(source.text()) {}

  Result<std::vector<Token>> Run() {
    for (;;) {
      SkipBlanks();
      const auto begin = static_cast<uint32_t>(at_);
      if (at_ == text_.size()) {
        tokens_.push_back({Tok::kEnd, {begin, begin}});
        return std::move(tokens_);
      }
      const Tok kind = Next();
      if (kind == Tok::kEnd) return source_.Error(static_cast<uint32_t>(trouble_), message_);
      tokens_.push_back({kind, {begin, static_cast<uint32_t>(at_)}});
    }
  }

 private:
  char Peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  void SkipBlanks() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f') {
        ++at_;
      } else if (c == '/' && Peek(1) == '/') {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else {
        return;
      }
    }
  }

  Tok Fail(size_t where, std::string message) {
    trouble_ = where;
    message_ = std::move(message);
    return Tok::kEnd;
  }

  // Returns kEnd if no token begins here.
  Tok Next() {
    const char c = Peek();
    if (IsLetter(c)) return Word();
    if (IsDigit(c) || (c == '.' && IsDigit(Peek(1)))) return Number();
    if (c == '"' || c == '\'') return Text(false, Tok::kString);
    return Symbol();
  }

  Tok Word() {
    // A prefix gives the kind of the text: r (raw), b (bytes), br.
    const auto is = [&](size_t i, char low) { return (Peek(i) | 0x20) == low; };
    const auto quote = [&](size_t i) { return Peek(i) == '"' || Peek(i) == '\''; };
    if (is(0, 'r') && quote(1)) return ++at_, Text(true, Tok::kString);
    if (is(0, 'b') && quote(1)) return ++at_, Text(false, Tok::kBytes);
    if (is(0, 'b') && is(1, 'r') && quote(2)) return at_ += 2, Text(true, Tok::kBytes);

    const size_t begin = at_;
    while (IsLetter(Peek()) || IsDigit(Peek())) ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (word == "in") return Tok::kIn;
    if (word == "true") return Tok::kTrue;
    if (word == "false") return Tok::kFalse;
    if (word == "null") return Tok::kNull;
    return Tok::kIdentifier;
  }

  void Digits() {
    while (IsDigit(Peek())) ++at_;
  }

  bool Exponent() {
    if ((Peek() | 0x20) != 'e') return false;
    const size_t sign = Peek(1) == '+' || Peek(1) == '-' ? 1 : 0;
    if (!IsDigit(Peek(1 + sign))) return false;
    at_ += 1 + sign;
    Digits();
    return true;
  }

  Tok Number() {
    if (Peek() == '0' && Peek(1) == 'x' && IsHex(Peek(2))) {
      at_ += 2;
      while (IsHex(Peek())) ++at_;
    } else {
      Digits();
      bool real = false;
      if (Peek() == '.' && IsDigit(Peek(1))) {
        ++at_;
        Digits();
        real = true;
      }
      if (Exponent()) real = true;
      if (real) return Tok::kDouble;
    }
    if ((Peek() | 0x20) == 'u') return ++at_, Tok::kUint;
    return Tok::kInt;
  }

  // Skips an escape sequence. Returns false if it is invalid.
  bool Escape() {
    const char c = Peek(1);
    const auto hex = [&](size_t count) {
      for (size_t i = 0; i < count; ++i) {
        if (!IsHex(Peek(2 + i))) return false;
      }
      at_ += 2 + count;
      return true;
    };
    switch (c) {
      case 'a':
      case 'b':
      case 'f':
      case 'n':
      case 'r':
      case 't':
      case 'v':
      case '"':
      case '\'':
      case '\\':
      case '?':
      case '`': at_ += 2; return true;
      case 'x':
      case 'X': return hex(2);
      case 'u': return hex(4);
      case 'U': return hex(8);
      case '0':
      case '1':
      case '2':
      case '3':
        if (!IsOctal(Peek(2)) || !IsOctal(Peek(3))) return false;
        at_ += 4;
        return true;
      default: return false;
    }
  }

  // Reads from the opening quote through the closing one.
  Tok Text(bool raw, Tok kind) {
    const size_t begin = at_;
    const char quote = Peek();
    const bool triple = Peek(1) == quote && Peek(2) == quote;
    at_ += triple ? 3 : 1;
    while (at_ < text_.size()) {
      const char c = Peek();
      if (c == quote && (!triple || (Peek(1) == quote && Peek(2) == quote))) return at_ += triple ? 3 : 1, kind;
      if (!triple && (c == '\n' || c == '\r')) break;
      if (c != '\\' || raw) {
        ++at_;
      } else if (!Escape()) {
        return Fail(at_, "unknown escape sequence; write \\\\ for a backslash, or r\"...\" for text without escapes");
      }
    }
    if (triple && text_.substr(begin, 2).size() == 2) {
      // An unclosed """ could also be the empty text "" and another text, but the grammar never allows two texts in a row.
      return Fail(begin, "text is not closed; expected three quotes");
    }
    return Fail(begin, StrCat("text is not closed; expected ", quote));
  }

  Tok Symbol() {
    const char c = Peek();
    const auto two = [&](char second) { return Peek(1) == second; };
    const auto take = [&](size_t length, Tok kind) { return at_ += length, kind; };
    switch (c) {
      case '=':
        if (two('=')) return take(2, Tok::kEqual);
        break;
      case '!': return two('=') ? take(2, Tok::kNotEqual) : take(1, Tok::kNot);
      case '<': return two('=') ? take(2, Tok::kLessEqual) : take(1, Tok::kLess);
      case '>': return two('=') ? take(2, Tok::kGreaterEqual) : take(1, Tok::kGreater);
      case '&':
        if (two('&')) return take(2, Tok::kAnd);
        break;
      case '|':
        if (two('|')) return take(2, Tok::kOr);
        break;
      case '[': return take(1, Tok::kLeftBracket);
      case ']': return take(1, Tok::kRightBracket);
      case '{': return take(1, Tok::kLeftBrace);
      case '}': return take(1, Tok::kRightBrace);
      case '(': return take(1, Tok::kLeftParen);
      case ')': return take(1, Tok::kRightParen);
      case '.': return take(1, Tok::kDot);
      case ',': return take(1, Tok::kComma);
      case '-': return take(1, Tok::kMinus);
      case '?': return take(1, Tok::kQuestion);
      case ':': return take(1, Tok::kColon);
      case '+': return take(1, Tok::kPlus);
      case '*': return take(1, Tok::kStar);
      case '/': return take(1, Tok::kSlash);
      case '%': return take(1, Tok::kPercent);
      default: break;
    }
    size_t next = at_;
    DecodeCharacter(text_, &next);
    if (c == '=') return Fail(at_, "'=' is not an operator; compare with '=='");
    return Fail(at_, StrCat("unexpected character ", Quoted(text_.substr(at_, next - at_))));
  }

  const Source& source_;
  const std::string_view text_;
  size_t at_ = 0;
  size_t trouble_ = 0;
  std::string message_;
  std::vector<Token> tokens_;
};

}  // namespace

Result<std::vector<Token>> Lex(const Source& source) { return Lexer(source).Run(); }

}  // namespace allot::cel

#include "json/json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "base/utf8.h"
#include "json/place.h"

namespace allot::json {

namespace {

// Not Boost.JSON: Debian 12's default Boost (1.74) does not include it. This reader does not recurse, so hostile nesting only meets the
// builder's limit.
class Reader {
 public:
  Reader(std::string_view text, Arena& arena, Limits limits, std::vector<Duplicate>* duplicates)
      : text_(text), duplicates_(duplicates), builder_(arena, limits, duplicates) {}

  Result<Value> Read() {
    while (status_.ok()) {
      if (!Step()) break;
      if (!builder_.status().ok()) status_ = Status(builder_.status()).Context(PlaceOf(text_, at_));
    }
    if (!status_.ok()) return status_;
    return builder_.Finish();
  }

 private:
  enum class Expect { kValue, kFirstItem, kFirstKey, kKey, kNext, kEnd };

  // Reads one token and checks what follows it. Returns false at the end of the text.
  bool Step() {
    SkipSpace();
    switch (expect_) {
      case Expect::kFirstItem:
        if (Take(']')) return Close(), true;
        [[fallthrough]];
      case Expect::kValue: ReadValue(); return true;
      case Expect::kFirstKey:
        if (Take('}')) return Close(), true;
        [[fallthrough]];
      case Expect::kKey: ReadKey(); return true;
      case Expect::kNext:
        if (Take(',')) {
          expect_ = in_object_.back() ? Expect::kKey : Expect::kValue;
        } else if (Take(in_object_.back() ? '}' : ']')) {
          Close();
        } else {
          Fail(in_object_.back() ? "',' or '}'" : "',' or ']'");
        }
        return true;
      case Expect::kEnd:
        if (at_ < text_.size()) Fail("nothing more");
        return false;
    }
    return false;
  }

  void ReadValue() {
    const char c = Peek();
    expect_ = in_object_.empty() ? Expect::kEnd : Expect::kNext;
    if (c == '"') {
      std::string_view string;
      if (ReadString(string)) builder_.String(string);
    } else if (c == '{') {
      Open(true);
    } else if (c == '[') {
      Open(false);
    } else if (c == '-' || IsDigit(c)) {
      ReadNumber();
    } else if (TakeWord("true")) {
      builder_.Bool(true);
    } else if (TakeWord("false")) {
      builder_.Bool(false);
    } else if (TakeWord("null")) {
      builder_.Null();
    } else {
      Fail("a value");
    }
  }

  void ReadKey() {
    std::string_view key;
    if (Peek() != '"') return Fail("a key in double quotes");
    const size_t begin = at_;
    if (!ReadString(key)) return;
    const size_t listed = duplicates_ == nullptr ? 0 : duplicates_->size();
    builder_.Key(key);
    if (!builder_.status().ok()) {
      at_ = begin;
      return;
    }
    if (duplicates_ != nullptr && duplicates_->size() > listed) duplicates_->back().line = LineOf(begin);
    SkipSpace();
    if (!Take(':')) return Fail("':'");
    expect_ = Expect::kValue;
  }

  // REQUIRES: `place` is not before the previous call's.
  size_t LineOf(size_t place) {
    line_ += static_cast<size_t>(
        std::count(text_.begin() + static_cast<ptrdiff_t>(counted_), text_.begin() + static_cast<ptrdiff_t>(place), '\n'));
    counted_ = place;
    return line_;
  }

  void Open(bool object) {
    object ? builder_.StartObject() : builder_.StartArray();
    if (!builder_.status().ok()) return;
    ++at_;
    in_object_.push_back(object);
    expect_ = object ? Expect::kFirstKey : Expect::kFirstItem;
  }

  // Call after consuming the closing bracket.
  void Close() {
    in_object_.back() ? builder_.EndObject() : builder_.EndArray();
    in_object_.pop_back();
    expect_ = in_object_.empty() ? Expect::kEnd : Expect::kNext;
  }

  void ReadNumber() {
    const size_t begin = at_;
    Take('-');
    if (!Take('0') && !TakeDigits()) return Fail("a digit");
    if (Take('.') && !TakeDigits()) return Fail("a digit");
    if (Take('e') || Take('E')) {
      if (!Take('+')) Take('-');
      if (!TakeDigits()) return Fail("a digit");
    }
    builder_.Number(text_.substr(begin, at_ - begin));
  }

  // Sets `string` to a part of the text, or of scratch_ if it has escapes.
  bool ReadString(std::string_view& string) {
    size_t begin = ++at_;
    bool copied = false;
    for (;;) {
      while (at_ < text_.size() && kPlain[static_cast<unsigned char>(text_[at_])]) ++at_;
      if (at_ >= text_.size()) return Fail("'\"' at the end of the string"), false;
      const char c = text_[at_];
      if (c == '"' || c == '\\') {
        if (copied || c == '\\') {
          if (!copied) scratch_.clear();
          copied = true;
          scratch_.append(text_, begin, at_ - begin);
        } else {
          string = text_.substr(begin, at_ - begin);
        }
        if (c == '"') break;
        if (!ReadEscape()) return false;
        begin = at_;
        continue;
      }
      if (static_cast<unsigned char>(c) < 0x20) return Fail("a control character only as an escape"), false;
      const size_t length = Utf8Length(text_.substr(at_));
      if (length == 0) return Fail("UTF-8"), false;
      at_ += length;
    }
    ++at_;
    if (copied) string = scratch_;
    return true;
  }

  bool ReadEscape() {
    ++at_;
    const char c = Peek();
    if (c == 'u') {
      ++at_;
      return ReadUnicodeEscape();
    }
    static constexpr std::string_view kNames = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
    const size_t found = c == '\0' ? std::string_view::npos : kNames.find(c);
    if (found == std::string_view::npos) return Fail("one of \"\\/bfnrtu after the backslash"), false;
    scratch_ += kMeanings[found];
    ++at_;
    return true;
  }

  bool ReadUnicodeEscape() {
    uint32_t character = 0, low = 0;
    if (!ReadHex(character)) return false;
    if (character >= 0xD800 && character < 0xDC00) {
      if (!Take('\\') || !Take('u')) return Fail("the second half of a surrogate pair"), false;
      if (!ReadHex(low)) return false;
      if (low < 0xDC00 || low > 0xDFFF) return Fail("the second half of a surrogate pair before"), false;
      character = 0x10000 + ((character - 0xD800) << 10) + (low - 0xDC00);
    } else if (character >= 0xDC00 && character <= 0xDFFF) {
      return Fail("the first half of a surrogate pair before"), false;
    }
    AppendCharacter(scratch_, character);
    return true;
  }

  bool ReadHex(uint32_t& number) {
    const std::string_view digits = text_.substr(at_, 4);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number, 16);
    if (digits.size() < 4 || error != std::errc() || end != digits.data() + 4) return Fail("four hexadecimal digits"), false;
    at_ += 4;
    return true;
  }

  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool Take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool TakeWord(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  bool TakeDigits() {
    const size_t begin = at_;
    while (IsDigit(Peek())) ++at_;
    return at_ > begin;
  }
  void SkipSpace() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t')) ++at_;
  }
  static bool IsDigit(char c) { return c >= '0' && c <= '9'; }

  void Fail(std::string_view expected) {
    std::string found = at_ >= text_.size() ? "the end" : Quoted(text_.substr(at_, std::max<size_t>(Utf8Length(text_.substr(at_)), 1)));
    if (at_ < text_.size() && Utf8Length(text_.substr(at_)) == 0) found = "other bytes";
    status_ = Invalid(PlaceOf(text_, at_), ": expected ", expected, " and not ", found);
  }

  // Characters that need no escape in a string.
  static constexpr auto kPlain = [] {
    std::array<bool, 256> plain{};
    for (size_t c = 0x20; c < 0x80; ++c) plain[c] = c != '"' && c != '\\';
    return plain;
  }();

  const std::string_view text_;
  std::vector<Duplicate>* const duplicates_;
  Builder builder_;
  Status status_;
  size_t at_ = 0;
  Expect expect_ = Expect::kValue;
  std::vector<bool> in_object_;  // one entry per open container
  std::string scratch_;
  size_t line_ = 1, counted_ = 0;  // the state of LineOf
};

}  // namespace

Result<Document> Parse(std::string_view text, Limits limits, std::vector<Duplicate>* duplicates) {
  if (text.size() > limits.bytes) return Exhausted(text.size(), " bytes of JSON, more than ", limits.bytes);
  auto arena = std::make_unique<Arena>();
  ASSIGN_OR_RETURN(const Value root, Reader(text, *arena, limits, duplicates).Read());
  return Document(std::move(arena), root);
}

}  // namespace allot::json

#include "model/version.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace allot::model {

namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsWord(char c) { return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-'; }
bool AllDigits(std::string_view text) { return std::all_of(text.begin(), text.end(), IsDigit); }
bool AllWord(std::string_view text) { return std::all_of(text.begin(), text.end(), IsWord); }

Result<uint64_t> ReadNumber(std::string_view text, std::string_view what) {
  if (text.empty() || !AllDigits(text)) return Invalid("expected ", what, " number and not ", Quoted(text, 40));
  if (text.size() > 1 && text[0] == '0') return Invalid(what, " number ", Quoted(text, 40), " has leading zeros");
  uint64_t number = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc()) {
    return Invalid(what, " number ", Quoted(text, 40), " does not fit into 64 bits");
  }
  return number;
}

// The texts between the first two points, and the rest.
std::vector<std::string_view> SplitInThree(std::string_view text) {
  std::vector<std::string_view> parts;
  while (parts.size() < 2 && text.find('.') != std::string_view::npos) {
    parts.push_back(text.substr(0, text.find('.')));
    text.remove_prefix(parts.back().size() + 1);
  }
  parts.push_back(text);
  return parts;
}

// Cuts `text` at the first `mark` and returns the part behind it, split at points; empty if `text` has no mark.
std::vector<std::string_view> CutOff(std::string_view& text, char mark) {
  const size_t at = text.find(mark);
  if (at == std::string_view::npos) return {};
  const std::string_view behind = text.substr(at + 1);
  text = text.substr(0, at);
  return Split(behind, '.');
}

template <typename T>
int Order(const T& a, const T& b) {
  return (a > b) - (a < b);
}

}  // namespace

Result<Version> Version::Parse(std::string_view text) {
  const auto read = [text]() -> Result<Version> {
    const auto parts = SplitInThree(text);
    if (parts.size() != 3) return Invalid("expected three numbers, such as 1.2.3");
    std::string_view patch = parts[2];
    const auto build = CutOff(patch, '+');
    const auto pre_release = CutOff(patch, '-');

    Version version;
    ASSIGN_OR_RETURN(version.major_, ReadNumber(parts[0], "the major"));
    ASSIGN_OR_RETURN(version.minor_, ReadNumber(parts[1], "the minor"));
    ASSIGN_OR_RETURN(version.patch_, ReadNumber(patch, "the patch"));
    for (const std::string_view word : pre_release) {
      if (word.empty() || !AllWord(word)) return Invalid("expected letters, digits and - in the pre-release and not ", Quoted(word, 40));
      Identifier& identifier = version.pre_release_.emplace_back();
      identifier.text = word;
      identifier.is_number = AllDigits(word);
      if (identifier.is_number) {
        ASSIGN_OR_RETURN(identifier.number, ReadNumber(word, "the pre-release"));
      }
    }
    for (const std::string_view word : build) {
      if (word.empty() || !AllWord(word)) return Invalid("expected letters, digits and - in the build and not ", Quoted(word, 40));
      version.build_.emplace_back(word);
    }
    return version;
  };
  return read().Context("version ", Quoted(text));
}

Result<Version> Version::ParseNormalized(std::string_view text) {
  std::string_view rest = text;
  if (rest.starts_with('v')) rest.remove_prefix(1);
  const auto parts = SplitInThree(rest);
  if (parts.size() < 3 && parts.back().find_first_of("+-") != std::string_view::npos) {
    return Invalid("version ", Quoted(text), ": a pre-release or build needs all three numbers in front of it");
  }
  std::string normalized;
  for (size_t i = 0; i < 3; ++i) {
    if (i > 0) normalized += '.';
    if (i >= parts.size()) {
      normalized += '0';
      continue;
    }
    std::string_view part = parts[i];
    // An empty part stays empty, and is refused.
    if (part.size() > 1) {
      part.remove_prefix(std::min(part.find_first_not_of('0'), part.size()));
      if (part.empty() || !IsDigit(part[0])) normalized += '0';
    }
    normalized += part;
  }
  return Parse(normalized);
}

int Version::Compare(const Version& other) const {
  if (const int order = Order(std::array{major_, minor_, patch_}, std::array{other.major_, other.minor_, other.patch_})) return order;
  if (pre_release_.empty() || other.pre_release_.empty()) return Order(pre_release_.empty(), other.pre_release_.empty());
  for (size_t i = 0; i < std::min(pre_release_.size(), other.pre_release_.size()); ++i) {
    const Identifier& a = pre_release_[i];
    const Identifier& b = other.pre_release_[i];
    if (a.is_number != b.is_number) return a.is_number ? -1 : 1;
    if (const int order = a.is_number ? Order(a.number, b.number) : Order(a.text, b.text)) return order;
  }
  return Order(pre_release_.size(), other.pre_release_.size());
}

std::string Version::ToString() const {
  std::string text = StrCat(major_, '.', minor_, '.', patch_);
  char before = '-';
  for (const Identifier& identifier : pre_release_) {
    text += before;
    text += identifier.text;
    before = '.';
  }
  before = '+';
  for (const std::string& word : build_) {
    text += before;
    text += word;
    before = '.';
  }
  return text;
}

}  // namespace allot::model

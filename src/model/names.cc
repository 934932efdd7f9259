#include "model/names.h"

#include <algorithm>

#include "base/strings.h"

namespace allot::model {
namespace {

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsAlphanumeric(char c) { return IsLower(c) || (c >= 'A' && c <= 'Z') || IsDigit(c); }

bool IsLabelName(std::string_view text) {
  if (text.empty() || text.size() > 63) return false;
  if (!IsAlphanumeric(text.front()) || !IsAlphanumeric(text.back())) return false;
  return std::all_of(text.begin(), text.end(), [](char c) { return IsAlphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

}  // namespace

bool IsDnsSubdomain(std::string_view text) {
  if (text.empty() || text.size() > 253) return false;
  for (const std::string_view label : Split(text, '.')) {
    if (label.empty() || label.front() == '-' || label.back() == '-') return false;
    if (!std::all_of(label.begin(), label.end(), [](char c) { return IsLower(c) || IsDigit(c) || c == '-'; })) return false;
  }
  return true;
}

bool IsLabelKey(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) return IsLabelName(text);
  return IsDnsSubdomain(text.substr(0, slash)) && IsLabelName(text.substr(slash + 1));
}

bool IsLabelValue(std::string_view text) { return text.empty() || IsLabelName(text); }

}  // namespace allot::model

#include "apiserver/controllers/workloads/job_indexes.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "base/strings.h"

namespace allot::apiserver {

namespace {

bool ReadNumber(std::string_view text, int64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return !text.empty() && error == std::errc() && end == text.data() + text.size() && number >= 0;
}

}  // namespace

JobIndexes::JobIndexes(std::string_view text, int64_t limit) {
  if (text.empty()) return;
  for (const std::string_view part : Split(text, ',')) {
    const size_t dash = part.find('-');
    int64_t first = 0, last = 0;
    if (!ReadNumber(part.substr(0, dash), first)) continue;
    if (dash == std::string_view::npos) {
      last = first;
    } else if (!ReadNumber(part.substr(dash + 1), last)) {
      continue;
    }
    last = std::min(last, limit - 1);
    if (first <= last) AddRange(first, last);
  }
}

void JobIndexes::Add(int64_t index) { AddRange(index, index); }

void JobIndexes::AddRange(int64_t first, int64_t last) {
  auto next = ranges_.upper_bound(first);
  if (next != ranges_.begin() && std::prev(next)->second >= first - 1) {
    --next;
    first = next->first;
  }
  while (next != ranges_.end() && next->first <= last + 1) {
    last = std::max(last, next->second);
    next = ranges_.erase(next);
  }
  ranges_.emplace(first, last);
}

bool JobIndexes::Has(int64_t index) const { return FirstWithout(index) != index; }

int64_t JobIndexes::FirstWithout(int64_t index) const {
  const auto next = ranges_.upper_bound(index);
  if (next == ranges_.begin()) return index;
  return std::max(index, std::prev(next)->second + 1);
}

int64_t JobIndexes::size() const {
  int64_t size = 0;
  for (const auto& [first, last] : ranges_) size += last - first + 1;
  return size;
}

std::string JobIndexes::ToString() const {
  std::string text;
  for (const auto& [first, last] : ranges_) {
    text += StrCat(text.empty() ? "" : ",", first);
    if (last > first) text += StrCat(last == first + 1 ? "," : "-", last);
  }
  return text;
}

}  // namespace allot::apiserver

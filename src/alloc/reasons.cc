#include "alloc/reasons.h"

#include "base/strings.h"

namespace allot::alloc {
namespace {

constexpr size_t kNamesShown = 4;
constexpr size_t kReasonsShown = 16;

}  // namespace

std::string Shortened(const std::vector<std::string>& names) {
  std::string text;
  // "a, b, c, d" or "a, b, c and 7 more": never "and 1 more", which is no shorter than the name.
  const size_t shown = names.size() <= kNamesShown ? names.size() : kNamesShown - 1;
  for (size_t i = 0; i < shown; ++i) text += StrCat(i == 0 ? "" : ", ", names[i]);
  if (shown < names.size()) text += StrCat(" and ", names.size() - shown, " more");
  return text;
}

std::string Reasons::ToString() const {
  std::string text = StrCat("claim ", claim, ", request ", request, ": ", summary, "\n");
  for (size_t i = 0; i < reasons.size() && i < kReasonsShown; ++i) {
    text += StrCat("  ", Shortened(reasons[i].devices), reasons[i].devices.empty() ? "" : ": ", reasons[i].text, "\n");
  }
  if (reasons.size() > kReasonsShown) {
    size_t devices = 0;
    for (size_t i = kReasonsShown; i < reasons.size(); ++i) devices += reasons[i].devices.size();
    text += StrCat("  and ", devices, " more devices for ", reasons.size() - kReasonsShown, " other reasons\n");
  }
  return text;
}

}  // namespace allot::alloc

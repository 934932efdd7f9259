#include "kube/age.h"

#include "base/strings.h"
#include "kube/timestamp.h"

namespace allot::kube {
namespace {

std::string Two(int64_t big, std::string_view unit, int64_t small, std::string_view small_unit) {
  return small == 0 ? StrCat(big, unit) : StrCat(big, unit, small, small_unit);
}

}  // namespace

std::string HumanDuration(std::chrono::nanoseconds duration) {
  const int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(duration).count();
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 60 * 2) return StrCat(seconds, "s");
  const int64_t minutes = seconds / 60;
  if (minutes < 10) return Two(minutes, "m", seconds % 60, "s");
  if (minutes < 60 * 3) return StrCat(minutes, "m");
  const int64_t hours = minutes / 60;
  if (hours < 8) return Two(hours, "h", minutes % 60, "m");
  if (hours < 48) return StrCat(hours, "h");
  if (hours < 24 * 8) return Two(hours / 24, "d", hours % 24, "h");
  if (hours < 24 * 365 * 2) return StrCat(hours / 24, "d");
  if (hours < 24 * 365 * 8) return Two(hours / 24 / 365, "y", hours / 24 % 365, "d");
  return StrCat(hours / 24 / 365, "y");
}

std::string Age(std::string_view time, WallTime now) {
  const std::optional<WallTime> then = ParseTime(time);
  return then ? HumanDuration(now - *then) : "<unknown>";
}

}  // namespace allot::kube

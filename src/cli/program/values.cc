#include "cli/program/values.h"

#include <charconv>
#include <cmath>

#include "base/strings.h"
#include "cli/local_api.h"
#include "kube/url.h"

namespace allot::cli {
namespace {

constexpr double kMostNumber = 1e6;
constexpr double kMostMilliseconds = 10 * 365 * 86400e3;  // ten years: as good as for ever

// Removes a unit of time from the beginning of `text` and returns its length in milliseconds; 0 if there is none.
double TakeUnit(std::string_view& text) {
  // Of units with the same beginning, the longer one comes first.
  for (const auto& [name, milliseconds] : {std::pair<std::string_view, double>{"ns", 1e-6},
                                           {"us", 1e-3},
                                           {"\u00B5s", 1e-3},
                                           {"\u03BCs", 1e-3},
                                           {"ms", 1},
                                           {"s", 1e3},
                                           {"m", 60e3},
                                           {"h", 3600e3}}) {
    if (!text.starts_with(name)) continue;
    text.remove_prefix(name.size());
    return milliseconds;
  }
  return 0;
}

}  // namespace

Result<double> ParseNumber(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || !(number >= 0) || number > kMostNumber) {
    return Invalid(Quoted(text), " is not a number from 0 to ", static_cast<int64_t>(kMostNumber));
  }
  return number;
}

Result<int64_t> ParseSeconds(std::string_view text) {
  int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || end != text.data() + text.size() || seconds < -1) {
    return Invalid(Quoted(text), " is not a whole number of seconds");
  }
  return seconds;
}

Result<std::chrono::milliseconds> ParseTime(std::string_view text) {
  const Status bad = Invalid(Quoted(text), " is not a time like 30s, 1m30s or 500ms");
  double sum = 0;
  if (text.empty()) return bad;
  for (std::string_view rest = text; !rest.empty();) {
    double number = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number, std::chars_format::fixed);
    if (error != std::errc() || !(number >= 0) || !std::isfinite(number)) return bad;
    const bool is_all = rest.size() == text.size() && end == rest.data() + rest.size();
    rest.remove_prefix(static_cast<size_t>(end - rest.data()));
    const double unit = is_all ? 1e3 : TakeUnit(rest);
    if (unit == 0) return bad;
    sum += number * unit;
  }
  return std::chrono::milliseconds(static_cast<int64_t>(std::ceil(std::min(sum, kMostMilliseconds))));
}

Status CheckValue(std::string_view kind, std::string_view text) {
  if (kind == "NUMBER") return ParseNumber(text).status();
  if (kind == "SECONDS") return ParseSeconds(text).status();
  if (kind == "TIME") return ParseTime(text).status();
  if (kind == "NAMESPACE") return kube::CheckNamespace(text);
  if (kind != "URL") return Status();
  const Status url = kube::ServerUrl::Parse(ServerUrlOf(std::string(text))).status();
  return url.ok() ? url : Invalid(url.message(), ", or the absolute path of a socket of this machine: /PATH/api.sock");
}

}  // namespace allot::cli

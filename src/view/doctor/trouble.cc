// What agents say in their logs.

#include "base/strings.h"
#include "json/editor.h"
#include "json/json.h"
#include "view/doctor/finding.h"

namespace allot::view {
namespace {

using json::TextOf;

bool IsTrouble(std::string_view level) { return level == "WARNING" || level == "ERROR"; }

// {"time":...,"level":"ERROR","message":"no GPUs","error":"..."}
std::string TroubleOfJson(std::string_view line) {
  const Result<json::Document> parsed = json::Parse(line);
  if (!parsed.ok() || !IsTrouble(TextOf(parsed->root()["level"]))) return "";
  const std::string_view error = TextOf(parsed->root()["error"]);
  return StrCat(TextOf(parsed->root()["message"]), error.empty() ? "" : ": ", error);
}

// 2026-11-16T03:52:04.986Z ERROR no GPUs error="..."
std::string TroubleOfText(std::string_view line) {
  if (line.starts_with("error: ") || line.starts_with("Error from server")) return std::string(line);  // the program's last line
  const size_t level = line.find(' ');
  const size_t message = level == line.npos ? line.npos : line.find(' ', level + 1);
  if (message == line.npos || !IsTrouble(line.substr(level + 1, message - level - 1))) return "";
  const std::string_view text = line.substr(message + 1);
  const size_t error = text.find(" error=\"");
  if (error == text.npos) return std::string(text);
  const Result<json::Document> quoted = json::Parse(text.substr(error + std::string_view(" error=").size()));
  return quoted.ok() ? StrCat(text.substr(0, error), ": ", TextOf(quoted->root())) : std::string(text);
}

// Words of Kubernetes and of the system. The agent's own errors have codes.
constexpr std::pair<std::string_view, Trouble> kOfOthers[] = {
    {"forbidden", Trouble::kForbidden},
    {"No space left on device", Trouble::kDiskFull},
};

}  // namespace

std::string LastTrouble(std::string_view log) {
  std::string last;
  for (const std::string_view line : Split(log, '\n')) {
    std::string trouble = line.starts_with('{') ? TroubleOfJson(line) : TroubleOfText(line);
    if (!trouble.empty()) last = std::move(trouble);
  }
  return last;
}

Trouble TroubleOf(std::string_view message) {
  if (const Trouble coded = model::CodedTrouble(message); coded != Trouble::kOther) return coded;
  for (const auto& [text, trouble] : kOfOthers) {
    if (message.find(text) != message.npos) return trouble;
  }
  return Trouble::kOther;
}

}  // namespace allot::view

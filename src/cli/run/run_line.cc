#include "cli/run/run_line.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "base/strings.h"
#include "cli/output.h"

namespace allot::cli {
namespace {

constexpr size_t kShortName = 12;  // a name is not shortened below this

// "20480 MiB on each of 2 GPUs (rtx3090)"
std::string AskText(const dialect::Share& share, bool with_model) {
  std::string text = share.memory     ? share.memory->ToString()
                     : share.fraction ? StrCat(share.fraction->text(), " of a GPU")
                     : share.gpus > 1 ? StrCat(share.gpus, " whole GPUs")
                                      : "a whole GPU";
  if (share.gpus > 1 && share.memory) text += StrCat(" on each of ", share.gpus, " GPUs");
  if (share.gpus > 1 && share.fraction) text = StrCat(share.fraction->text(), " of each of ", share.gpus, " GPUs");
  if (with_model && !share.model.empty()) text += StrCat(" (", share.model, ")");
  return text;
}

std::string Shortened(std::string_view text, size_t most) {
  if (text.size() <= most) return std::string(text);
  return most <= 3 ? std::string(text.substr(0, most)) : StrCat(text.substr(0, most - 3), "...");
}

void Write(const std::string& text) { static_cast<void>(!::write(STDERR_FILENO, text.data(), text.size())); }

}  // namespace

std::string WaitLine(std::string_view pod, const dialect::Share& share, const local::Wait& wait, size_t width) {
  const std::string end = wait.away        ? ": `allot up` does not answer; waiting for it"
                          : wait.never     ? "; it can never start here"
                          : wait.place > 0 ? StrCat(", number ", wait.place, " in the queue")
                                           : "";
  std::string middle = StrCat(" waits for ", AskText(share, true));
  const size_t shortest = std::min(pod.size(), kShortName);
  if (shortest + middle.size() + end.size() > width) middle = StrCat(" waits for ", AskText(share, false));
  const size_t rest = middle.size() + end.size();
  const size_t name = std::max(width > rest ? width - rest : 0, shortest);
  const std::string begin = StrCat(Shortened(pod, name), middle);
  return Shortened(StrCat(Shortened(begin, width > end.size() ? width - end.size() : 0), end), width);
}

LiveLine::LiveLine(bool quiet) : quiet_(quiet), terminal_(::isatty(STDERR_FILENO) != 0) {}

size_t LiveLine::width() const {
  winsize size = {};
  // Leave the last column free: writing to it makes some terminals wrap.
  return terminal_ && ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col - 1 : 79;
}

void LiveLine::Show(const std::string& line) {
  if (quiet_ || line == shown_) return;
  if (terminal_) {
    Write(StrCat("\r\033[K", line));
  } else {
    Note(line);
  }
  shown_ = line;
}

void LiveLine::Say(std::string_view line) {
  if (quiet_) return;
  Clear();
  Note(line);
}

void LiveLine::Clear() {
  if (terminal_ && !shown_.empty()) Write("\r\033[K");
  shown_.clear();
}

}  // namespace allot::cli

#include "base/log.h"

#include <unistd.h>

#include <ctime>

#include "base/strings.h"

namespace allot {

namespace {

std::string TimeText(WallTime now) {
  const auto millis = std::chrono::floor<std::chrono::milliseconds>(now);
  const auto second = std::chrono::floor<std::chrono::seconds>(millis);
  const std::time_t whole = std::chrono::system_clock::to_time_t(second);
  std::tm parts = {};
  ::gmtime_r(&whole, &parts);
  char text[32];
  const size_t size = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  std::string fraction = std::to_string((millis - second).count());
  return StrCat(std::string_view(text, size), ".", std::string(3 - fraction.size(), '0'), fraction, "Z");
}

// Quotes text that a reader of key=value could misread.
std::string Plain(std::string_view text) {
  const bool plain = !text.empty() && text.find_first_of(" \"=\n\t\r\\") == std::string_view::npos;
  return plain ? std::string(text) : Quoted(text, std::string::npos);
}

}  // namespace

std::function<void(std::string_view)> Log::Stderr() {
  return [](std::string_view line) {
    // A failed write to stderr has nowhere to be reported.
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
  };
}

void Log::Write(std::string_view level, std::string_view message, Fields fields) {
  std::string line;
  if (format_ == Format::kText) {
    line = StrCat(TimeText(clock_.Now()), " ", level, " ", message);
    for (const Field& field : fields) line += StrCat(" ", field.key, "=", Plain(field.value));
    for (char& c : line) {
      if (c == '\n' || c == '\r') c = ' ';
    }
    line += "\n";
  } else {
    const auto text = [](std::string_view value) { return Quoted(value, std::string::npos); };
    line = StrCat("{\"time\":\"", TimeText(clock_.Now()), "\",\"level\":\"", level, "\",\"message\":", text(message));
    for (const Field& field : fields) line += StrCat(",", text(field.key), ":", text(field.value));
    line += "}\n";
  }
  const std::lock_guard lock(mutex_);
  write_(line);
}

}  // namespace allot

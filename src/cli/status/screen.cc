#include "cli/status/screen.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/strings.h"
#include "cli/age.h"
#include "cli/listing.h"
#include "cli/status/words.h"

namespace allot::cli {
namespace {

std::string_view Environment(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): no thread sets one
  return value == nullptr ? "" : value;
}

bool LocaleIsUtf8() {
  for (const char* const name : {"LC_ALL", "LC_CTYPE", "LANG"}) {  // the first that is set decides
    const std::string_view value = Environment(name);
    if (!value.empty()) return value.find("UTF-8") != value.npos || value.find("utf8") != value.npos;
  }
  return false;
}

std::string UseText(const view::Device& device) {
  if (!device.mib) return StrCat(device.used.value_or(0), " MiB used", device.gone ? "" : ", its size cannot be seen");
  if (!device.used) return StrCat(*device.mib, " MiB, what is used cannot be seen");
  const std::string used = StrCat(*device.used, " of ", *device.mib, " MiB used, ");
  if (device.incomplete) return used + "nothing more can be allocated";
  const int64_t left = *device.Left();
  const std::string_view obstacle = ObstacleWord(device.FirstObstacle());
  return left > 0 && !obstacle.empty() ? StrCat(used, left, " left, but ", obstacle) : StrCat(used, left, " free");
}

std::string Padded(std::string text, size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

// The parts of a device's line.
struct DeviceLine {
  std::string name, product, use, state;
};

std::vector<DeviceLine> DeviceLines(const std::vector<view::Device>& devices) {
  std::vector<DeviceLine> lines;
  lines.reserve(devices.size());
  for (const view::Device& device : devices) {
    lines.push_back({Printable(device.Name()), Printable(device.product.empty() ? device.driver : device.product), UseText(device),
                     Printable(Join(StateWords(device), ", "))});
  }
  return lines;
}

// How wide the columns are, and whether a device fits into one line.
struct Layout {
  size_t name = 0, product = 0, use = 0, state = 0, amount = 0, pods = 0, claim = 0;
  size_t indent = 0;  // of what does not fit into a device's first line
  bool one_line = false;
};

std::string PodsText(const view::Holder& holder) {
  if (holder.pods.empty()) return Printable(StrCat("no Pod (claim ", holder.namespace_name, "/", holder.claim, ")"));
  return Printable(StrCat(holder.namespace_name, "/", Join(holder.pods, ", ")));
}

std::string ClaimText(const view::Holder& holder) { return holder.pods.empty() ? "" : Printable(StrCat("claim ", holder.claim)); }

Layout LayoutOf(const std::vector<DeviceLine>& lines, const view::Overview& overview, const Screen& screen) {
  Layout layout;
  for (const DeviceLine& line : lines) {
    layout.name = std::max(layout.name, line.name.size());
    layout.product = std::max(layout.product, line.product.size());
    layout.use = std::max(layout.use, line.use.size());
    layout.state = std::max(layout.state, line.state.size());
  }
  for (const view::Device& device : overview.devices) {
    for (const view::Holder& holder : device.holders) {
      layout.amount = std::max(layout.amount, StrCat(holder.mib).size());
      layout.pods = std::max(layout.pods, PodsText(holder).size());
      layout.claim = std::max(layout.claim, ClaimText(holder).size());
    }
  }
  layout.indent = std::min(layout.name + 2, screen.width / 4);
  layout.one_line = layout.name + layout.product + kBarWidth + layout.use + layout.state + 8 <= screen.width;
  return layout;
}

std::string DeviceText(const view::Device& device, const DeviceLine& line, const Layout& layout, const Screen& screen) {
  const std::string head = StrCat(Padded(line.name, layout.name), "  ");
  if (layout.one_line) {
    return StrCat(head, Padded(line.product, layout.product), "  ", Bar(device, screen), "  ", Padded(line.use, layout.use), "  ",
                  line.state, "\n");
  }
  const std::string bar = StrCat("  ", Bar(device, screen), "  ");
  const std::string about = Wrap(head, StrCat(line.product, line.state.empty() ? "" : ", ", line.state), layout.indent, screen.width);
  if (2 + kBarWidth + 2 + line.use.size() <= screen.width) return StrCat(about, bar, line.use, "\n");
  return StrCat(about, bar.substr(0, bar.size() - 2), "\n", Wrap("  ", line.use, 4, screen.width));
}

std::string HolderText(const view::Holder& holder, size_t number, const Layout& layout, const Screen& screen, WallTime now) {
  const std::string amount = StrCat(holder.mib);
  const std::string head = StrCat("    ", Shade(number, 1, screen), " ", std::string(layout.amount - amount.size(), ' '), amount, " MiB  ");
  const size_t indent = 6 + layout.amount + 6;
  const std::string age = Age(holder.since, now), claim = ClaimText(holder);
  if (indent + layout.pods + 2 + (layout.claim > 0 ? layout.claim + 2 : 0) + age.size() <= screen.width) {
    return StrCat(head, Padded(PodsText(holder), layout.pods), "  ", layout.claim > 0 ? StrCat(Padded(claim, layout.claim), "  ") : "", age,
                  "\n");
  }
  // Below each other, without columns.
  return StrCat(head, PodsText(holder), "\n", std::string(8, ' '), claim, claim.empty() ? "" : "  ", age, "\n");
}

std::string WaitingText(const view::WaitingEntry& entry, const Screen& screen, WallTime now) {
  const view::WaitingPod& pod = entry.pod;
  const std::string where = pod.node.empty() ? "" : StrCat(" on ", pod.node);
  std::string text =
      Wrap("  ", StrCat(pod.namespace_name, "/", pod.name, where, ", for ", Age(pod.since, now), ": asks for ", Join(AskWords(pod), " + ")),
           6, screen.width);
  if (const std::string why = WhyWords(entry); !why.empty()) return text + Wrap("    ", why, 6, screen.width);
  const std::string message = MessageWords(pod);
  return text + Wrap("    ", StrCat(pod.reason, pod.reason.empty() || message.empty() ? "" : ": ", message), 6, screen.width);
}

std::string WaitingSection(const view::Overview& overview, const Screen& screen, WallTime now, bool placed) {
  std::string text;
  const view::WaitingPod* first = nullptr;
  for (const view::WaitingEntry& entry : overview.waiting) {
    if (entry.pod.node.empty() == placed) continue;
    if (text.empty()) text = placed ? "\nPlaced, but their devices are not ready:\n" : "\nWaiting:\n";
    text += WaitingText(entry, screen, now);
    if (first == nullptr) first = &entry.pod;
  }
  if (first != nullptr && !placed) {
    text += Wrap("  ", StrCat("why, and what would help: allot explain pod/", first->name, " -n ", first->namespace_name), 4, screen.width);
  }
  return text;
}

}  // namespace

std::string Shade(size_t holder, size_t cells, const Screen& screen) {
  constexpr std::string_view kColours[] = {"\x1b[32m", "\x1b[36m", "\x1b[33m", "\x1b[35m", "\x1b[34m", "\x1b[31m"};
  if (cells == 0) return "";
  std::string text;
  const std::string_view cell = screen.utf8 ? (holder % 2 == 0 ? "█" : "▓") : (holder % 2 == 0 ? "#" : "=");
  for (size_t i = 0; i < cells; ++i) text += cell;
  return screen.colours ? StrCat(kColours[holder % std::size(kColours)], text, "\x1b[0m") : text;
}

Screen ScreenOfOutput() {
  Screen screen;
  if (::isatty(STDOUT_FILENO) != 1) return screen;
  winsize size = {};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) screen.width = size.ws_col;
  screen.utf8 = LocaleIsUtf8();
  const std::string_view terminal = Environment("TERM");
  screen.colours = Environment("NO_COLOR").empty() && !terminal.empty() && terminal != "dumb";
  return screen;
}

std::string Bar(const view::Device& device, const Screen& screen) {
  if (!device.mib || *device.mib == 0 || !device.used) return std::string(kBarWidth, '?');
  const auto width = static_cast<int64_t>(kBarWidth);
  const int64_t whole = std::max(*device.mib, *device.used);
  std::string bar;
  int64_t drawn = 0, held = 0;
  for (size_t i = 0; i < device.holders.size(); ++i) {
    held += device.holders[i].mib;
    // Rounds at the end of each stretch, so that the sum is right. Every holder gets at least one cell.
    const int64_t end = std::min(width, std::max((held * width + whole / 2) / whole, drawn + 1));
    bar += Shade(i, static_cast<size_t>(std::max<int64_t>(0, end - drawn)), screen);
    drawn = std::max(drawn, end);
  }
  for (int64_t i = drawn; i < width; ++i) bar += screen.utf8 ? "░" : ".";
  return bar;
}

std::string StatusText(const view::Overview& overview, const Screen& screen, WallTime now) {
  std::string text;
  for (const view::Device& device : overview.devices) {
    if (!device.overcommitted) continue;
    text += Wrap("OVER-COMMITTED: ", StrCat(device.Name(), " has ", *device.mib, " MiB, and its claims hold ", *device.used, " MiB"), 2,
                 screen.width);
  }
  if (!text.empty()) text += "\n";
  const std::vector<DeviceLine> lines = DeviceLines(overview.devices);
  const Layout layout = LayoutOf(lines, overview, screen);
  for (size_t i = 0; i < lines.size(); ++i) {
    const view::Device& device = overview.devices[i];
    text += DeviceText(device, lines[i], layout, screen);
    for (size_t j = 0; j < device.holders.size(); ++j) text += HolderText(device.holders[j], j, layout, screen, now);
  }
  text += WaitingSection(overview, screen, now, false);
  text += WaitingSection(overview, screen, now, true);
  if (!overview.notes.empty()) text += "\nNot seen:\n";
  for (const view::Note& note : overview.notes) text += Wrap("  ", NoteWords(note), 4, screen.width);
  return text;
}

}  // namespace allot::cli

#include "cli/explain/text.h"

#include <algorithm>

#include "base/strings.h"
#include "cli/age.h"
#include "cli/explain/words.h"
#include "cli/listing.h"
#include "sched/words.h"

namespace allot::cli {
namespace {

using State = view::Answer::State;
using view::DeviceRow;
using view::NodeGroup;

constexpr size_t kMaxSections = 8;  // nodes with a table
constexpr size_t kMaxRows = 16;     // devices of a table
constexpr size_t kMaxOptions = 12;
constexpr size_t kMaxHolders = 6;
constexpr std::string_view kNone = "none";

std::string Padded(std::string text, size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

std::string Bold(std::string_view text, const Screen& screen) {
  return screen.colours ? StrCat("\x1b[1m", text, "\x1b[0m") : std::string(text);
}

std::string Ordinal(size_t number) {
  const size_t last = number % 10, teens = number % 100 / 10;
  return StrCat(number, teens == 1 ? "th" : last == 1 ? "st" : last == 2 ? "nd" : last == 3 ? "rd" : "th");
}

std::string Headline(const view::Answer& answer, WallTime now) {
  const std::string pod = StrCat("Pod ", answer.pod), headline = Words(answer.headline);
  switch (answer.state) {
    case State::kWaits: return StrCat(pod, " waits: ", headline);
    case State::kNever: return StrCat(pod, " ", sched::NeverWords(headline));
    case State::kBlocked: return StrCat(pod, " is blocked: ", headline);
    case State::kUndecided:
      return StrCat(
          pod, answer.fixes.empty() ? " waits, and why cannot be told: " : " waits, and no scheduler can decide where it fits: ", headline);
    case State::kFits: return StrCat(pod, " waits, though ", headline);
    case State::kEnded: return answer.phase.empty() ? StrCat(pod, ": ", headline) : StrCat(pod, " has ended: ", headline);
    case State::kPlaced: break;
  }
  if (answer.phase != "Running") return StrCat(pod, " is placed on ", answer.node, ", and does not run yet");
  return StrCat(pod, " runs on ", answer.node, answer.since.empty() ? "" : StrCat(", for ", Age(answer.since, now)));
}

std::string Mib(const std::optional<int64_t>& mib) { return mib ? StrCat(*mib, " MiB") : "-"; }

// "lab/train-1 10240 MiB" of each holder; "none".
std::vector<std::string> HeldTexts(const DeviceRow& row) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < row.held.size() && i < kMaxHolders; ++i) {
    const DeviceRow::Part& part = row.held[i];
    parts.push_back(Printable(StrCat(Words(part), part.own ? " (this Pod)" : "", row.mib ? StrCat(" ", part.mib, " MiB") : "")));
  }
  if (row.held.size() > kMaxHolders) parts.push_back(StrCat(row.held.size() - kMaxHolders, " more"));
  if (parts.empty()) parts.emplace_back(kNone);
  return parts;
}

// A table of devices: their holders, and why the Pod does not get them.
class DeviceTable {
 public:
  DeviceTable(const NodeGroup& group, const Screen& screen) : rows_(group.devices), when_empty_(group.when_empty), screen_(screen) {
    for (const DeviceRow& row : rows_) {
      name_ = std::max(name_, Printable(row.name).size());
      model_ = std::max(model_, Printable(row.model).size());
      memory_ = std::max(memory_, Mib(row.mib).size());
      free_ = std::max(free_, Mib(row.free).size());
      held_ = std::max(held_, Join(HeldTexts(row), ", ").size());
      const std::vector<std::string> holders = HeldTexts(row);
      for (size_t i = 0; i < holders.size(); ++i) holder_ = std::max(holder_, holders[i].size() + (i + 1 < holders.size() ? 1 : 0));
      why_ = std::max(why_, WhyText(row).size());
      same_why_ = same_why_ && Words(row) == Words(rows_[0]);
    }
    if (model_ > 0) model_ = std::max(model_, std::string_view("MODEL").size());
    if (model_ > 0 && Left() > screen.width) model_ = 0;
    below_ = Left() + holder_ > screen.width;
    one_line_ = Left() + held_ + 2 + why_ <= screen.width;
  }

  std::string Text() const {
    std::string text = Line("DEVICE", "MODEL", "MEMORY", "FREE", below_ ? std::vector<std::string>{} : std::vector<std::string>{"HELD BY"},
                            one_line_ && !IsSaidOnce() ? "WHY NOT" : "");
    for (size_t i = 0; i < rows_.size() && i < kMaxRows; ++i) {
      const DeviceRow& row = rows_[i];
      const std::string why = IsSaidOnce() ? "" : WhyText(row);
      text += Line(Printable(row.name), Printable(row.model), Mib(row.mib), Mib(row.free), HeldTexts(row), one_line_ ? why : "");
      if (!one_line_ && !why.empty()) text += Wrap("      ", why, 6, screen_.width);
    }
    if (rows_.size() > kMaxRows) text += StrCat("  and ", rows_.size() - kMaxRows, " more; -o json has them all\n");
    if (IsSaidOnce() && rows_[0].reason) text += Wrap("  each of them: ", Words(rows_[0]), 4, screen_.width);
    return text;
  }

 private:
  bool IsSaidOnce() const { return rows_.size() > 1 && same_why_; }
  std::string WhyText(const DeviceRow& row) const {
    if (row.reason) return Printable(Words(row));
    return when_empty_ && !row.held.empty() ? "would fit if it were free" : "fits";
  }
  // The width of the columns before HELD BY.
  size_t Left() const { return 2 + name_ + 2 + (model_ == 0 ? 0 : model_ + 2) + memory_ + 2 + free_ + 2; }

  std::string Line(std::string name, std::string model, std::string memory, std::string free, const std::vector<std::string>& held,
                   std::string_view why) const {
    std::string line = StrCat("  ", Padded(std::move(name), name_), "  ");
    if (model_ > 0) line += StrCat(Padded(std::move(model), model_), "  ");
    line += StrCat(Padded(std::move(memory), memory_), "  ", Padded(std::move(free), free_), "  ");
    if (!why.empty()) return StrCat(line, Padded(Join(held, ", "), held_), "  ", why, "\n");
    if (!below_) return StrCat(line, HeldLines(held, line.size()), "\n");
    line.resize(line.find_last_not_of(' ') + 1);
    if (held.empty() || held[0] == kNone) return line + "\n";
    return StrCat(line, "\n      held by ", HeldLines(held, std::string_view("      held by ").size()), "\n");
  }

  // Breaks lines only between holders, so that an amount stays beside its holder.
  std::string HeldLines(const std::vector<std::string>& held, size_t indent) const {
    std::string text;
    size_t column = indent;
    for (size_t i = 0; i < held.size(); ++i) {
      const std::string part = StrCat(held[i], i + 1 < held.size() ? "," : "");
      if (i > 0 && column + 1 + part.size() > screen_.width) {
        text += StrCat("\n", std::string(indent, ' '));
        column = indent;
      } else if (i > 0) {
        text += ' ';
        ++column;
      }
      text += part;
      column += part.size();
    }
    return text;
  }

  const std::vector<DeviceRow>& rows_;
  const bool when_empty_;
  const Screen& screen_;
  size_t name_ = 6, model_ = 0, memory_ = 6, free_ = 4, held_ = 7, holder_ = 7, why_ = 7;
  bool same_why_ = true, one_line_ = false, below_ = false;
};

int64_t MostFree(const NodeGroup& group) {
  int64_t most = 0;
  for (const DeviceRow& row : group.devices) most = std::max(most, row.free.value_or(0));
  return most;
}

std::string ReasonsText(const std::vector<NodeGroup>& groups, const Screen& screen) {
  // The headline has said it.
  if (groups.size() == 1 && groups[0].devices.empty() && groups[0].nodes.size() == 1) return "";
  std::vector<const NodeGroup*> tables;
  std::string rest;
  for (const NodeGroup& group : groups) {
    if (!group.devices.empty()) {
      tables.push_back(&group);
    } else {
      rest += Wrap(StrCat(Printable(SomeOf(group.nodes)), ": "), Words(group), 4, screen.width);
    }
  }
  size_t left_out = 0;
  if (tables.size() > kMaxSections) {
    std::stable_sort(tables.begin(), tables.end(), [](const auto* a, const auto* b) { return MostFree(*a) > MostFree(*b); });
    for (size_t i = kMaxSections; i < tables.size(); ++i) left_out += tables[i]->nodes.size();
    tables.resize(kMaxSections);
  }
  std::string text;
  for (const NodeGroup* const group : tables) {
    text += StrCat("\n", Wrap(StrCat(Printable(SomeOf(group->nodes)), ": "), Words(*group), 4, screen.width));
    text += DeviceTable(*group, screen).Text();
  }
  if (left_out > 0) text += StrCat("\nand ", left_out, " more nodes, on which less is free; -o json has them all\n");
  return rest.empty() ? text : StrCat(text, "\n", rest);
}

std::string RemediesText(const view::Answer& answer, const Screen& screen) {
  if (answer.remedies.empty()) {
    if (answer.state != State::kWaits && answer.state != State::kNever) return "";
    return "\nNone of the changes that were tried would let it start.\n";
  }
  std::string text = "\nIt would start with any one of:\n";
  for (const sched::Remedy& remedy : answer.remedies) {
    // A change to the node itself names it.
    const bool is_place = !remedy.node.empty() && remedy.kind() != sched::Remedy::Kind::kNode && remedy.target != remedy.node;
    text += Wrap("  - ", StrCat(sched::Words(remedy), is_place ? StrCat(", on ", remedy.node) : "", CaveatWords(answer, remedy)), 4,
                 screen.width);
  }
  return text;
}

std::string OwnDevicesText(const view::Answer& answer, const Screen& screen) {
  std::string text;
  for (const DeviceRow& row : answer.devices) {
    view::Device bar;
    bar.mib = row.mib, bar.used = 0;
    int64_t own = 0;
    size_t width = 0;
    for (const DeviceRow::Part& part : row.held) {
      bar.holders.push_back({part.mib, "", "", {}, "", false});
      *bar.used += part.mib;
      own += part.own ? part.mib : 0;
      width = std::max(width, StrCat(part.mib).size());
    }
    const std::string name = StrCat("\n", Printable(row.name), row.model.empty() ? "" : "  ", Printable(row.model));
    if (!row.mib || *row.mib == 0) {
      text += StrCat(name, "\n");
      continue;
    }
    text += StrCat(name, "\n  ", Bar(bar, screen), "  ", own, " of ", *row.mib, " MiB are its own (", own * 100 / *row.mib, " %), ",
                   *row.free, " free\n");
    for (size_t i = 0; i < row.held.size(); ++i) {
      const DeviceRow::Part& part = row.held[i];
      const std::string amount = StrCat(part.mib);
      text += StrCat("    ", Shade(i, 1, screen), " ", std::string(width - amount.size(), ' '), amount, " MiB  ", Printable(Words(part)),
                     part.own ? " (this Pod)" : "", "\n");
    }
  }
  return text;
}

std::string OptionsText(const view::Answer& answer, const Screen& screen) {
  if (answer.options.empty()) return "";
  std::string text = "\nToday:\n";
  size_t width = 0;
  for (const view::Option& option : answer.options) width = std::max(width, Printable(option.Place()).size());
  for (size_t i = 0; i < answer.options.size() && i < kMaxOptions; ++i) {
    const view::Option& option = answer.options[i];
    const std::string what = !option.fits ? Words(option) : option.left ? StrCat("fits, and leaves ", *option.left, " MiB") : "fits";
    text += Wrap(StrCat("  ", Padded(Printable(option.Place()), width), "  "), StrCat(what, option.here ? "  <- it is here" : ""),
                 width + 6, screen.width);
  }
  if (answer.options.size() > kMaxOptions) text += StrCat("  and ", answer.options.size() - kMaxOptions, " more; -o json has them all\n");
  return text;
}

}  // namespace

std::string ExplainText(const view::Answer& answer, const Screen& screen, WallTime now) {
  std::string headline = Wrap("", Headline(answer, now), 2, screen.width);
  headline.pop_back();
  std::string text = Bold(headline, screen) + "\n";
  if (answer.waiting > 1) text += StrCat("It is ", Ordinal(answer.place), " of ", answer.waiting, " that wait.\n");
  if (answer.state != State::kPlaced) {
    for (const view::Detail& detail : answer.details) text += Wrap("", Words(detail), 2, screen.width);
  }
  for (const view::Fix& fix : answer.fixes) {
    text += Wrap("-> ", Words(fix), 3, screen.width);
    text += StrCat("   ", Printable(CommandOf(fix)), "\n");
  }
  text += ReasonsText(answer.groups, screen);
  if (answer.state != State::kPlaced) return text + RemediesText(answer, screen);
  text += OwnDevicesText(answer, screen);
  if (!answer.details.empty()) text += "\n";
  for (const view::Detail& detail : answer.details) text += Wrap("", Words(detail), 2, screen.width);
  return text + OptionsText(answer, screen);
}

std::string NotesText(const std::vector<view::Note>& notes, const Screen& screen) {
  std::string text = notes.empty() ? "" : "\nNot seen:\n";
  for (const view::Note& note : notes) text += Wrap("  ", Words(note), 4, screen.width);
  return text;
}

}  // namespace allot::cli

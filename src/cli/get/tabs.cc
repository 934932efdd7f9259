#include "cli/get/tabs.h"

#include <algorithm>

#include "base/strings.h"

namespace allot::cli {
namespace {

// Counts characters, not bytes, and ignores their width on a terminal, as kubectl does.
size_t Width(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

class Setter {
 public:
  Setter(std::string_view text, TabOptions options, std::vector<size_t>* remembered) : options_(options), remembered_(remembered) {
    for (const std::string_view line : Split(text, '\n')) lines_.push_back(Split(line, '\t'));
  }

  std::string Set() {
    Format(0, lines_.size());
    return std::move(out_);
  }

 private:
  // Aligns lines from `begin` to `end`; the widths of their earlier columns are known.
  void Format(size_t begin, size_t end) {
    const size_t column = widths_.size();
    for (size_t line = begin; line < end;) {
      if (column + 1 >= lines_[line].size()) {
        Write(line++);
        continue;
      }
      size_t last = line;
      size_t width = options_.min_width;
      for (; last < end && column + 1 < lines_[last].size(); ++last) {
        width = std::max(width, Width(lines_[last][column]) + options_.padding);
      }
      if (remembered_ != nullptr) {
        if (remembered_->size() <= column) remembered_->resize(column + 1);
        width = (*remembered_)[column] = std::max(width, (*remembered_)[column]);
      }
      widths_.push_back(width);
      Format(line, last);
      widths_.pop_back();
      line = last;
    }
  }

  void Write(size_t line) {
    const std::vector<std::string_view>& cells = lines_[line];
    for (size_t i = 0; i < cells.size(); ++i) {
      out_ += cells[i];
      if (i + 1 < cells.size()) out_.append(widths_[i] - Width(cells[i]), ' ');
    }
    if (line + 1 < lines_.size()) out_ += '\n';
  }

  const TabOptions options_;
  std::vector<size_t>* const remembered_;
  std::vector<std::vector<std::string_view>> lines_;
  std::vector<size_t> widths_;
  std::string out_;
};

}  // namespace

std::string SetTabs(std::string_view text, TabOptions options, std::vector<size_t>* remembered) {
  return Setter(text, options, remembered).Set();
}

}  // namespace allot::cli

#pragma once
// Columns of text, set as kubectl's are (Go's text/tabwriter): a cell ends in a tab, and cells below each other are as wide as the widest
// of them plus the padding. A column lasts as long as consecutive lines have a cell in it; what stands behind a line's last tab belongs
// to no column.

#include <string>
#include <string_view>
#include <vector>

namespace allot::cli {

struct TabOptions {
  size_t min_width = 0;  // of a column, with its padding
  size_t padding = 2;
};

// Of get: columns at least 6 wide, 3 apart. Of describe: 2 apart.
inline constexpr TabOptions kTableTabs{6, 3};
inline constexpr TabOptions kDescribeTabs{0, 2};

// `remembered`, where given: the widths that columns had at least in earlier calls, which they keep; brought up to date.
std::string SetTabs(std::string_view text, TabOptions options, std::vector<size_t>* remembered = nullptr);

}  // namespace allot::cli

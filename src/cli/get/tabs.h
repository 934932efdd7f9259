#pragma once
// Columns of text, aligned as kubectl's (Go's text/tabwriter): a cell ends with a tab, and the cells of a column are as wide as the widest
// of them plus the padding. A column ends at the first line without a cell in it. Text after a line's last tab belongs to no column.

#include <string>
#include <string_view>
#include <vector>

namespace allot::cli {

struct TabOptions {
  size_t min_width = 0;  // of a column, with its padding
  size_t padding = 2;
};

// get: columns at least 6 wide, 3 apart. describe: 2 apart.
inline constexpr TabOptions kTableTabs{6, 3};
inline constexpr TabOptions kDescribeTabs{0, 2};

// If `remembered` is given, columns are at least as wide as in earlier calls; the call updates it.
std::string SetTabs(std::string_view text, TabOptions options, std::vector<size_t>* remembered = nullptr);

}  // namespace allot::cli

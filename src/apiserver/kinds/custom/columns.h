#pragma once
// The table of a custom kind: its definition's columns, and their cells.

#include <vector>

#include "apiserver/kinds/kind.h"
#include "json/value.h"

namespace allot::apiserver {

struct CustomColumns {
  std::vector<Column> columns;  // the first is the name
  RowFunction row;
};

// `columns` is additionalPrinterColumns of a version; if empty, the age is shown. A column with an invalid path is always empty.
CustomColumns MakeCustomColumns(const json::Value& columns);

}  // namespace allot::apiserver

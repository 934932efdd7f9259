#pragma once
// The table of a custom kind: the columns of its definition, and their cells.

#include <vector>

#include "apiserver/kinds/kind.h"
#include "json/value.h"

namespace allot::apiserver {

struct CustomColumns {
  std::vector<Column> columns;  // the first one is the name
  RowFunction row;
};

// `columns`: additionalPrinterColumns of a version; where there are none, the age. A column whose path cannot be read is always empty.
CustomColumns MakeCustomColumns(const json::Value& columns);

}  // namespace allot::apiserver

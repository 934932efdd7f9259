#pragma once
// What every benchmark of the project prints and writes.

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace allot::bench {

// One figure of ours beside the peer's in the same run. `ratio` above 1: we are better.
struct Row {
  std::string name;
  double ours = 0, peer = 0;
  std::string unit;
  double ratio = 0;
};

class Report {
 public:
  // Less is better: the ratio is peer / ours, unless given.
  void Add(std::string name, double ours, double peer, std::string unit, double ratio = 0);
  // Remarks that belong to no row.
  void Note(std::string text) { notes_.push_back(std::move(text)); }

  void Print() const;
  // A list of {"name", "ours", "peer", "unit", "ratio"}.
  Status Write(const std::string& path) const;

 private:
  std::vector<Row> rows_;
  std::vector<std::string> notes_;
};

double Median(std::vector<double> values);

}  // namespace allot::bench

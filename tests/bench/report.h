#pragma once
// The report of a benchmark: a table and a JSON file.

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace allot::bench {

// One figure of ours and of the peer, from the same run. A `ratio` above 1 means that ours is better.
struct Row {
  std::string name;
  double ours = 0, peer = 0;
  std::string unit;
  double ratio = 0;
};

class Report {
 public:
  // Adds a figure for which less is better. `ratio` is peer / ours unless given.
  void Add(std::string name, double ours, double peer, std::string unit, double ratio = 0);
  // Adds a remark that belongs to no row.
  void Note(std::string text) { notes_.push_back(std::move(text)); }

  void Print() const;
  // Writes a list of {"name", "ours", "peer", "unit", "ratio"}.
  Status Write(const std::string& path) const;

 private:
  std::vector<Row> rows_;
  std::vector<std::string> notes_;
};

double Median(std::vector<double> values);

}  // namespace allot::bench

#include "tests/bench/report.h"

#include <algorithm>
#include <cstdio>

#include "base/check.h"

namespace allot::bench {

void Report::Add(std::string name, double ours, double peer, std::string unit, double ratio) {
  if (ratio == 0 && ours > 0) ratio = peer / ours;
  rows_.push_back({std::move(name), ours, peer, std::move(unit), ratio});
}

void Report::Print() const {
  std::printf("%-36s %14s %14s  %-10s %10s\n", "", "allot", "peer", "unit", "ratio");
  for (const Row& row : rows_) {
    std::printf("%-36s %14.1f %14.1f  %-10s %9.1fx\n", row.name.c_str(), row.ours, row.peer, row.unit.c_str(), row.ratio);
  }
  for (const std::string& note : notes_) std::printf("%s\n", note.c_str());
}

Status Report::Write(const std::string& path) const {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) return Unavailable("write ", path, ": cannot be opened");
  std::fprintf(file, "[\n");
  for (size_t i = 0; i < rows_.size(); ++i) {
    const Row& row = rows_[i];
    std::fprintf(file, "  {\"name\": \"%s\", \"ours\": %.1f, \"peer\": %.1f, \"unit\": \"%s\", \"ratio\": %.2f}%s\n", row.name.c_str(),
                 row.ours, row.peer, row.unit.c_str(), row.ratio, i + 1 < rows_.size() ? "," : "");
  }
  std::fprintf(file, "]\n");
  if (std::fclose(file) != 0) return Unavailable("write ", path, ": disk full?");
  return Status();
}

double Median(std::vector<double> values) {
  CHECK(!values.empty());
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace allot::bench

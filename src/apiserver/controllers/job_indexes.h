#pragma once
// The completion indexes of an indexed Job that are done: "0,2-4,7" as its status has them.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace allot::apiserver {

class JobIndexes {
 public:
  JobIndexes() = default;
  // What is no index below `limit` is left out: people may write a status.
  JobIndexes(std::string_view text, int64_t limit);

  void Add(int64_t index);
  bool Has(int64_t index) const;
  // The first index from `index` on that it does not have.
  int64_t FirstWithout(int64_t index) const;
  int64_t size() const;
  // Two in a row are written one by one: "1,2,4-6".
  std::string ToString() const;

 private:
  void AddRange(int64_t first, int64_t last);

  std::map<int64_t, int64_t> ranges_;  // from first to last; neither touch nor overlap
};

}  // namespace allot::apiserver

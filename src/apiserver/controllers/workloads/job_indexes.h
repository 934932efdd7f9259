#pragma once
// A set of completion indexes of an indexed Job, in the format of its status: "0,2-4,7".

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace allot::apiserver {

class JobIndexes {
 public:
  JobIndexes() = default;
  // Ignores anything that is not an index below `limit`, because users may edit a status.
  JobIndexes(std::string_view text, int64_t limit);

  void Add(int64_t index);
  bool Has(int64_t index) const;
  // Returns the first missing index at or after `index`.
  int64_t FirstWithout(int64_t index) const;
  int64_t size() const;
  // Writes two consecutive indexes separately: "1,2,4-6".
  std::string ToString() const;

 private:
  void AddRange(int64_t first, int64_t last);

  std::map<int64_t, int64_t> ranges_;  // first to last; ranges neither touch nor overlap
};

}  // namespace allot::apiserver

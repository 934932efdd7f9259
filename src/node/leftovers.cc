#include "node/leftovers.h"

namespace allot::node {

void RemoveLeftovers(FileSystem& files, const std::string& folder, std::string_view prefix, WallTime before) {
  const Result<std::vector<std::string>> names = files.List(folder);
  if (!names.ok()) return;
  const int64_t limit = std::chrono::duration_cast<std::chrono::nanoseconds>(before.time_since_epoch()).count();
  for (const std::string& name : *names) {
    if (!name.starts_with(prefix) || name.find(".tmp.") == std::string::npos) continue;
    const std::string path = StrCat(folder, "/", name);
    const Result<FileStamp> stamp = files.Stamp(path);
    if (!stamp.ok() || stamp->modified_ns >= limit) continue;
    [[maybe_unused]] const Status removed = files.Remove(path);
  }
}

}  // namespace allot::node

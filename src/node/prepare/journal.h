#pragma once
// The holdings of one driver on this node, on disk. A holding in the journal survives every crash; one that is not in it was never
// acknowledged to kubelet.
//
// Promises:
//   1. when Add, Replace or Remove has returned ok, the change is on the disk. After a failed sync nothing is read before the whole journal
//      was written again;
//   2. a reader sees a holding whole or not at all: every line carries its checksum, and lines that do not match are skipped;
//   3. two agents can use one journal, as they do during an update: each change is made under a file lock, after reading what the other
//      agent wrote;
//   4. an incomplete last line (after a crash or on a full disk) is cut off with the next change.
// Changes of several threads share one sync of the disk.
//
// The file is text: a line with the version, then one line for each change, "CRC32 JSON". It is rewritten when most of it is history.
// Thread-safe.

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/file_system.h"
#include "base/status.h"
#include "node/prepare/holding.h"

namespace allot::node {

class Journal {
 public:
  // Reads the journal in `folder`, which must exist. kInvalid: a newer release wrote it; the file stays as it is.
  static Result<std::unique_ptr<Journal>> Open(FileSystem& files, const std::string& folder);

  // Returns what is held now, including changes of other processes.
  Result<Holdings> Read();

  // Calls `look` with what is held now. The journal does not change during the call.
  Status Inspect(const std::function<Status(const Holdings& held)>& look);

  // Adds `holding`, or replaces the holding of the same claim, if `check` returns ok for all other holdings. Otherwise returns the error of
  // `check` and changes nothing.
  Status Add(const Holding& holding, const std::function<Status(const Holdings& others)>& check);

  // Replaces the holding of the same claim. kNotFound: the claim holds nothing any more, because another agent removed it.
  Status Replace(const Holding& holding);

  // Ok if the claim holds nothing.
  Status Remove(std::string_view uid);

  // Returns a message about each damaged line since Open, once, with the place of the copy of the damaged file.
  std::vector<std::string> TakeDamage();

 private:
  Journal(FileSystem& files, const std::string& folder);

  // Makes holdings_ what the file has, and what is on the disk. Requires both locks, like the functions below.
  Status Refresh();
  Status Load(const Result<FileStamp>& now);
  void Replay(std::string_view text);
  Status Append(const std::string& json);
  Status Rewrite();
  void Forget() { stamp_.reset(); }
  Status SyncThrough(uint64_t change);

  FileSystem& files_;
  const std::string path_, lock_path_;

  std::mutex mutex_;
  Holdings holdings_;
  std::optional<FileStamp> stamp_;  // of the file that holdings_ was read from; nothing: the file must be read again
  size_t bytes_ = 0;                // of the file
  bool torn_ = false;               // the file has something other than complete lines
  bool suspect_ = false;            // a sync failed, so it is unknown what of the file is on the disk
  uint64_t appended_ = 0;           // changes
  std::vector<std::string> damage_;

  std::mutex sync_mutex_;
  std::condition_variable sync_done_;
  bool syncing_ = false;
  uint64_t synced_ = 0;  // changes up to this one are on the disk, unless failed_ includes them
  uint64_t failed_ = 0;  // a sync of the changes up to this one failed; the kernel reports that only once
  Status failure_;
};

}  // namespace allot::node

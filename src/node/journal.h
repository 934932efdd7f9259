#pragma once
// The holdings of this node, on disk: what is in it survives every crash, what is not was never promised to kubelet.
//
// Promises:
//   1. when Add or Remove has returned ok, the change is on the disk;
//   2. whoever reads it sees a holding whole or not at all: every line carries its checksum, and what does not match is not read;
//   3. two agents may use one journal (an update replaces the old one while it still runs): each change is made under a lock of the file
//      system, after reading what the other one wrote;
//   4. a torn tail (a crash or a full disk in the middle of a write) is cut off with the next change.
// Changes of several threads share one sync of the disk.
//
// The file is text: a line with the version, then one line for each change, "CRC32 JSON". It is rewritten when most of it is history.
// Safe to use from several threads.

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/file_system.h"
#include "base/status.h"
#include "node/holding.h"

namespace allot::node {

class Journal {
 public:
  // Reads the journal of the folder, which must exist. kInvalid where a newer allot has written it: nothing is changed then.
  static Result<std::unique_ptr<Journal>> Open(FileSystem& files, const std::string& folder);

  // What is held now, by this process or another.
  Result<Holdings> Read();

  // Calls `look` with what is held now, while nobody can change it.
  Status Inspect(const std::function<Status(const Holdings& held)>& look);

  // Writes down `holding`, unless `check`, which sees all others, refuses: then its error is returned and nothing has changed. A holding
  // of the same claim is replaced.
  Status Add(const Holding& holding, const std::function<Status(const Holdings& others)>& check);

  // Ok where there is none of the claim.
  Status Remove(std::string_view uid);

  // Lines that had to be passed over since Open, each told once: what, and where the damaged file was kept.
  std::vector<std::string> TakeDamage();

 private:
  Journal(FileSystem& files, const std::string& folder);

  // REQUIRES both locks, as do the others.
  Status Refresh();
  void Replay(std::string_view text);
  Status Append(const std::string& json);
  Status Rewrite();
  void Forget() { stamp_.reset(); }
  Status SyncThrough(uint64_t change);

  FileSystem& files_;
  const std::string path_, lock_path_;

  std::mutex mutex_;
  Holdings holdings_;
  std::optional<FileStamp> stamp_;  // of the file that holdings_ was read from; nothing: read it again
  size_t bytes_ = 0;                // of the file
  bool torn_ = false;               // the file has something that is no whole line of ours
  bool suspect_ = false;            // a sync failed: who knows what of the file is on the disk
  uint64_t appended_ = 0;           // changes
  std::vector<std::string> damage_;

  std::mutex sync_mutex_;
  std::condition_variable sync_done_;
  bool syncing_ = false;
  uint64_t synced_ = 0;  // up to this change all is on the disk, but for
  uint64_t failed_ = 0;  // those up to this one, of which the disk has said no: it says so only once
  Status failure_;
};

}  // namespace allot::node

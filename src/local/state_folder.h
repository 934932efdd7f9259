#pragma once
// The folder of `allot up`: that of the embedded API (apiserver/data_folder.h), and in it
//
//   up.lock, up.pid     locked by the one that works with the folder, and its PID
//   runtime             what runs the Pods (kept_runtime.h)
//   hostname            what the nodes are called
//   podman/             files of containers that podman runs
//   nodes/NAME/state/   the journal of a node's agent
//   nodes/NAME/cdi/     what its claims are prepared as
//   nodes/NAME/driver/  the driver of simulated GPUs, for everybody to read
//   pods/NAME/          what is there of the node's Pods (pod_folder.h)
//
// One process at a time: two would have two ledgers for one GPU.

#include <memory>
#include <string>
#include <vector>

#include "base/file_system.h"
#include "base/status.h"

namespace allot::local {

struct NodeFolder {
  std::string path;

  std::string state() const { return path + "/state"; }
  std::string cdi() const { return path + "/cdi"; }
  std::string driver() const { return path + "/driver"; }
};

class StateFolder {
 public:
  // The folder must exist. kUnavailable, with the PID of the other one, where somebody works with it. `files` must outlive it.
  static Result<std::unique_ptr<StateFolder>> Open(FileSystem& files, const std::string& path);

  const std::string& path() const { return path_; }

  // What the nodes are called: the name of the machine at the first start. A machine that gets another name keeps its nodes, as what runs
  // and holds GPUs is theirs. kInvalid: the file has been damaged.
  Result<std::string> KeepHostname(const std::string& now);
  // Makes it where it is missing, so that users get through to the driver.
  Result<NodeFolder> Node(const std::string& name);
  // The nodes that have a folder, sorted.
  Result<std::vector<std::string>> Nodes() const;
  std::string PodsOf(const std::string& node) const { return StrCat(path_, "/pods/", node); }
  // With all that is in it, and what is left of its Pods. Ok where there is none.
  Status RemoveNode(const std::string& name);

 private:
  StateFolder(FileSystem& files, std::string path, std::unique_ptr<FileLock> lock)
      : files_(files), path_(std::move(path)), lock_(std::move(lock)) {}

  FileSystem& files_;
  const std::string path_;
  const std::unique_ptr<FileLock> lock_;
};

}  // namespace allot::local

#pragma once
// The folder of `allot up`: that of the embedded API (apiserver/data_folder.h), and in it
//
//   up.lock, up.pid     the lock of the process that uses the folder, and its PID
//   runtime             the runtime of the Pods (runtime_file.h)
//   hostname            the name that the nodes' names are made from
//   podman/             files of containers that podman runs
//   nodes/NAME/state/   the journal of a node's agent
//   nodes/NAME/cdi/     the CDI specs of its prepared claims
//   nodes/NAME/driver/  the driver of simulated GPUs, readable by all users
//   pods/NAME/          the folders of the node's Pods (pod_folder.h)
//
// Only one process may use the folder: two would have two ledgers for one GPU.

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
  // The folder must exist. kUnavailable, with the other's PID, if another process uses it. `files` must outlive this object.
  static Result<std::unique_ptr<StateFolder>> Open(FileSystem& files, const std::string& path);

  const std::string& path() const { return path_; }

  // The machine's name at the first start, from which the nodes' names are made. The nodes keep it when the machine is renamed, because
  // running Pods and holdings belong to them. kInvalid if the file is damaged.
  Result<std::string> KeepHostname(const std::string& now);
  // Creates the folder if it is missing, so that all users can reach the driver.
  Result<NodeFolder> Node(const std::string& name);
  // The nodes that have a folder, sorted.
  Result<std::vector<std::string>> Nodes() const;
  std::string PodsOf(const std::string& node) const { return StrCat(path_, "/pods/", node); }
  // Removes the node's folder, and the folders of its Pods. Ok if there are none.
  Status RemoveNode(const std::string& name);

 private:
  StateFolder(FileSystem& files, std::string path, std::unique_ptr<FileLock> lock)
      : files_(files), path_(std::move(path)), lock_(std::move(lock)) {}

  FileSystem& files_;
  const std::string path_;
  const std::unique_ptr<FileLock> lock_;
};

}  // namespace allot::local

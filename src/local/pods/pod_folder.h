#pragma once
// The folder of a Pod of this node: ROOT/NODE/NAMESPACE/NAME/UID, with
//
//   pod.json             the Pod's name, and the claims that may be prepared for it; written before they are prepared
//   CONTAINER/ATTEMPT/   the last two runs of each container (container_files.h)

#include <optional>
#include <string>
#include <vector>

#include "base/file_system.h"
#include "base/status.h"
#include "node/prepare/holding.h"

namespace allot::local {

struct PodRecord {
  std::string name_space, name, uid;
  std::vector<node::ClaimRef> claims;

  friend bool operator==(const PodRecord& a, const PodRecord& b) { return a.ToJson() == b.ToJson(); }
  std::string ToJson() const;
  std::string ToString() const { return StrCat(name_space, "/", name); }
};

class PodFolder {
 public:
  // `node` is the folder of the node.
  PodFolder(FileSystem& files, const std::string& node, const std::string& name_space, const std::string& name, const std::string& uid)
      : files_(files), path_(StrCat(node, "/", name_space, "/", name, "/", uid)) {}

  const std::string& path() const { return path_; }
  std::string RunPath(std::string_view container, int attempt) const { return StrCat(path_, "/", container, "/", attempt); }

  Status Write(const PodRecord& record);
  Result<PodRecord> Read() const;
  // The numbers of the container's runs, sorted.
  std::vector<int> Attempts(std::string_view container) const;
  std::vector<std::string> Containers() const;
  // Removes the folder and its content, and the folders above it if they are empty.
  Status Remove();

 private:
  FileSystem& files_;
  const std::string path_;
};

// The folders of all Pods below the node's folder, sorted.
std::vector<PodFolder> FindPodFolders(FileSystem& files, const std::string& node);

}  // namespace allot::local

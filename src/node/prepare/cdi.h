#pragma once
// CDI specs: files that tell the container runtime what a container with a claim gets.
//
// Each claim has one file, "k8s.<driver>-claim_<UID>.yaml", with one device for each share, "<UID>-<device>". The file holds JSON, which is
// YAML too. The agent can write it again from the claim's Holding at any time, so it is not synced to the disk. The file also has the
// Holding itself, as an annotation, from which Repair restores a journal that was lost.

#include <string>
#include <string_view>
#include <vector>

#include "base/file_system.h"
#include "node/prepare/container_edits.h"
#include "node/prepare/holding.h"

namespace allot::node {

// Returns the kind of our specs: "k8s.gpu.nvidia.com/claim".
std::string CdiKind(std::string_view driver);
// Returns the beginning of our files' names: "k8s.gpu.nvidia.com-claim_".
std::string CdiPrefix(std::string_view driver);

class Cdi {
 public:
  // The specs are in `folder`. `files` must outlive it.
  Cdi(FileSystem& files, std::string folder, std::string_view driver)
      : files_(files), folder_(std::move(folder)), kind_(CdiKind(driver)), prefix_(CdiPrefix(driver)) {}

  // Returns the ID by which the container runtime finds the share's device.
  std::string DeviceId(const Holding& holding, size_t share) const;

  // Writes the claim's file, unless it already says `edits`.
  Status Write(const Holding& holding, const ClaimEdits& edits);
  // Ok if there is no file.
  Status Remove(std::string_view uid);

  bool Has(std::string_view uid) const { return files_.Exists(PathOf(uid)); }
  // Reads from the file which claim it belongs to. kInvalid: the file does not say.
  Result<ClaimRef> ClaimOf(std::string_view uid) const;
  // Reads from the file what the claim held when it was written. kInvalid: the file does not say, since an older release wrote it.
  Result<Holding> HoldingOf(std::string_view uid) const;
  // Reads from the claim's file what containers get. kUnavailable: there is no file, or it has other shares than the holding.
  Result<ClaimEdits> EditsOf(const Holding& holding) const;
  // Returns the UIDs of the claims that have a file.
  Result<std::vector<std::string>> Uids() const;

  const std::string& folder() const { return folder_; }
  const std::string& prefix() const { return prefix_; }

 private:
  std::string PathOf(std::string_view uid) const;
  std::string Spec(const Holding& holding, const ClaimEdits& edits) const;
  Result<json::Document> Read(std::string_view uid) const;

  FileSystem& files_;
  const std::string folder_, kind_, prefix_;
};

}  // namespace allot::node

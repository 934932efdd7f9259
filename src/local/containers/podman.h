#pragma once
// Runs containers with podman (`allot up --runtime podman`). A container runs its Pod's image; of the machine's files it sees only those of
// its devices.
//
// `podman run` is the program that the container's shim runs (shim.h): it forwards signals, output and exit code, and is found again after
// a restart. The edits of the claim's CDI spec become flags, because podman's support for CDI differs between versions.
//
// podman may run as root for Pods of ordinary users. So a Pod controls only the values of specific flags: podman's environment is ours, and
// an image must come from a registry. If a shim is killed together with `podman run`, and the container's program has cleared its
// environment, the container may keep running until Forget; its claims are unprepared only after that.

#include <set>
#include <string>
#include <vector>

#include "base/file_system.h"
#include "base/process.h"
#include "base/status.h"
#include "json/value.h"
#include "local/containers/container_files.h"
#include "local/devices.h"
#include "local/pods/pod_environment.h"

namespace allot::local {

// kInvalid if the text is not an image name, or names a file.
Status CheckImageName(std::string_view image);

class Podman {
 public:
  // Finds podman in the PATH of `environment`. `folder`, an absolute path, is for our files. kNotFound, kUnsupported and kUnavailable say
  // what to do. `files` must outlive this object.
  static Result<Podman> Find(FileSystem& files, std::string folder, Environment environment);

  const std::string& version() const { return version_; }

  // The `podman run` command that the shim runs for the container. `edits` are those of its claims. Errors are those of
  // ContainerEnvironment and ImageUserOf, and kInvalid for values that cannot be passed to podman.
  Result<ContainerSpec> SpecOf(const json::Value& pod, const json::Value& container, const PodPlace& place, const ContainerEdits& edits,
                               const ObjectSource& objects) const;

  // Kills and removes the containers of the Pod. Ok if there are none. REQUIRES a deadline.
  Status Forget(std::string_view pod_uid, const std::vector<std::string>& containers, const Patience& patience) const;

 private:
  Podman(FileSystem& files, std::string folder, Environment environment)
      : files_(&files), folder_(std::move(folder)), environment_(std::move(environment)) {}

  std::string FolderOf(const std::string& name) const { return StrCat(folder_, "/", name); }
  Status AddVariables(const std::string& name, const Environment& variables, const std::set<std::string, std::less<>>& plain,
                      std::vector<std::string>& argv) const;
  Status AddDevices(const std::string& name, const ContainerEdits& edits, std::vector<std::string>& argv) const;

  FileSystem* files_;
  std::string folder_;
  Environment environment_;
  std::string version_;
};

}  // namespace allot::local

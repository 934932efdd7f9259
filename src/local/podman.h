#pragma once
// Containers by podman, where `allot up --runtime podman` asks for it: a Pod's image is run, and of the machine's files it sees only its
// devices'.
//
// `podman run` is a program as any other: it runs under the shim of the container (shim.h), passes on signals, output and exit code, and
// is found again after a restart. What the claim's CDI spec says is given to it as flags: versions of podman differ in which CDI they read,
// and from where.
//
// podman may run as root for Pods of ordinary users, so nothing of a Pod reaches it but as an argument with a meaning of its own: its
// environment is ours, and an image has to come from a registry. Where a shim is killed together with what it ran, and a container's
// program has dropped its environment, that container may go on until Forget, which comes before its claims are given back.

#include <set>
#include <string>
#include <vector>

#include "base/file_system.h"
#include "base/process.h"
#include "base/status.h"
#include "json/value.h"
#include "local/container_files.h"
#include "local/devices.h"
#include "local/pod_environment.h"

namespace allot::local {

// kInvalid: it is no name of an image, or one of a file.
Status CheckImageName(std::string_view image);

class Podman {
 public:
  // The podman of the environment's PATH. `folder`, absolute, is for files of ours. kNotFound, kUnsupported and kUnavailable say what to
  // do. `files` must outlive it.
  static Result<Podman> Find(FileSystem& files, std::string folder, Environment environment);

  const std::string& version() const { return version_; }

  // What the shim runs in the place of the container's program. `edits` is what its claims give. Errors as those of ContainerEnvironment
  // and ImageUserOf; kInvalid also for what podman cannot be given.
  Result<ContainerSpec> SpecOf(const json::Value& pod, const json::Value& container, const PodPlace& place, const ContainerEdits& edits,
                               const ObjectSource& objects) const;

  // Ends what is left of the containers, and takes it out of podman's books. Ok where there is nothing.
  // REQUIRES a deadline.
  Status Forget(std::string_view pod_uid, const std::vector<std::string>& containers, const http::Patience& patience) const;

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

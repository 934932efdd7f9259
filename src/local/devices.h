#pragma once
// What gives access to the devices of a claim: to a process, an environment; to a container, what CDI calls its edits.

#include <span>
#include <string>
#include <vector>

#include "base/process.h"
#include "base/status.h"
#include "http/dial.h"
#include "node/holding.h"

namespace allot::local {

struct ContainerEdits {
  struct File {
    std::string host, container;  // paths
    std::string options;          // "ro,nosuid"; of a device node "rw"

    friend bool operator==(const File&, const File&) = default;
  };

  Environment environment;
  std::vector<File> device_nodes, mounts;
  std::vector<std::vector<std::string>> hooks;  // programs with their arguments, to be run when the container has been made

  friend bool operator==(const ContainerEdits&, const ContainerEdits&) = default;
};

struct DeviceAccess {
  // Of a process. PATH, LD_LIBRARY_PATH and LD_PRELOAD are put in front of its own.
  Environment environment;
  ContainerEdits edits;

  friend bool operator==(const DeviceAccess&, const DeviceAccess&) = default;
};

// The access to the devices of both, in `access`.
void Merge(const DeviceAccess& more, DeviceAccess& access);

// What was prepared is kept until it is unprepared, also where the API lets go of the claim before.
// Safe to use from several threads.
class Devices {
 public:
  virtual ~Devices() = default;

  // Prepares the claim, all of it, where it is not yet; gives what a container of the named requests needs, of all requests where none is
  // named. May be called again at any time. kUnavailable: not now. Any other error: not as the claim is.
  virtual Result<DeviceAccess> Prepare(const node::ClaimRef& claim, std::span<const std::string> requests,
                                       const http::Patience& patience) = 0;
  // Somebody who was started before uses the claim, and did prepare it: as if Prepare had been called.
  virtual void Keep(const std::string& claim_uid) = 0;
  // No process uses the claim any more. Ok where it is not prepared.
  virtual Status Unprepare(const node::ClaimRef& claim, const http::Patience& patience) = 0;
};

}  // namespace allot::local

#pragma once
// Access to the devices of a claim: an environment for a process, or CDI's container edits for a container.

#include <span>
#include <string>
#include <vector>

#include "base/process.h"
#include "base/status.h"
#include "http/dial.h"
#include "node/prepare/holding.h"

namespace allot::local {

struct ContainerEdits {
  struct File {
    std::string host, container;  // paths
    std::string options;          // "ro,nosuid"; "rw" for a device node

    friend bool operator==(const File&, const File&) = default;
  };

  Environment environment;
  std::vector<File> device_nodes, mounts;
  std::vector<std::vector<std::string>> hooks;  // programs with their arguments, to be run when the container is created

  friend bool operator==(const ContainerEdits&, const ContainerEdits&) = default;
};

struct DeviceAccess {
  // For a process. PATH, LD_LIBRARY_PATH and LD_PRELOAD are put before its own values.
  Environment environment;
  ContainerEdits edits;

  friend bool operator==(const DeviceAccess&, const DeviceAccess&) = default;
};

// Adds the access to more devices to `access`.
void Merge(const DeviceAccess& more, DeviceAccess& access);

// A claim stays prepared until Unprepare, even if the API deallocates it before. Thread-safe.
class Devices {
 public:
  virtual ~Devices() = default;

  // Prepares the whole claim if it is not prepared yet. Returns what a container with the named requests needs; if none is named, with all
  // requests. May be called again at any time. kUnavailable: it may work later. Any other error: the claim cannot be prepared as it is.
  virtual Result<DeviceAccess> Prepare(const node::ClaimRef& claim, std::span<const std::string> requests, const Patience& patience) = 0;
  // Returns the variables that hide all devices from a process without a claim. It could open their device nodes.
  virtual Environment NoDevices() const = 0;
  // Keeps a claim that a process from before a restart uses, as if Prepare had been called.
  virtual void Keep(const std::string& claim_uid) = 0;
  // No process uses the claim any more. Ok if it is not prepared.
  virtual Status Unprepare(const node::ClaimRef& claim, const Patience& patience) = 0;
};

}  // namespace allot::local

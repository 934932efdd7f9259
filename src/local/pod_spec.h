#pragma once
// What a container of a Pod runs: its spec as processes have it.

#include <csignal>
#include <string>
#include <vector>

#include "local/container_files.h"
#include "local/pod_environment.h"
#include "local/pod_user.h"

namespace allot::local {

// The program with its arguments, the environment (with `devices`, which its claims give), the folder and the user. Besides what the Pod
// says, a program gets HOME, USER, LOGNAME, SHELL, PATH and HOSTNAME, unless the Pod has them. Errors as those of ContainerEnvironment and
// UserOf.
Result<ContainerSpec> MakeContainerSpec(const json::Value& pod, const json::Value& container, const PodPlace& place,
                                        const Environment& devices, const ObjectSource& objects);

// spec.hostname and the like, else the Pod's name.
std::string HostnameOf(const json::Value& pod);

// The signal that asks the container to end: lifecycle.stopSignal, else SIGTERM.
int StopSignalOf(const json::Value& container);

// What a container uses of one claim of its Pod.
struct ClaimUse {
  std::string claim;                  // the name of the ResourceClaim
  std::vector<std::string> requests;  // empty: all
};
// Sorted by claim. kUnavailable: a claim that is made from a template is not there yet.
Result<std::vector<ClaimUse>> ClaimsOf(const json::Value& pod, const json::Value& container);
// The names of all ResourceClaims of the Pod, sorted.
Result<std::vector<std::string>> ClaimsOf(const json::Value& pod);

}  // namespace allot::local

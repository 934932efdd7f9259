#pragma once
// The process of a container: how a Pod's container becomes a ContainerSpec.

#include <csignal>
#include <string>
#include <vector>

#include "local/containers/container_files.h"
#include "local/pods/pod_environment.h"
#include "local/pods/pod_user.h"

namespace allot::local {

// The program with its arguments, environment, folder and user. `devices` is the environment of its claims. The program also gets HOME,
// USER, LOGNAME, SHELL, PATH and HOSTNAME, unless the Pod sets them. Errors are those of ContainerEnvironment and UserOf.
Result<ContainerSpec> MakeContainerSpec(const json::Value& pod, const json::Value& container, const PodPlace& place,
                                        const Environment& devices, const ObjectSource& objects);

// spec.hostnameOverride, else spec.hostname, else the Pod's name.
std::string HostnameOf(const json::Value& pod);

// The signal that stops the container: lifecycle.stopSignal, else SIGTERM.
int StopSignalOf(const json::Value& container);

// The requests of one claim that a container uses.
struct ClaimUse {
  std::string claim;                  // the name of the ResourceClaim
  std::vector<std::string> requests;  // empty: all
};
// Sorted by claim. kUnavailable if a claim of a template has not been created yet.
Result<std::vector<ClaimUse>> ClaimsOf(const json::Value& pod, const json::Value& container);
// The names of all ResourceClaims of the Pod, sorted.
Result<std::vector<std::string>> ClaimsOf(const json::Value& pod);

}  // namespace allot::local

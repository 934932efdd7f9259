#pragma once
// The environment variables of a container: env and envFrom, with Kubernetes' rules.

#include <functional>
#include <string>
#include <string_view>

#include "base/process.h"
#include "base/status.h"
#include "json/value.h"
#include "kube/object.h"

namespace allot::local {

// Gets an object from the API; kNotFound if it does not exist.
using ObjectSource =
    std::function<Result<kube::ObjectPtr>(const kube::ResourceType& type, std::string_view namespace_name, std::string_view name)>;

// Where a Pod runs, for fieldRef and resourceFieldRef.
struct PodPlace {
  std::string node;
  std::string address = "127.0.0.1";
};

// The variables of the container's env and envFrom, and no others. kNotFound names a missing object or key, which may be created later;
// kInvalid names an invalid value.
Result<Environment> ContainerEnvironment(const json::Value& pod, const json::Value& container, const PodPlace& place,
                                         const ObjectSource& objects);

// Replaces each $(NAME) by the variable's value. An unknown name stays unchanged; $$ becomes $.
std::string ExpandVariables(std::string_view text, const Environment& variables);

// Adds `devices` to `environment`: search paths (PATH, LD_LIBRARY_PATH, LD_PRELOAD) are prepended, all other variables replaced.
void AddDeviceEnvironment(const Environment& devices, Environment& environment);
// Adds the environment of another claim to `devices`: search paths and lists of devices (*_VISIBLE_DEVICES) are joined, all other variables
// replaced.
void MergeDeviceEnvironment(const Environment& more, Environment& devices);

}  // namespace allot::local

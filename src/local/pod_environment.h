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

// An object of the API. kNotFound: there is none of that name.
using ObjectSource =
    std::function<Result<kube::ObjectPtr>(const kube::ResourceType& type, std::string_view namespace_name, std::string_view name)>;

// Where a Pod runs: what fieldRef and resourceFieldRef can ask for besides the Pod itself.
struct PodPlace {
  std::string node;
  std::string address = "127.0.0.1";
};

// What env and envFrom of the container say, and nothing else. Errors name what is missing (kNotFound: it may come) or wrong (kInvalid).
Result<Environment> ContainerEnvironment(const json::Value& pod, const json::Value& container, const PodPlace& place,
                                         const ObjectSource& objects);

// `text` with each $(NAME) replaced by its variable; what is not known stays as it is, and $$ is a $.
std::string ExpandVariables(std::string_view text, const Environment& variables);

// `devices` on top of `environment`: search paths (PATH, LD_LIBRARY_PATH, LD_PRELOAD) go in front of those that are there, lists of devices
// (*_VISIBLE_DEVICES) that both claims' environments have become one, anything else is replaced.
void AddDeviceEnvironment(const Environment& devices, Environment& environment);
// The environments of several claims as one, by the same rules.
void MergeDeviceEnvironment(const Environment& more, Environment& devices);

}  // namespace allot::local

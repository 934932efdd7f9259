#pragma once
// The facts about the cluster that a translation needs beside the Pod. Values only: a dialect never calls a server.

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "model/claim.h"
#include "model/memory.h"

namespace allot::dialect {

struct Facts {
  std::vector<const model::DeviceClass*> classes;  // all of the cluster, by name; not owned
  // Resources that a device plugin offers on some node. allot claims them on no node. (Kubernetes decides this node by node.)
  std::set<std::string, std::less<>> plugin_resources;
  std::vector<model::MiB> gpu_sizes;  // the memory of every GPU, in any order, with repetitions
};

}  // namespace allot::dialect

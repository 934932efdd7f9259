#pragma once
// What a container with a claim gets, in CDI's terms (https://github.com/cncf-tags/container-device-interface/blob/main/SPEC.md).

#include <string>
#include <utility>
#include <vector>

namespace allot::node {

struct ContainerEdits {
  struct Mount {
    std::string host, container;  // paths
    std::vector<std::string> options;
  };

  std::vector<std::string> env;                            // "NAME=value"
  std::vector<std::pair<std::string, std::string>> nodes;  // device nodes: in the container, on the host
  std::vector<Mount> mounts;
  std::vector<std::vector<std::string>> hooks;  // programs with their arguments, run when the container is created
};

struct ClaimEdits {
  std::vector<ContainerEdits> shares;  // one for each share; none is empty, because CDI refuses a device without edits
  ContainerEdits common;               // for containers with any of the shares
};

}  // namespace allot::node

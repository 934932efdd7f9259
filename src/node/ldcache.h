#pragma once
// The hook that tells a container's linker where the driver's libraries are. The container runtime runs it as the OCI hook createContainer.
//
// The container's files come from an image that can hold anything. So links are followed only inside the container's root, and the
// machine's own ldconfig runs with that root: the hook executes nothing of the image and writes nothing outside the container.

#include <string>
#include <string_view>
#include <vector>

#include "base/file_system.h"
#include "base/status.h"

namespace allot::node {

// Returns the folder of the container's files. `state` is the OCI state that the runtime writes to the hook's stdin.
Result<std::string> ContainerRoot(const FileSystem& files, std::string_view state);

// Adds the folders to the container's linker configuration and rebuilds its cache. A container without /etc has no linker; ok without
// doing anything.
Status UpdateLdCache(const std::string& root, const std::vector<std::string>& folders);

}  // namespace allot::node

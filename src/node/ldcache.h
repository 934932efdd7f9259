#pragma once
// The hook that tells a container's linker where the driver's libraries are (OCI hook createContainer, run by the container runtime).
//
// The container's files are whatever somebody put into an image: links in them are followed only inside of the container's root, and the
// machine's own ldconfig runs with that as its root, so that nothing of the image is executed and nothing outside can be written.

#include <string>
#include <string_view>
#include <vector>

#include "base/file_system.h"
#include "base/status.h"

namespace allot::node {

// The folder of the container's files: `state` is the OCI state that the runtime writes to the hook's stdin.
Result<std::string> ContainerRoot(const FileSystem& files, std::string_view state);

// Adds the folders to the container's linker configuration and makes its cache anew. Ok, without doing anything, in a container without
// /etc: it has no linker either.
Status UpdateLdCache(const std::string& root, const std::vector<std::string>& folders);

}  // namespace allot::node

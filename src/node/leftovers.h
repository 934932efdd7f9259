#pragma once
// Temporary files that a killed agent left (FileSystem::ReplaceFile).

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/file_system.h"

namespace allot::node {

// Removes those of files whose name begins with `prefix`, in `folder`, that nobody has written to since `before`. What fails is tried again
// the next time.
void RemoveLeftovers(FileSystem& files, const std::string& folder, std::string_view prefix, WallTime before);

}  // namespace allot::node

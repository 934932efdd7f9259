#pragma once
// Temporary files that a killed agent left (FileSystem::ReplaceFile).

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/file_system.h"

namespace allot::node {

// Removes the temporary files in `folder` whose names begin with `prefix` and that were last written before `before`. Ignores errors, since
// the next call tries again.
void RemoveLeftovers(FileSystem& files, const std::string& folder, std::string_view prefix, WallTime before);

}  // namespace allot::node

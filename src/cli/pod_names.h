#pragma once
// Names of Pods on a command line.

#include <span>
#include <string>
#include <vector>

#include "base/status.h"

namespace allot::cli {

// Returns the names, each once, of "train", "pod/train", "pods/train", "po/train", or names after a "pod". kInvalid for another kind, or an
// invalid name.
Result<std::vector<std::string>> PodNames(std::span<const std::string> operands);

}  // namespace allot::cli

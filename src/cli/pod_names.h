#pragma once
// Pods as people name them on a command line.

#include <span>
#include <string>
#include <vector>

#include "base/status.h"

namespace allot::cli {

// "train", "pod/train", "pods/train", "po/train", or a "pod" in front of names: the names alone, each once. kInvalid for another kind,
// and a name that cannot be one.
Result<std::vector<std::string>> PodNames(std::span<const std::string> operands);

}  // namespace allot::cli

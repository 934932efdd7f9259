#pragma once
// The runtime of Pods cannot change while there are Pods: a command written for an image must not run on the machine, nor the other way
// round, because `allot up` was started with another runtime.

#include <string>

#include "base/file_system.h"
#include "base/status.h"
#include "http/dial.h"
#include "kube/client.h"
#include "local/state_folder.h"

namespace allot::local {

// Writes the name of the runtime ("process", "podman") to the folder's file `runtime`. kInvalid if the file names another runtime and there
// are Pods that have not ended; the error names some of them, and says what to do.
Status KeepRuntime(kube::Client& client, FileSystem& files, const StateFolder& folder, std::string_view runtime, const Patience& patience);

}  // namespace allot::local

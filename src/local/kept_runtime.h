#pragma once
// What runs the Pods stays the same while there are any: a command that was written for an image must not run on the machine because
// `allot up` was started another way, nor the other way round.

#include <string>

#include "base/file_system.h"
#include "base/status.h"
#include "http/dial.h"
#include "kube/client.h"
#include "local/state_folder.h"

namespace allot::local {

// Writes the name of the runtime ("process", "podman") into the folder (its file `runtime`). kInvalid where there are Pods that have not
// ended and another one is there; it names some, and what to do.
Status KeepRuntime(kube::Client& client, FileSystem& files, const StateFolder& folder, std::string_view runtime,
                   const http::Patience& patience);

}  // namespace allot::local

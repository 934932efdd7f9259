#pragma once
// `allot kubeconfig`: creates a kubeconfig of the caller for the API server of this machine.

#include <string>

#include "base/status.h"
#include "cli/program/args.h"

namespace allot::cli {

Verb KubeconfigVerb();

// Returns `own` if a server listens there, else `machine`; `own` also if it exists and no server listens at either.
std::string ChooseSocket(const std::string& own, const std::string& machine);

// Asks the server at this unix socket for a kubeconfig of the calling user. kUnavailable, with the server's message if there is one, if the
// server does not answer or refuses.
Result<std::string> AskForKubeconfig(const std::string& socket);

}  // namespace allot::cli

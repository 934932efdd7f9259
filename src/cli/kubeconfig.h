#pragma once
// `allot kubeconfig`: a kubeconfig of one's own for the API of this machine.

#include <string>

#include "base/status.h"
#include "cli/args.h"

namespace allot::cli {

Verb KubeconfigVerb();

// The socket of the user's own server where one runs, else that of the machine's.
std::string ChooseSocket(const std::string& own, const std::string& machine);

// Asks the server whose unix socket this is for a kubeconfig of the user who runs this. kUnavailable where no server answers; else what it
// says.
Result<std::string> AskForKubeconfig(const std::string& socket);

}  // namespace allot::cli

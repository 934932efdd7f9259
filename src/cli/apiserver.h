#pragma once
// `allot apiserver`: the embedded Kubernetes API, alone.

#include <string>
#include <vector>

#include "base/process.h"
#include "base/status.h"
#include "cli/args.h"

namespace allot::cli {

Verb ApiserverVerb();

// Where a server keeps its things unless told otherwise: /var/lib/allot/api for root, else allot/api below XDG_DATA_HOME or ~/.local/share.
inline constexpr char kSystemDataFolder[] = "/var/lib/allot/api";
std::string DefaultDataFolder(bool is_root, const Environment& environment);

// The address as the system writes it: "::1" for "0:0::1". kInvalid, naming the flag, for what is none.
Result<std::string> ListenAddress(const std::string& text);
Result<int> ListenPort(const std::string& text);

// The names for the certificate of a server that listens on `address`: itself, or, where that is all of them, those of the `interfaces`;
// the machine's; and what this machine is to itself. Sorted. A `hostname` that can be no DNS name is left out.
std::vector<std::string> ServingNames(const std::string& address, const std::string& hostname, const std::vector<std::string>& interfaces);

// What went wrong at the start, and what to do about it.
Status WithAdvice(const Status& status, const std::string& folder);

}  // namespace allot::cli

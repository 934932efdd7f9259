#pragma once
// `allot apiserver`: runs the embedded Kubernetes API alone.

#include <string>
#include <vector>

#include "apiserver/data_folder.h"
#include "base/process.h"
#include "base/status.h"
#include "cli/program/args.h"
#include "local/api_home.h"

namespace allot::cli {

Verb ApiserverVerb();

// The default of --data: /var/lib/allot/api for root, else allot/api below XDG_DATA_HOME or ~/.local/share. Empty if HOME is not an
// absolute path.
inline constexpr char kSystemDataFolder[] = "/var/lib/allot/api";
std::string DefaultDataFolder(bool is_root, const Environment& environment);

// The address as the system writes it: "::1" for "0:0::1". kInvalid, with the flag's name, if it is not an IP address.
Result<std::string> ListenAddress(const std::string& text);
Result<int> ListenPort(const std::string& text);

// The flags of a server, which `allot up` takes, too, and their values.
std::vector<Flag> ApiFlags();
Result<local::ApiHomeOptions> ApiOptions(const Arguments& arguments);
// The absolute path of --data or its default. kInvalid if there is neither.
Result<std::string> DataPath(const Arguments& arguments);
Result<apiserver::DataFolder> OpenData(const Arguments& arguments);

// Adds what to do to an error of starting a server.
Status WithAdvice(const Status& status, const std::string& folder);

}  // namespace allot::cli

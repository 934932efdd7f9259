#pragma once
// `allot apiserver`: the embedded Kubernetes API, alone.

#include <string>
#include <vector>

#include "apiserver/data_folder.h"
#include "base/process.h"
#include "base/status.h"
#include "cli/args.h"
#include "local/api_home.h"

namespace allot::cli {

Verb ApiserverVerb();

// Where a server keeps its things unless told otherwise: /var/lib/allot/api for root, else allot/api below XDG_DATA_HOME or ~/.local/share.
// Empty: nowhere, as HOME does not say where the user's things are.
inline constexpr char kSystemDataFolder[] = "/var/lib/allot/api";
std::string DefaultDataFolder(bool is_root, const Environment& environment);

// The address as the system writes it: "::1" for "0:0::1". kInvalid, naming the flag, for what is none.
Result<std::string> ListenAddress(const std::string& text);
Result<int> ListenPort(const std::string& text);

// The flags of a server, of which `allot up` is one, too, and what they say.
std::vector<Flag> ApiFlags();
Result<local::ApiHomeOptions> ApiOptions(const Arguments& arguments);
// The folder of --data or its default, absolute. kInvalid: neither is there.
Result<std::string> DataPath(const Arguments& arguments);
Result<apiserver::DataFolder> OpenData(const Arguments& arguments);

// What went wrong at the start, and what to do about it.
Status WithAdvice(const Status& status, const std::string& folder);

}  // namespace allot::cli

#pragma once
// The folder of a server: its store, its secrets, and the socket that users of the machine connect to.

#include <string>

#include "base/file_system.h"
#include "base/random.h"
#include "base/status.h"

namespace allot::apiserver {

struct DataFolder {
  std::string path;

  std::string store() const { return path + "/store.db"; }
  std::string socket() const { return path + "/api.sock"; }
  std::string tokens() const { return path + "/tokens"; }
  std::string admin_token() const { return path + "/admin.token"; }
  std::string admin_config() const { return path + "/admin.conf"; }
  std::string pki() const { return path + "/pki"; }
};

// Makes the folder where there is none, so that users get through it to the socket but cannot list it (mode 0711). kInvalid where others
// than its owner may write to it, or it belongs to another user; kUnavailable where it cannot be made or written to. From here on the
// process makes files that only its user can read (umask 077).
Result<DataFolder> OpenDataFolder(const std::string& path);

// The secret that is in the file, or a new one that is then there. kInvalid for a file without one.
Result<std::string> OpenAdminToken(FileSystem& files, Random& random, const std::string& path);

}  // namespace allot::apiserver

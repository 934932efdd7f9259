#pragma once
// The folder of a server: its store, its secrets, and the socket for users of the machine.

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

// Creates the folder if it is missing, with mode 0711: users can reach the socket but cannot list the folder. Returns kInvalid if other
// users may write to it or it belongs to another user; kUnavailable if it cannot be made or written. From then on the process creates files
// that only its user can read (umask 077).
Result<DataFolder> OpenDataFolder(const std::string& path);

// Returns the secret in the file, or writes a new one. Returns kInvalid for a file without a secret.
Result<std::string> OpenAdminToken(FileSystem& files, Random& random, const std::string& path);

}  // namespace allot::apiserver

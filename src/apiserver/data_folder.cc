#include "apiserver/data_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace allot::apiserver {
namespace {

constexpr size_t kShortestToken = 16;

// Makes parent folders with the usual mode, because every user must pass through /var/lib/allot.
Status MakeFolder(const std::string& path) {
  struct stat found = {};
  if (::stat(path.c_str(), &found) == 0) return Status();
  ::umask(0022);
  TRY(PosixFileSystem().MakeDirs(path));
  if (::chmod(path.c_str(), 0711) != 0) return Unavailable("set the mode of ", path, ": ", std::strerror(errno));
  return Status();
}

bool Exists(const std::string& path) {
  struct stat found = {};
  return ::stat(path.c_str(), &found) == 0;
}

// An interrupted first start also leaves an empty store, but not the files that only a running server makes.
Status CheckStore(const DataFolder& folder) {
  struct stat store = {};
  if (::stat(folder.store().c_str(), &store) != 0 || store.st_size > 0) return Status();
  for (const std::string& sign : {folder.admin_config(), folder.tokens()}) {
    if (!Exists(sign)) continue;
    return Invalid(folder.store(), ": is empty, but a server has run here (it wrote ", sign,
                   "); restore it from a copy, or remove it to start again without objects");
  }
  return Status();
}

}  // namespace

Result<DataFolder> OpenDataFolder(const std::string& path) {
  // KUBECONFIG, PATH and LD_LIBRARY_PATH separate paths by colons, and output has one path per line.
  if (path.find_first_of(":\n") != path.npos)
    return Invalid(Quoted(path), ": a folder with a colon or a line break in its path cannot be used");
  const mode_t before = ::umask(0077);
  const Status made = MakeFolder(path);
  ::umask(before | 0077);
  TRY(made);
  struct stat folder = {};
  if (::stat(path.c_str(), &folder) != 0) return Unavailable("look at ", path, ": ", std::strerror(errno));
  if (!S_ISDIR(folder.st_mode)) return Invalid(path, " is not a folder");
  // A user who can write there could replace the store, a token or a certificate.
  if (folder.st_uid != ::geteuid())
    return Invalid(path, " belongs to user ", folder.st_uid, ", but this process runs as user ", ::geteuid());
  if ((folder.st_mode & 0022) != 0) return Invalid(path, ": other users may write there; run `chmod go-w ", path, "`");
  if (::access(path.c_str(), W_OK | X_OK) != 0) return Unavailable("write to ", path, ": ", std::strerror(errno));
  DataFolder opened{path};
  for (const std::string& secret : {opened.store(), opened.tokens(), opened.admin_token(), opened.admin_config(), opened.pki()}) {
    struct stat file = {};
    if (::stat(secret.c_str(), &file) != 0 || (file.st_mode & 0077) == 0) continue;
    return Invalid(secret, ": other users may read it; run `chmod go= ", secret,
                   "`. It may no longer be a secret: ", "the server makes a new admin.token or pki if you remove the old one");
  }
  TRY(CheckStore(opened));
  return opened;
}

Result<std::string> OpenAdminToken(FileSystem& files, Random& random, const std::string& path) {
  if (files.Exists(path)) {
    ASSIGN_OR_RETURN(const std::string text, files.ReadFile(path, 4096));
    std::string token(Trim(text));
    if (token.size() < kShortestToken) return Invalid(path, ": has no token; remove it, and the server makes a new one");
    return token;
  }
  std::string token = Uuid4(random) + Uuid4(random);
  TRY(files.WriteFileAtomic(path, token + "\n"));
  return token;
}

}  // namespace allot::apiserver

#include "apiserver/data_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace allot::apiserver {
namespace {

constexpr size_t kShortestToken = 16;

// Those above it as others have them: /var/lib/allot is for everybody to pass.
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

// A first start that was cut off leaves an empty store as well, but neither of the files that only a server that runs makes.
Status CheckStore(const DataFolder& folder) {
  struct stat store = {};
  if (::stat(folder.store().c_str(), &store) != 0 || store.st_size > 0) return Status();
  for (const std::string& sign : {folder.admin_config(), folder.tokens()}) {
    if (!Exists(sign)) continue;
    return Invalid(folder.store(), ": is empty, though a server has run here (", sign,
                   " is its); restore it from a copy, or remove it to begin anew, without objects");
  }
  return Status();
}

}  // namespace

Result<DataFolder> OpenDataFolder(const std::string& path) {
  // KUBECONFIG, PATH and LD_LIBRARY_PATH are lists with colons; what is printed of it has a line for itself.
  if (path.find_first_of(":\n") != path.npos)
    return Invalid(Quoted(path), ": a folder with a colon or a line's end in its path cannot be used");
  const mode_t before = ::umask(0077);
  const Status made = MakeFolder(path);
  ::umask(before | 0077);
  TRY(made);
  struct stat folder = {};
  if (::stat(path.c_str(), &folder) != 0) return Unavailable("look at ", path, ": ", std::strerror(errno));
  if (!S_ISDIR(folder.st_mode)) return Invalid(path, " is no folder");
  // Who can write there could put a store, a token or a certificate of their own in place of ours.
  if (folder.st_uid != ::geteuid()) return Invalid(path, " belongs to user ", folder.st_uid, ", and this is user ", ::geteuid());
  if ((folder.st_mode & 0022) != 0) return Invalid(path, ": others may write there; `chmod go-w ", path, "` ends that");
  if (::access(path.c_str(), W_OK | X_OK) != 0) return Unavailable("write to ", path, ": ", std::strerror(errno));
  DataFolder opened{path};
  for (const std::string& secret : {opened.store(), opened.tokens(), opened.admin_token(), opened.admin_config(), opened.pki()}) {
    struct stat file = {};
    if (::stat(secret.c_str(), &file) != 0 || (file.st_mode & 0077) == 0) continue;
    return Invalid(secret, ": others than its owner may read it; `chmod go= ", secret,
                   "` ends that, and what they may have read is no secret ",
                   "any more: of admin.token and pki, a new one is made where the old one is removed");
  }
  TRY(CheckStore(opened));
  return opened;
}

Result<std::string> OpenAdminToken(FileSystem& files, Random& random, const std::string& path) {
  if (files.Exists(path)) {
    ASSIGN_OR_RETURN(const std::string text, files.ReadFile(path, 4096));
    std::string token(Trim(text));
    if (token.size() < kShortestToken) return Invalid(path, ": holds no token; remove it, and a new one is made");
    return token;
  }
  std::string token = Uuid4(random) + Uuid4(random);
  TRY(files.WriteFileAtomic(path, token + "\n"));
  return token;
}

}  // namespace allot::apiserver

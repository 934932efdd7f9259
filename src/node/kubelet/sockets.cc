#include "node/kubelet/sockets.h"

#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/system_error.h"

namespace allot::node {
namespace {

constexpr size_t kMaxPath = sizeof(sockaddr_un::sun_path) - 1;

std::string HiddenName(const std::string& path) {
  std::string hidden = path;
  hidden.insert(path.rfind('/') + 1, ".");
  return hidden;
}

Status CheckLength(const std::string& path, std::string_view flag) {
  const size_t length = HiddenName(path).size();
  if (length <= kMaxPath) return Status();
  return Invalid("socket ", path, ": the path is ", length - kMaxPath, " bytes too long for a unix socket; shorten ", flag,
                 " or the driver's name");
}

}  // namespace

Status MakePrivateDirs(const std::string& path) {
  for (size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string dir = path.substr(0, end);
    if (mkdir(dir.c_str(), 0750) != 0 && errno != EEXIST) return SystemFailure(errno, "make directory ", dir, ": ", std::strerror(errno));
    if (end == std::string::npos) return Status();
  }
}

Result<SocketPaths> PathsOf(const SocketPlaces& places) {
  const std::string suffix = places.pod_uid.empty() ? "" : StrCat("-", places.pod_uid);
  SocketPaths paths{.service = StrCat(places.plugins_dir, "/", places.driver, "/dra", suffix, ".sock"),
                    .registration = StrCat(places.registry_dir, "/", places.driver, suffix, "-reg.sock")};
  TRY(CheckLength(paths.service, "--kubelet-plugins-directory-path"));
  TRY(CheckLength(paths.registration, "--kubelet-registrar-directory-path"));
  return paths;
}

Result<http::Listener> ListenAt(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return Invalid("listen on ", path, ": the path has no directory");
  TRY(MakePrivateDirs(path.substr(0, slash)));
  struct stat file = {};
  if (lstat(path.c_str(), &file) == 0 && !S_ISSOCK(file.st_mode)) {
    return Invalid("listen on ", path, ": the file exists and is not a socket; remove it");
  }
  ASSIGN_OR_RETURN(http::Listener listener, http::Listener::Unix(HiddenName(path), 0600));
  TRY(listener.MoveTo(path));
  return listener;
}

}  // namespace allot::node

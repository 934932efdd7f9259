#include "cli/local_api.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <optional>
#include <vector>

#include "apiserver/access/local_users.h"
#include "apiserver/data_folder.h"
#include "base/process.h"
#include "base/strings.h"
#include "cli/up/apiserver.h"

namespace allot::cli {
namespace {

constexpr std::string_view kUnix = "unix://";

}  // namespace

std::string ServerUrlOf(const std::string& text) { return text.starts_with('/') ? StrCat(kUnix, text) : text; }

std::string SocketOf(std::string_view url) { return url.starts_with(kUnix) ? std::string(url.substr(kUnix.size())) : ""; }

bool Listens(const std::string& socket) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (socket.size() >= sizeof address.sun_path) return false;
  std::memcpy(address.sun_path, socket.data(), socket.size());
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return false;
  const bool connected = ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  ::close(fd);
  return connected;
}

std::string NamespaceAt(const std::string& socket) {
  struct stat info = {};
  const uid_t self = ::geteuid();
  if (self == 0 || (::stat(socket.c_str(), &info) == 0 && info.st_uid == self)) return "default";
  const std::optional<std::string> user = apiserver::UserName(self);
  return user ? apiserver::SpaceOf(*user) : "default";
}

LocalApi FindLocalApi() {
  const Environment environment = ProcessEnvironment();
  std::vector<std::string> folders;
  if (const auto config = environment.find("KUBECONFIG"); config != environment.end() && !config->second.empty()) {
    folders.push_back(std::filesystem::path(config->second).parent_path().string());
  }
  if (std::string own = DefaultDataFolder(::geteuid() == 0, environment); !own.empty()) folders.push_back(std::move(own));
  folders.emplace_back(kSystemDataFolder);
  for (const std::string& folder : folders) {
    std::error_code ignored;
    const std::string path = std::filesystem::absolute(folder, ignored).lexically_normal().string();
    const std::string socket = apiserver::DataFolder{path}.socket();
    if (Listens(socket)) return {socket, NamespaceAt(socket)};
  }
  return {};
}

}  // namespace allot::cli

#pragma once
// The API server of this machine (`allot up`, `allot apiserver`), by its unix socket: no kubeconfig is needed.

#include <string>
#include <string_view>

namespace allot::cli {

struct LocalApi {
  std::string socket;                  // an absolute path; empty: no server answers
  std::string name_space = "default";  // the caller's own
};

// The one whose kubeconfig KUBECONFIG names, the user's own, the machine's: the first at whose socket somebody listens.
LocalApi FindLocalApi();

// The caller's own namespace at the server of this socket: who started it has "default".
std::string NamespaceAt(const std::string& socket);

// What --server says, as a URL: that of the unix socket where it is an absolute path, else the text itself.
std::string ServerUrlOf(const std::string& text);
// The path of the unix socket of such a URL; empty: it is another one.
std::string SocketOf(std::string_view url);

// Whether somebody listens at the socket, and lets us in.
bool Listens(const std::string& socket);

}  // namespace allot::cli

#pragma once
// Finds the API server of this machine (`allot up`, `allot apiserver`) by its unix socket, without a kubeconfig.

#include <string>
#include <string_view>

namespace allot::cli {

struct LocalApi {
  std::string socket;                  // an absolute path; empty: no server answers
  std::string name_space = "default";  // the caller's own
};

// The first of these servers that listens: that of the kubeconfig in KUBECONFIG, the user's own, the machine's.
LocalApi FindLocalApi();

// The caller's own namespace at the server of this socket; "default" for the user who started the server.
std::string NamespaceAt(const std::string& socket);

// The value of --server as a URL: an absolute path becomes that of the unix socket, other text stays as it is.
std::string ServerUrlOf(const std::string& text);
// The path of the unix socket of such a URL; empty for other URLs.
std::string SocketOf(std::string_view url);

// Whether a server listens at the socket and accepts our connection.
bool Listens(const std::string& socket);

}  // namespace allot::cli

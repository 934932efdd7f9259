#pragma once
// Where the sockets of a driver are, and how they appear there.
//
//   <plugins>/<driver>/dra.sock         where kubelet finds the driver's services
//   <registry>/<driver>-reg.sock        the Registration service, which kubelet watches for
//
// With a Pod's UID in their names (dra-<uid>.sock, <driver>-<uid>-reg.sock) two agents can run at once, as they do while a DaemonSet is
// updated. Kubelet 1.33 and later accepts both, and prefers the one that registered last.

#include <string>

#include "base/status.h"
#include "http/listener.h"

namespace allot::node {

struct SocketPlaces {
  std::string plugins_dir = "/var/lib/kubelet/plugins";
  std::string registry_dir = "/var/lib/kubelet/plugins_registry";
  std::string driver;
  std::string pod_uid;  // empty: one agent at a time
};

struct SocketPaths {
  std::string service, registration;
};

// kInvalid: a path is too long for a unix socket. The message says by how much, and which flag to shorten.
Result<SocketPaths> PathsOf(const SocketPlaces& places);

// Makes the folder and its missing parents, accessible to our user and group only.
Status MakePrivateDirs(const std::string& path);

// Returns a socket that answers from the moment its file appears: it is made under a hidden name, which kubelet ignores, and renamed when
// it listens. Connections wait in the kernel until they are accepted. Only our user may connect. Missing directories are made, accessible
// to our user and group only.
//
// Replaces the socket of another agent, alive or not. The listener removes the file at its end, unless another agent has replaced it.
// kInvalid: there is a file that is not a socket. kUnavailable: the kernel's error.
Result<http::Listener> ListenAt(const std::string& path);

}  // namespace allot::node

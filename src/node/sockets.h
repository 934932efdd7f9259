#pragma once
// Where the sockets of the node agent are, and how they appear there.
//
//   <plugins>/<driver>/dra.sock         where kubelet finds the driver's services
//   <registry>/<driver>-reg.sock        which kubelet watches for: the Registration service
//
// With a Pod's UID (dra-<uid>.sock, <driver>-<uid>-reg.sock) two agents may run at once, as they do while a DaemonSet is updated.
// Kubelet 1.33 and later takes both, and prefers the one that registered last.

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

// kInvalid: a path is too long for a unix socket; the message says by how much, and which flag to shorten.
Result<SocketPaths> PathsOf(const SocketPlaces& places);

// Makes the folder and those above it that are missing, for our user and group alone.
Status MakePrivateDirs(const std::string& path);

// A socket that answers from the moment its file appears: it is made under a hidden name, which kubelet ignores, and renamed when it
// listens; who connects before somebody accepts waits in the kernel. Only our user may connect. The directories above are made where
// they are missing, for our user and group alone.
//
// Takes the place of what another agent, alive or not, left there. The listener removes the file, unless another agent took it in turn.
// kInvalid where the file is no socket; kUnavailable with what the kernel said.
Result<http::Listener> ListenAt(const std::string& path);

}  // namespace allot::node

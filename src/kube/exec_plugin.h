#pragma once
// A program of the user's that says who we are: `users[].user.exec` of a kubeconfig, client.authentication.k8s.io v1 and v1beta1.
//
// It is run when a grant is asked for and there is none that is good, never by a shell, with KUBERNETES_EXEC_INFO as its input. Its answer
// is kept until it expires, or is rejected where it does not. What it writes to stderr is for the user and goes there. It is in our process
// group, so that Ctrl-C ends both of us.

#include <memory>
#include <string>
#include <vector>

#include "base/process.h"
#include "json/value.h"
#include "kube/config.h"
#include "kube/credentials.h"
#include "model/reader.h"

namespace allot::kube {

struct ExecPlugin {
  enum class Interactive { kNever, kIfAvailable, kAlways };

  std::string user;     // the name in the kubeconfig, for messages
  std::string command;  // with a slash: a path; else looked for in PATH
  std::vector<std::string> args;
  Environment env;  // added to our own
  std::string api_version;
  Interactive interactive = Interactive::kIfAvailable;
  bool provide_cluster_info = false;
  std::string cluster_info;  // JSON for spec.cluster; empty: not told
  std::string install_hint;  // without control characters
};

// Reads the `exec` of a user; what is wrong is remembered by the reader. A relative command with a slash is relative to `folder`.
ExecPlugin ReadExecPlugin(const model::Reader& exec, const std::string& folder);

// What a plugin may know about the cluster: `config`'s, the text of its certificate authority, and the cluster's extension
// client.authentication.k8s.io/exec (null: none).
std::string ExecClusterInfo(const Config& config, const std::string& ca_pem, const json::Value& extension);

// The sources' clock must outlive it.
std::shared_ptr<Credentials> ExecCredentials(ExecPlugin plugin, const ConfigSources& sources);

}  // namespace allot::kube

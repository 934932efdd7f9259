#pragma once
// Runs the user's credential plugin: `users[].user.exec` of a kubeconfig, client.authentication.k8s.io v1 and v1beta1.
//
// The plugin runs when a grant is needed and no valid one is cached. It runs without a shell and gets its input in KUBERNETES_EXEC_INFO.
// Its answer is kept until it expires, or until it is rejected if it has no expiry. Its stderr goes to the user. It is in this process's
// group, so Ctrl-C ends both.

#include <memory>
#include <string>
#include <vector>

#include "base/process.h"
#include "json/value.h"
#include "kube/config/config.h"
#include "kube/config/credentials.h"
#include "model/reader.h"

namespace allot::kube {

struct ExecPlugin {
  enum class Interactive { kNever, kIfAvailable, kAlways };

  std::string user;     // the name in the kubeconfig, for messages
  std::string command;  // a path if it contains a slash, else searched in PATH
  std::vector<std::string> args;
  Environment env;  // added to this process's environment
  std::string api_version;
  Interactive interactive = Interactive::kIfAvailable;
  bool provide_cluster_info = false;
  std::string cluster_info;  // JSON for spec.cluster; empty: not passed
  std::string install_hint;  // without control characters
};

// Reads the `exec` of a user; `exec` records errors. A relative command with a slash is relative to `folder`.
ExecPlugin ReadExecPlugin(const model::Reader& exec, const std::string& folder);

// Returns what a plugin may know about the cluster: values of `config`, the text of its certificate authority, and the cluster's extension
// client.authentication.k8s.io/exec (null if it has none).
std::string ExecClusterInfo(const Config& config, const std::string& ca_pem, const json::Value& extension);

// The sources' clock must outlive it.
std::shared_ptr<Credentials> ExecCredentials(ExecPlugin plugin, const ConfigSources& sources);

}  // namespace allot::kube

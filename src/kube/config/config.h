#pragma once
// Finds the API server and the identity to use, from a kubeconfig or inside a cluster, as kubectl does.
//
// The first of these that exists counts:
//   1. the kubeconfig of --kubeconfig;
//   2. the files of KUBECONFIG, merged: the first file with a named entry, or a current-context, wins; missing files are skipped;
//   3. ~/.kube/config, unless it is missing or empty;
//   4. the service account of the Pod that this process runs in;
//   5. --server alone;
//   6. a server on this machine, if the caller names its socket.
// Only the selected context must be valid: other clusters and users may be broken or of an unknown kind. An error names the file and the
// field: "/home/x/.kube/config: users[1] (dev).user.exec.apiVersion: ...".
// Nothing is written, and no message contains a secret.

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/file_system.h"
#include "base/process.h"
#include "base/status.h"
#include "kube/config/credentials.h"

namespace allot::kube {

// PEM text, or a file with PEM text that may be replaced at any time. At most one of them is set.
struct Pem {
  std::string text;
  std::string file;

  bool empty() const { return text.empty() && file.empty(); }
  // Returns the text or the file's current content; empty if neither is set. Returns kInvalid if it is not PEM.
  Result<std::string> Read(const FileSystem& files) const;
};

struct Config {
  std::string server;   // https://host:port/prefix or http://..., without a final slash
  std::string context;  // empty: no context was used
  std::string default_namespace = "default";
  std::string origin;  // for messages: "/home/x/.kube/config, context dev"

  Pem ca;                                 // empty: the system's certificates
  Pem client_certificate, client_key;     // both or none
  std::string tls_server_name;            // empty: the server's host
  bool insecure_skip_tls_verify = false;  // never together with `ca`
  bool disable_compression = false;
  std::string proxy_url;            // http://... or https://...; empty: no proxy. From the kubeconfig, else from the environment
                                    // (kube/config/proxy.h)
  std::string proxy_authorization;  // for the proxy; a secret; empty: none

  std::string impersonate_user, impersonate_uid;
  std::vector<std::string> impersonate_groups;
  std::map<std::string, std::vector<std::string>> impersonate_extra;

  // Never null. Anonymous for a server without TLS: like kubectl, never send a secret in the clear.
  std::shared_ptr<Credentials> credentials = AnonymousCredentials();
};

// Command line options; empty if not given.
struct ConfigOverrides {
  std::string kubeconfig;              // a path
  std::string context, cluster, user;  // names in the kubeconfig
  std::string server;                  // replaces the cluster's server and drops its tls-server-name
  std::string certificate_authority;   // a PEM file, replaces the cluster's
  bool insecure_skip_tls_verify = false;
  std::string default_namespace;
  std::string token;                              // replaces every other credential except a client certificate
  std::string impersonate_user, impersonate_uid;  // --as, --as-uid
  std::vector<std::string> impersonate_groups;    // --as-group
};

// The inputs that a Config is made from.
struct ConfigSources {
  ConfigOverrides overrides;
  Environment environment;            // KUBECONFIG, HOME, KUBERNETES_SERVICE_*, *_PROXY; also passed to credential plugins
  const FileSystem* files = nullptr;  // never null; must outlive the Config, like the clock
  const Clock* clock = nullptr;
  std::string local_socket;                 // an absolute path; empty: none
  std::string local_namespace = "default";  // the namespace to use there
  std::string service_account = "/var/run/secrets/kubernetes.io/serviceaccount";
  bool has_terminal = false;  // a user at stdin can answer a credential plugin
  std::chrono::milliseconds plugin_time_limit = std::chrono::seconds(60);
  std::chrono::milliseconds interactive_time_limit = std::chrono::minutes(5);  // for a plugin that a user may have to answer

  // Returns the environment variable, or empty if it is not set.
  std::string Variable(const std::string& name) const;
};

// Returns the environment and terminal of this process.
ConfigSources SystemConfigSources(const FileSystem& files, const Clock& clock, ConfigOverrides overrides = {});

// Returns kNotFound if there is nothing to load, with what was tried and what to do.
Result<Config> LoadConfig(const ConfigSources& sources);

struct KubeconfigFile {
  std::string path;  // for messages; relative paths in the file are relative to its folder
  std::string text;
};

// Returns the config of merged files; the first file takes precedence. Reads only the files that they refer to.
Result<Config> ParseKubeconfig(const std::vector<KubeconfigFile>& files, const ConfigSources& sources);

// Returns whether a kubeconfig has no contexts, clusters, users and current-context.
bool IsEmptyKubeconfig(std::string_view text);

// Returns the config of the Pod's service account. Returns kNotFound, with the reason, outside a Pod or without a service account.
Result<Config> InClusterConfig(const ConfigSources& sources);

// Returns the names in one of the lists ("contexts", "clusters", "users") of the kubeconfig that LoadConfig would read, sorted. Empty
// without a kubeconfig; skips unreadable files.
std::vector<std::string> KubeconfigNames(const ConfigSources& sources, std::string_view list);

// Applies the overrides of server, certificates, namespace, token and impersonation, and the environment's proxy, and validates the result.
// The last step for every origin.
Status FinishConfig(const ConfigSources& sources, Config& config);

inline constexpr size_t kMaxConfigFile = 1 << 20;  // bytes of a kubeconfig, and of each file that it refers to

}  // namespace allot::kube

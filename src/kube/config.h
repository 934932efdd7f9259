#pragma once
// Which API server to talk to, and as whom: from a kubeconfig or from inside a cluster, as kubectl finds it.
//
// The order, of which the first that is there wins:
//   1. the kubeconfig of --kubeconfig;
//   2. the files of KUBECONFIG, merged: the first file that has a named entry, or a current-context, wins; missing files are passed over;
//   3. ~/.kube/config, unless it is missing or empty;
//   4. the service account of the Pod that we run in;
//   5. --server alone;
//   6. a server of this machine, where the caller names its socket.
// Only the context that is used must be right: other clusters and users may be wrong or not be known to us. What is wrong names the file
// and the field: "/home/x/.kube/config: users[1] (dev).user.exec.apiVersion: ...".
// Nothing is written, and no secret is ever part of a message.

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
#include "kube/credentials.h"

namespace allot::kube {

// PEM text, or a file with it that may be replaced while we run. At most one of them is set; neither: there is none.
struct Pem {
  std::string text;
  std::string file;

  bool empty() const { return text.empty() && file.empty(); }
  // The text, or what is in the file now; empty when there is none. kInvalid when that is not PEM.
  Result<std::string> Read(const FileSystem& files) const;
};

struct Config {
  std::string server;   // https://host:port/prefix or http://...; without a slash at the end
  std::string context;  // empty: none was used
  std::string default_namespace = "default";
  std::string origin;  // for messages: "/home/x/.kube/config, context dev"

  Pem ca;                                 // empty: the system's certificates
  Pem client_certificate, client_key;     // both or none
  std::string tls_server_name;            // empty: the server's host
  bool insecure_skip_tls_verify = false;  // never together with `ca`
  bool disable_compression = false;
  std::string proxy_url;            // http://... or https://...; empty: no proxy. The kubeconfig's, else the environment's (kube/proxy.h)
  std::string proxy_authorization;  // for it; a secret; empty: none

  std::string impersonate_user, impersonate_uid;
  std::vector<std::string> impersonate_groups;
  std::map<std::string, std::vector<std::string>> impersonate_extra;

  // Never null. Anonymous for a server without TLS: nothing secret goes over the wire in the clear, as with kubectl.
  std::shared_ptr<Credentials> credentials = AnonymousCredentials();
};

// What the command line says; empty: nothing.
struct ConfigOverrides {
  std::string kubeconfig;              // a path
  std::string context, cluster, user;  // names in the kubeconfig
  std::string server;                  // instead of the cluster's, whose tls-server-name goes with it
  std::string certificate_authority;   // a file with PEM, instead of the cluster's
  bool insecure_skip_tls_verify = false;
  std::string default_namespace;
  std::string token;                              // instead of all else that says who we are, but for a client certificate
  std::string impersonate_user, impersonate_uid;  // --as, --as-uid
  std::vector<std::string> impersonate_groups;    // --as-group
};

// The world that a Config is made from.
struct ConfigSources {
  ConfigOverrides overrides;
  Environment environment;            // KUBECONFIG, HOME, KUBERNETES_SERVICE_*, *_PROXY; credential plugins get it too
  const FileSystem* files = nullptr;  // never null; outlives the Config, as does the clock
  const Clock* clock = nullptr;
  std::string local_socket;                 // an absolute path; empty: none
  std::string local_namespace = "default";  // there
  std::string service_account = "/var/run/secrets/kubernetes.io/serviceaccount";
  bool has_terminal = false;  // somebody sits at stdin and can answer a credential plugin
  std::chrono::milliseconds plugin_time_limit = std::chrono::seconds(60);
  std::chrono::milliseconds interactive_time_limit = std::chrono::minutes(5);  // of a plugin that somebody may have to answer

  // The environment variable; empty where it is not set.
  std::string Variable(const std::string& name) const;
};

// The environment and terminal of this process.
ConfigSources SystemConfigSources(const FileSystem& files, const Clock& clock, ConfigOverrides overrides = {});

// kNotFound when there is nothing to load; it tells what was tried and what to do.
Result<Config> LoadConfig(const ConfigSources& sources);

struct KubeconfigFile {
  std::string path;  // for messages; relative paths in the file are relative to its folder
  std::string text;
};

// The config of merged files, the first of which has precedence. Reads only the files that they refer to.
Result<Config> ParseKubeconfig(const std::vector<KubeconfigFile>& files, const ConfigSources& sources);

// True for a kubeconfig without contexts, clusters, users and current-context.
bool IsEmptyKubeconfig(std::string_view text);

// The config of the Pod's service account. kNotFound, with the reason, when this is no Pod or it has none.
Result<Config> InClusterConfig(const ConfigSources& sources);

// The names in one of the lists ("contexts", "clusters", "users") of the kubeconfig that LoadConfig would read, sorted. None where there is
// no kubeconfig; files that cannot be read are passed over.
std::vector<std::string> KubeconfigNames(const ConfigSources& sources, std::string_view list);

// Puts in what the overrides say about server, certificates, namespace, token and impersonation, and the environment's proxy, and checks
// the whole; the last step for every origin.
Status FinishConfig(const ConfigSources& sources, Config& config);

inline constexpr size_t kMaxConfigFile = 1 << 20;  // bytes of a kubeconfig, and of each file that it names

}  // namespace allot::kube

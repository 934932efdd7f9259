// The service account that Kubernetes gives to a Pod.
#include "kube/config/config.h"

namespace allot::kube {

namespace {

constexpr size_t kMaxNamespaceFile = 4096;

// Like kubectl: the POD_NAMESPACE variable first, then the service account's namespace.
Result<std::string> PodNamespace(const ConfigSources& sources) {
  if (std::string name = sources.Variable("POD_NAMESPACE"); !name.empty()) return name;
  Result<std::string> text = sources.files->ReadFile(StrCat(sources.service_account, "/namespace"), kMaxNamespaceFile);
  if (!text.ok() && text.status().code() != Code::kNotFound) return text;
  const std::string name(text.ok() ? Trim(*text) : "");
  return name.empty() ? "default" : name;
}

}  // namespace

Result<Config> InClusterConfig(const ConfigSources& sources) {
  const std::string host = sources.Variable("KUBERNETES_SERVICE_HOST");
  const std::string port = sources.Variable("KUBERNETES_SERVICE_PORT");
  if (host.empty() || port.empty())
    return NotFound("KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set, so this is not a Pod");
  const std::string token = StrCat(sources.service_account, "/token");
  if (!sources.files->Exists(token)) return NotFound("the Pod has no service account token ", token);

  Config config;
  config.origin = StrCat("service account of the Pod (", sources.service_account, ")");
  const bool is_ipv6 = host.find(':') != std::string::npos;
  config.server = is_ipv6 ? StrCat("https://[", host, "]:", port) : StrCat("https://", host, ":", port);
  config.ca.file = StrCat(sources.service_account, "/ca.crt");
  // Report a missing certificate here, by its name, instead of at the first handshake.
  if (const Result<std::string> ca = config.ca.Read(*sources.files); !ca.ok()) {
    return Unavailable(config.origin, ": ", ca.status().message());
  }
  ASSIGN_OR_RETURN(config.default_namespace, PodNamespace(sources).Context(config.origin));
  config.credentials = TokenFileCredentials(token, "", *sources.files, *sources.clock);
  TRY(FinishConfig(sources, config).Context(config.origin));
  return config;
}

}  // namespace allot::kube

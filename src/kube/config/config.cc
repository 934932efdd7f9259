#include "kube/config/config.h"

#include <unistd.h>

#include <algorithm>

#include "kube/config/proxy.h"
#include "kube/url.h"

namespace allot::kube {

namespace {

constexpr size_t kMaxFiles = 100;

bool IsHeaderText(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; });
}

Status CheckImpersonation(const Config& config) {
  const bool more = !config.impersonate_uid.empty() || !config.impersonate_groups.empty() || !config.impersonate_extra.empty();
  if (config.impersonate_user.empty() && more) return Invalid("as-uid, as-groups and as-user-extra need a user: set as too");
  bool good = IsHeaderText(config.impersonate_user) && IsHeaderText(config.impersonate_uid);
  for (const std::string& group : config.impersonate_groups) good = good && IsHeaderText(group);
  for (const auto& [key, values] : config.impersonate_extra) {
    good = good && !key.empty() && IsHeaderText(key);
    for (const std::string& value : values) good = good && IsHeaderText(value);
  }
  return good ? Status() : Invalid("the user, uid, groups and extra to act as cannot have control characters");
}

// Applies the command line's options about the server's certificate.
Status ChooseTrust(const ConfigSources& sources, Config& config) {
  const ConfigOverrides& overrides = sources.overrides;
  if (overrides.insecure_skip_tls_verify && !overrides.certificate_authority.empty()) {
    return Invalid("--insecure-skip-tls-verify and --certificate-authority cannot be given together");
  }
  if (overrides.insecure_skip_tls_verify) {
    config.insecure_skip_tls_verify = true;
    config.ca = {};
  } else if (!overrides.certificate_authority.empty()) {
    config.insecure_skip_tls_verify = false;
    config.ca = {.text = "", .file = overrides.certificate_authority};
    TRY(config.ca.Read(*sources.files).status().Context("--certificate-authority"));
  }
  return Status();
}

Result<Config> LoadFiles(const std::vector<std::string>& paths, bool may_miss, const ConfigSources& sources) {
  std::vector<KubeconfigFile> files;
  for (const std::string& path : paths) {
    Result<std::string> text = sources.files->ReadFile(path, kMaxConfigFile);
    if (!text.ok() && text.status().code() == Code::kNotFound && may_miss) continue;
    if (!text.ok()) return std::move(text).Context("kubeconfig").status();
    files.push_back({path, *std::move(text)});
  }
  if (files.empty()) return NotFound("KUBECONFIG: none of its files exists: ", Join(paths, ", "), "; correct or unset it");
  return ParseKubeconfig(files, sources);
}

// Returns the files of KUBECONFIG without duplicates.
Result<std::vector<std::string>> ListedFiles(const std::string& list) {
  std::vector<std::string> paths;
  for (const std::string_view path : Split(list, ':')) {
    if (path.empty() || std::find(paths.begin(), paths.end(), path) != paths.end()) continue;
    if (paths.size() == kMaxFiles) return Exhausted("KUBECONFIG: more than ", kMaxFiles, " files");
    paths.emplace_back(path);
  }
  return paths;
}

// The config if there is neither a kubeconfig nor a service account.
Result<Config> WithoutFiles(const std::vector<std::string>& tried, const ConfigSources& sources) {
  Config config;
  config.origin = "--server";
  if (sources.overrides.server.empty() && !sources.local_socket.empty()) {
    config.server = StrCat("unix://", sources.local_socket);
    config.origin = sources.local_socket;
    config.default_namespace = sources.local_namespace;
  } else if (sources.overrides.server.empty()) {
    return NotFound(
        "there is no cluster to talk to: ", Join(tried, "; "),
        ". Name a kubeconfig with --kubeconfig or KUBECONFIG, or a server with --server; `allot up` starts one on this machine");
  }
  TRY(FinishConfig(sources, config));
  return config;
}

}  // namespace

Result<std::string> Pem::Read(const FileSystem& files) const {
  std::string content = text;
  if (content.empty() && !file.empty()) {
    ASSIGN_OR_RETURN(content, files.ReadFile(file, kMaxConfigFile));
  }
  if (!empty() && content.find("-----BEGIN ") == std::string::npos) {
    return Invalid(file, file.empty() ? "" : ": ", "is not PEM text: there is no -----BEGIN line");
  }
  return content;
}

std::string ConfigSources::Variable(const std::string& name) const {
  const auto found = environment.find(name);
  return found == environment.end() ? std::string() : found->second;
}

ConfigSources SystemConfigSources(const FileSystem& files, const Clock& clock, ConfigOverrides overrides) {
  ConfigSources sources;
  sources.overrides = std::move(overrides);
  sources.environment = ProcessEnvironment();
  sources.files = &files;
  sources.clock = &clock;
  sources.has_terminal = ::isatty(STDIN_FILENO) != 0;
  return sources;
}

Status FinishConfig(const ConfigSources& sources, Config& config) {
  const ConfigOverrides& overrides = sources.overrides;
  if (!overrides.server.empty()) {
    config.server = overrides.server;
    config.tls_server_name.clear();
  }
  ASSIGN_OR_RETURN(const ServerUrl url, ServerUrl::Parse(config.server).Context(overrides.server.empty() ? "address" : "--server"));
  while (config.server.ends_with('/')) config.server.pop_back();
  TRY(ChooseTrust(sources, config));
  if (config.proxy_url.empty()) {
    ASSIGN_OR_RETURN(Proxy proxy, ProxyFromEnvironment(url, sources.environment));
    config.proxy_url = std::move(proxy.url);
    config.proxy_authorization = std::move(proxy.authorization);
  }
  if (!overrides.default_namespace.empty()) config.default_namespace = overrides.default_namespace;
  TRY(CheckNamespace(config.default_namespace));

  if (!overrides.impersonate_user.empty()) config.impersonate_user = overrides.impersonate_user;
  if (!overrides.impersonate_uid.empty()) config.impersonate_uid = overrides.impersonate_uid;
  if (!overrides.impersonate_groups.empty()) config.impersonate_groups = overrides.impersonate_groups;
  TRY(CheckImpersonation(config));

  if (!overrides.token.empty()) {
    TRY(CheckToken(overrides.token).Context("--token"));
    config.credentials = TokenCredentials(overrides.token);
  }
  if (!url.tls) config.credentials = AnonymousCredentials();
  return {};
}

Result<Config> LoadConfig(const ConfigSources& sources) {
  CHECK(sources.files != nullptr && sources.clock != nullptr);
  if (!sources.overrides.kubeconfig.empty()) return LoadFiles({sources.overrides.kubeconfig}, false, sources);

  std::vector<std::string> tried;
  ASSIGN_OR_RETURN(const std::vector<std::string> listed, ListedFiles(sources.Variable("KUBECONFIG")));
  if (!listed.empty()) return LoadFiles(listed, true, sources);
  tried.emplace_back("KUBECONFIG is not set");

  const std::string home = sources.Variable("HOME");
  if (home.empty()) {
    tried.emplace_back("HOME is not set");
  } else {
    const std::string path = StrCat(home, "/.kube/config");
    Result<std::string> text = sources.files->ReadFile(path, kMaxConfigFile);
    if (text.ok() && !IsEmptyKubeconfig(*text)) return ParseKubeconfig({{path, *std::move(text)}}, sources);
    if (!text.ok() && text.status().code() != Code::kNotFound) return std::move(text).Context("kubeconfig").status();
    tried.push_back(text.ok() ? StrCat(path, " is empty") : text.status().message());
  }

  const ConfigOverrides& overrides = sources.overrides;
  for (const auto& [option, name] :
       {std::pair("--context", overrides.context), {"--cluster", overrides.cluster}, {"--user", overrides.user}}) {
    if (!name.empty()) return NotFound(option, " ", name, " needs a kubeconfig: ", Join(tried, "; "));
  }
  Result<Config> pod = InClusterConfig(sources);
  if (pod.ok() || pod.status().code() != Code::kNotFound) return pod;
  tried.push_back(pod.status().message());
  return WithoutFiles(tried, sources);
}

}  // namespace allot::kube

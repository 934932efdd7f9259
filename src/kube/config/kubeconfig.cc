// Reads and merges kubeconfig files and selects what one context needs.
#include <deque>
#include <filesystem>
#include <map>

#include "json/yaml.h"
#include "kube/config/config.h"
#include "kube/config/exec_plugin.h"
#include "kube/url.h"
#include "model/reader.h"

namespace allot::kube {

namespace {

using model::Reader;

constexpr json::Limits kLimits{.depth = 64, .nodes = 200'000, .bytes = kMaxConfigFile};
constexpr size_t kNamesShown = 20;
constexpr std::string_view kExecExtension = "client.authentication.k8s.io/exec";

// One item of a list, {name: dev, user: {...}}, and its position.
struct Entry {
  const KubeconfigFile* file = nullptr;
  std::string path;  // "users[1] (dev)"
  json::Value value;

  Status Error(const Status& status) const { return Status(status.code(), StrCat(file->path, ": ", path, ".", status.message())); }
  std::string Folder() const { return std::filesystem::path(file->path).parent_path().string(); }
  std::string Resolve(std::string_view referred) const {
    return referred.empty() ? std::string() : (std::filesystem::path(Folder()) / referred).lexically_normal().string();
  }
};
using Entries = std::map<std::string, Entry, std::less<>>;

// Returns "there are: dev, lab".
std::string Known(const Entries& entries) {
  std::vector<std::string> names;
  for (const auto& [name, entry] : entries) {
    if (names.size() == kNamesShown) {
      names.push_back(StrCat("and ", entries.size() - kNamesShown, " more"));
      break;
    }
    names.push_back(Quoted(name));
  }
  return names.empty() ? "there are none" : StrCat("there are: ", Join(names, ", "));
}

struct Context {
  std::string cluster, user, default_namespace;
};

Result<Context> ReadContext(const Entry& entry) {
  const Reader item(entry.value);
  const Reader context = item["context"];
  Context read{std::string(context.Text("cluster")), std::string(context.Text("user")), std::string(context.Text("namespace"))};
  if (!item.status().ok()) return entry.Error(item.status());
  return read;
}

// Reads `KEY-data` (base64), or else names the file `KEY`. Reads the file once to report errors now.
Pem ReadPem(const Reader& from, std::string_view key, const Entry& entry, const FileSystem& files) {
  const std::string data_key = StrCat(key, "-data");
  const std::string_view data = from.Text(data_key);
  Pem pem;
  if (!data.empty()) {
    Result<std::string> text = DecodeBase64(data);
    if (!text.ok()) return from.Fail(data_key, text.status().message()), Pem();
    pem.text = *std::move(text);
  } else {
    pem.file = entry.Resolve(from.Text(key));
  }
  if (const Result<std::string> text = pem.Read(files); !text.ok()) from.Fail(data.empty() ? key : data_key, text.status().message());
  return pem;
}

Status ReadProxy(const Reader& cluster, Config& config) {
  config.proxy_url = cluster.Text("proxy-url");
  if (config.proxy_url.empty()) return {};
  const std::string_view url = config.proxy_url;
  if (url.starts_with("socks5")) return Unsupported("cluster.proxy-url: socks5 proxies are not supported; use an http proxy");
  // Do not show the text: a password may precede the @.
  if (url.find('@') != std::string_view::npos) return Unsupported("cluster.proxy-url: a proxy that asks for a user is not supported");
  if (const Result<ServerUrl> proxy = ServerUrl::Parse(url); !proxy.ok()) cluster.Fail("proxy-url", proxy.status().message());
  return {};
}

Status ReadCluster(const Entry& entry, const ConfigSources& sources, Config& config, json::Value& exec_extension) {
  const Reader item(entry.value);
  const Reader cluster = item["cluster"];
  config.server = cluster.Text("server");
  config.tls_server_name = cluster.Text("tls-server-name");
  if (const std::string& server = sources.overrides.server; !server.empty()) {
    config.server = server;
    config.tls_server_name.clear();
  } else if (config.server.empty()) {
    cluster.Fail("server", "is not set; expected an address such as https://10.0.0.1:6443");
  } else if (config.server.find('@') != std::string::npos) {
    cluster.Fail("server", "cannot have a user or password; set them in users[]");
  } else if (const Result<ServerUrl> url = ServerUrl::Parse(config.server); !url.ok()) {
    cluster.Fail("server", url.status().message());
  }
  config.ca = ReadPem(cluster, "certificate-authority", entry, *sources.files);
  config.insecure_skip_tls_verify = cluster.OptionalBool("insecure-skip-tls-verify").value_or(false);
  if (config.insecure_skip_tls_verify && !config.ca.empty()) {
    cluster.Fail("insecure-skip-tls-verify", "cannot be true together with a certificate-authority; remove one of them");
  }
  config.disable_compression = cluster.OptionalBool("disable-compression").value_or(false);
  cluster.Each("extensions", [&](const Reader& extension) {
    if (extension.Text("name") == kExecExtension) exec_extension = extension.value()["extension"];
  });
  if (const Status proxy = ReadProxy(cluster, config); !proxy.ok()) return entry.Error(proxy);
  return item.status().ok() ? Status() : entry.Error(item.status());
}

void ReadImpersonation(const Reader& user, Config& config) {
  config.impersonate_user = user.Text("as");
  config.impersonate_uid = user.Text("as-uid");
  for (const std::string_view group : user.Texts("as-groups")) config.impersonate_groups.emplace_back(group);
  const Reader extra = user["as-user-extra"];
  if (!extra.IsPresent()) return;
  for (const json::Member& member : extra.value().Members()) {
    std::vector<std::string>& values = config.impersonate_extra[std::string(member.key)];
    for (const std::string_view value : extra.Texts(member.key)) values.emplace_back(value);
  }
}

// Like kubectl: a token takes precedence over a plugin, and a token file over a token.
void ReadCredentials(const Reader& user, const std::string& name, const Entry& entry, const ConfigSources& sources,
                     const json::Value& exec_extension, Config& config) {
  const std::string token(user.Text("token"));
  const std::string token_file = entry.Resolve(user.Text("tokenFile"));
  const std::string_view username = user.Text("username"), password = user.Text("password");
  if (!token.empty()) {
    if (const Status good = CheckToken(token); !good.ok()) return user.Fail("token", good.message());
  }
  const bool has_token = !token.empty() || !token_file.empty(), has_basic = !username.empty() || !password.empty();
  if (has_token && has_basic) return user.Fail("", "has both a token and a username or password; remove one of them");
  if (!token_file.empty()) {
    config.credentials = TokenFileCredentials(token_file, token, *sources.files, *sources.clock);
  } else if (has_token) {
    config.credentials = TokenCredentials(token);
  } else if (has_basic) {
    config.credentials = BasicCredentials(username, password);
  } else if (const Reader exec = user["exec"]; exec.IsPresent()) {
    ExecPlugin plugin = ReadExecPlugin(exec, entry.Folder());
    plugin.user = name;
    if (plugin.provide_cluster_info) {
      Result<std::string> ca = config.ca.Read(*sources.files);
      if (!ca.ok()) return exec.Fail("provideClusterInfo", ca.status().message());
      plugin.cluster_info = ExecClusterInfo(config, *ca, exec_extension);
    }
    config.credentials = ExecCredentials(std::move(plugin), sources);
  }
}

Status ReadUser(const std::string& name, const Entry& entry, const ConfigSources& sources, const json::Value& exec_extension,
                Config& config) {
  const Reader item(entry.value);
  const Reader user = item["user"];
  ReadImpersonation(user, config);
  config.client_certificate = ReadPem(user, "client-certificate", entry, *sources.files);
  if (config.client_certificate.empty()) {
    config.client_key = {};
  } else {
    config.client_key = ReadPem(user, "client-key", entry, *sources.files);
    if (config.client_key.empty()) user.Fail("client-key", "is not set; client-certificate needs it");
  }
  if (sources.overrides.token.empty()) {
    if (const Reader provider = user["auth-provider"]; provider.IsPresent()) {
      return entry.Error(Unsupported("user.auth-provider: ", Quoted(provider.Text("name")),
                                     " is not supported; use a credential plugin instead (user.exec), such as the provider's own"));
    }
    ReadCredentials(user, name, entry, sources, exec_extension, config);
  }
  return item.status().ok() ? Status() : entry.Error(item.status());
}

class Kubeconfig {
 public:
  // Add files in the order of precedence. `file` must outlive this.
  Status Add(const KubeconfigFile& file) {
    ASSIGN_OR_RETURN(std::vector<json::Document> documents, json::ParseYaml(file.text, kLimits).Context(file.path));
    files_.push_back(file.path);
    if (documents.empty()) return {};
    // kubectl also reads only the first document.
    documents_.push_back(std::move(documents.front()));
    const Reader root(documents_.back().root());
    const std::string_view kind = root.Text("kind"), version = root.Text("apiVersion");
    if (!kind.empty() && kind != "Config") root.Fail("kind", StrCat("expected Config, not ", Quoted(kind)));
    if (!version.empty() && version != "v1") root.Fail("apiVersion", StrCat("expected v1, not ", Quoted(version)));
    AddEntries(root, "clusters", file, clusters_);
    AddEntries(root, "contexts", file, contexts_);
    AddEntries(root, "users", file, users_);
    if (current_context_.empty()) {
      current_context_ = root.Text("current-context");
      current_context_file_ = file.path;
    }
    return Status(root.status()).Context(file.path);
  }

  bool empty() const { return clusters_.empty() && contexts_.empty() && users_.empty() && current_context_.empty(); }

  std::vector<std::string> Names(std::string_view list) const {
    std::vector<std::string> names;
    for (const auto& [name, entry] : list == "contexts" ? contexts_ : list == "clusters" ? clusters_ : users_) names.push_back(name);
    return names;
  }

  Result<Config> Pick(const ConfigSources& sources) const {
    const ConfigOverrides& overrides = sources.overrides;
    Config config;
    config.context = overrides.context.empty() ? current_context_ : overrides.context;
    config.origin = Join(files_, ", ");
    Context context;
    const Entry* entry = nullptr;
    if (!config.context.empty()) {
      const auto found = contexts_.find(config.context);
      if (found == contexts_.end()) return NoContext(overrides);
      entry = &found->second;
      ASSIGN_OR_RETURN(context, ReadContext(*entry));
      config.origin = StrCat(entry->file->path, ", context ", config.context);
    }
    if (!context.default_namespace.empty()) config.default_namespace = context.default_namespace;

    json::Value exec_extension;
    ASSIGN_OR_RETURN(const auto* cluster, Find(clusters_, "cluster", overrides.cluster, context.cluster, entry));
    if (cluster != nullptr) {
      TRY(ReadCluster(cluster->second, sources, config, exec_extension));
    } else if (overrides.server.empty()) {
      return Invalid(config.origin, ": no cluster is chosen; choose a context with --context or a cluster with --cluster; of contexts ",
                     Known(contexts_), "; of clusters ", Known(clusters_));
    } else {
      config.server = overrides.server;
    }
    ASSIGN_OR_RETURN(const auto* user, Find(users_, "user", overrides.user, context.user, entry));
    if (user != nullptr) TRY(ReadUser(user->first, user->second, sources, exec_extension, config));
    TRY(FinishConfig(sources, config).Context(config.origin));
    return config;
  }

 private:
  static void AddEntries(const Reader& root, const std::string& list, const KubeconfigFile& file, Entries& to) {
    Entries of_file;
    size_t index = 0;
    root.Each(list, [&](const Reader& item) {
      const std::string name(item.Text("name"));
      if (!of_file.emplace(name, Entry{&file, StrCat(list, "[", index++, "] (", name, ")"), item.value()}).second) {
        item.Fail("name", StrCat(Quoted(name), " occurs twice"));
      }
    });
    to.merge(of_file);  // keeps existing entries
  }

  Status NoContext(const ConfigOverrides& overrides) const {
    if (!overrides.context.empty()) {
      return NotFound(Join(files_, ", "), ": there is no context ", Quoted(overrides.context), " (--context); ", Known(contexts_));
    }
    return NotFound(current_context_file_, ": current-context: there is no context ", Quoted(current_context_), "; ", Known(contexts_),
                    "; choose one with --context");
  }

  // Returns the entry named on the command line, else the one named by the context; nullptr if there is no name.
  Result<const Entries::value_type*> Find(const Entries& entries, std::string_view what, const std::string& overriding,
                                          const std::string& named, const Entry* context) const {
    const std::string& name = overriding.empty() ? named : overriding;
    if (name.empty()) return nullptr;
    const auto found = entries.find(name);
    if (found != entries.end()) return &*found;
    const std::string missing = StrCat("there is no ", what, " ", Quoted(name));
    if (!overriding.empty()) return NotFound(Join(files_, ", "), ": ", missing, " (--", what, "); ", Known(entries));
    return context->Error(NotFound("context.", what, ": ", missing, "; ", Known(entries)));
  }

  std::vector<json::Document> documents_;
  std::vector<std::string> files_;
  Entries clusters_, contexts_, users_;
  std::string current_context_, current_context_file_;
};

}  // namespace

Result<Config> ParseKubeconfig(const std::vector<KubeconfigFile>& files, const ConfigSources& sources) {
  Kubeconfig merged;
  for (const KubeconfigFile& file : files) TRY(merged.Add(file));
  return merged.Pick(sources);
}

std::vector<std::string> KubeconfigNames(const ConfigSources& sources, std::string_view list) {
  std::string paths = sources.overrides.kubeconfig;
  if (paths.empty()) paths = sources.Variable("KUBECONFIG");
  if (paths.empty()) paths = StrCat(sources.Variable("HOME"), "/.kube/config");
  std::deque<KubeconfigFile> files;  // a deque, so that elements do not move
  Kubeconfig merged;
  for (const std::string_view path : Split(paths, ':')) {
    Result<std::string> text = sources.files->ReadFile(std::string(path), kMaxConfigFile);
    if (!text.ok()) continue;
    files.push_back({std::string(path), *std::move(text)});
    if (!merged.Add(files.back()).ok()) continue;
  }
  return merged.Names(list);
}

bool IsEmptyKubeconfig(std::string_view text) {
  Kubeconfig config;
  const KubeconfigFile file{"", std::string(text)};
  return config.Add(file).ok() && config.empty();
}

}  // namespace allot::kube

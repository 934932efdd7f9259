#include "kube/config/exec_plugin.h"

#include <algorithm>
#include <filesystem>

#include "json/builder.h"
#include "json/json.h"
#include "kube/timestamp.h"

namespace allot::kube {

namespace {

using std::chrono::seconds;

constexpr std::string_view kV1 = "client.authentication.k8s.io/v1";
constexpr std::string_view kV1beta1 = "client.authentication.k8s.io/v1beta1";
constexpr seconds kPause{10};   // between two runs that failed or were rejected
constexpr seconds kLeeway{10};  // a grant is renewed this long before it expires
constexpr size_t kMaxHint = 4096;
constexpr json::Limits kAnswerLimits{.depth = 64, .nodes = 10'000, .bytes = 1 << 20};

// Drops control characters that a terminal would interpret.
std::string Printable(std::string_view text) {
  std::string printable;
  for (const char c : text.substr(0, kMaxHint)) {
    if (c == '\n' || c == '\t' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7F)) printable += c;
  }
  return printable;
}

class ExecCredentialsImpl final : public RenewableCredentials {
 public:
  ExecCredentialsImpl(ExecPlugin plugin, const ConfigSources& sources)
      : RenewableCredentials(*sources.clock, kPause), plugin_(std::move(plugin)), has_terminal_(sources.has_terminal) {
    const bool interactive = has_terminal_ && plugin_.interactive != ExecPlugin::Interactive::kNever;
    process_.argv = {plugin_.command};
    process_.argv.insert(process_.argv.end(), plugin_.args.begin(), plugin_.args.end());
    process_.environment = sources.environment;
    for (const auto& [name, value] : plugin_.env) process_.environment[name] = value;
    process_.environment["KUBERNETES_EXEC_INFO"] = StrCat(
        R"({"apiVersion":")", plugin_.api_version, R"(","kind":"ExecCredential","spec":{)",
        plugin_.cluster_info.empty() ? "" : StrCat(R"("cluster":)", plugin_.cluster_info, ","), R"("interactive":)", interactive, "}}");
    process_.stdin_from = interactive ? ProcessSpec::Stdin::kInherit : ProcessSpec::Stdin::kNull;
    process_.group = ProcessSpec::Group::kOurs;  // Ctrl-C ends the plugin too
    process_.time_limit = interactive ? sources.interactive_time_limit : sources.plugin_time_limit;
  }

 private:
  Result<Fetched> Fetch(const Patience& patience) override {
    return Run(patience).Context("user ", Quoted(plugin_.user), ": credential plugin ", plugin_.command);
  }

  Result<Fetched> Run(const Patience& patience) const {
    if (plugin_.interactive == ExecPlugin::Interactive::kAlways && !has_terminal_) {
      return Invalid("its interactiveMode is Always, but standard input is not a terminal; run this in one, or use other credentials");
    }
    ProcessSpec process = process_;
    process.cancel = patience.cancel;
    if (patience.deadline) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(*patience.deadline - std::chrono::steady_clock::now());
      process.time_limit = std::min(process.time_limit, left);
    }
    Result<ProcessOutput> output = RunProcess(process);
    if (!output.ok()) {
      const Status& error = output.status();
      const bool hint = error.code() == Code::kNotFound && !plugin_.install_hint.empty();
      return Status(error.code(), StrCat(error.message(), hint ? StrCat("\n", plugin_.install_hint) : ""));
    }
    if (!output->succeeded()) return Unavailable("it ", output->Ending(), "; its own message is on stderr");
    return ReadAnswer(output->stdout_text);
  }

  Result<Fetched> ReadAnswer(const std::string& text) const {
    ASSIGN_OR_RETURN(const json::Document document, json::Parse(text, kAnswerLimits).Context("its answer is not JSON"));
    const model::Reader answer(document.root());
    const std::string_view kind = answer.Text("kind"), version = answer.Text("apiVersion");
    if (answer.status().ok() && kind != "ExecCredential") answer.Fail("kind", StrCat("expected \"ExecCredential\", not ", Quoted(kind)));
    if (answer.status().ok() && version != plugin_.api_version) {
      answer.Fail("apiVersion", StrCat("expected ", Quoted(plugin_.api_version), " as in the kubeconfig, not ", Quoted(version)));
    }
    const model::Reader status = answer["status"];
    if (!status.IsPresent()) answer.Fail("status", "is missing");
    Fetched fetched = ReadStatus(status);
    TRY(Status(answer.status()).Context("its answer"));
    return fetched;
  }

  Fetched ReadStatus(const model::Reader& status) const {
    Fetched fetched;
    Grant& grant = fetched.grant;
    const std::string_view token = status.Text("token");
    grant.certificate_pem = status.Text("clientCertificateData");
    grant.key_pem = status.Text("clientKeyData");
    if (grant.certificate_pem.empty() != grant.key_pem.empty()) {
      status.Fail("", "clientCertificateData and clientKeyData must be set together");
    }
    if (token.empty() && grant.certificate_pem.empty()) status.Fail("", "expected a token, or clientCertificateData and clientKeyData");
    for (const auto& [field, pem] : {std::pair("clientCertificateData", &grant.certificate_pem), {"clientKeyData", &grant.key_pem}}) {
      if (!pem->empty() && pem->find("-----BEGIN ") == std::string::npos) status.Fail(field, "is not PEM text");
    }
    if (!token.empty()) {
      if (const Status good = CheckToken(token); !good.ok()) status.Fail("token", good.message());
      grant.authorization = StrCat("Bearer ", token);
    }
    if (const auto text = status.OptionalText("expirationTimestamp")) ReadExpiry(status, *text, fetched);
    return fetched;
  }

  void ReadExpiry(const model::Reader& status, std::string_view text, Fetched& fetched) const {
    const auto time = ParseTime(text);
    if (!time) return status.Fail("expirationTimestamp", StrCat("expected a time such as 2026-01-02T15:04:05Z, not ", Quoted(text)));
    // Go's zero time, which Go programs write for "not set".
    if (text == "0001-01-01T00:00:00Z") return;
    const WallTime expires = std::chrono::floor<seconds>(*time), now = clock().Now();
    if (expires <= now) {
      return status.Fail("expirationTimestamp", StrCat(text, " has already passed; sign in again, or set the clock of this machine"));
    }
    fetched.expires = expires;
    fetched.renew_before = expires - std::min<std::chrono::nanoseconds>(kLeeway, (expires - now) / 4);
  }

  const ExecPlugin plugin_;
  const bool has_terminal_;
  ProcessSpec process_;
};

ExecPlugin::Interactive ReadInteractive(const model::Reader& exec, std::string_view api_version) {
  using Interactive = ExecPlugin::Interactive;
  const std::string_view mode = exec.Text("interactiveMode");
  if (mode == "Never") return Interactive::kNever;
  if (mode == "IfAvailable" || (mode.empty() && api_version == kV1beta1)) return Interactive::kIfAvailable;
  if (mode == "Always") return Interactive::kAlways;
  exec.Fail("interactiveMode", mode.empty() ? StrCat(kV1, " needs it: Never, IfAvailable or Always")
                                            : StrCat("expected Never, IfAvailable or Always, not ", Quoted(mode)));
  return Interactive::kNever;
}

}  // namespace

ExecPlugin ReadExecPlugin(const model::Reader& exec, const std::string& folder) {
  ExecPlugin plugin;
  plugin.command = exec.Text("command");
  if (plugin.command.empty()) exec.Fail("command", "is not set");
  if (plugin.command.find('/') != std::string::npos) {
    plugin.command = (std::filesystem::path(folder) / plugin.command).lexically_normal().string();
    if (plugin.command.find('/') == std::string::npos) plugin.command = StrCat("./", plugin.command);
  }
  for (const std::string_view argument : exec.Texts("args")) plugin.args.emplace_back(argument);
  exec.Each("env", [&](const model::Reader& variable) {
    const std::string name(variable.Text("name"));
    if (name.empty() || name.find('=') != std::string::npos) variable.Fail("name", "expected a name without '='");
    plugin.env[name] = variable.Text("value");
  });
  plugin.api_version = exec.Text("apiVersion");
  if (plugin.api_version != kV1 && plugin.api_version != kV1beta1) {
    exec.Fail("apiVersion",
              StrCat(Quoted(plugin.api_version), " is not supported; use ", kV1, " or ", kV1beta1, ", and a plugin that speaks it"));
  }
  plugin.interactive = ReadInteractive(exec, plugin.api_version);
  plugin.provide_cluster_info = exec.OptionalBool("provideClusterInfo").value_or(false);
  plugin.install_hint = Printable(exec.Text("installHint"));
  return plugin;
}

std::string ExecClusterInfo(const Config& config, const std::string& ca_pem, const json::Value& extension) {
  json::Arena arena;
  json::Builder info(arena);
  const auto text = [&](std::string_view key, std::string_view value) {
    if (!value.empty()) info.Key(key), info.String(value);
  };
  const auto flag = [&](std::string_view key, bool value) {
    if (value) info.Key(key), info.Bool(value);
  };
  info.StartObject();
  text("server", config.server);
  text("tls-server-name", config.tls_server_name);
  flag("insecure-skip-tls-verify", config.insecure_skip_tls_verify);
  text("certificate-authority-data", EncodeBase64(ca_pem));
  text("proxy-url", config.proxy_url);
  flag("disable-compression", config.disable_compression);
  if (!extension.IsNull()) info.Key("config"), info.Add(extension);
  info.EndObject();
  return json::Write(info.Finish());
}

std::shared_ptr<Credentials> ExecCredentials(ExecPlugin plugin, const ConfigSources& sources) {
  return std::make_shared<ExecCredentialsImpl>(std::move(plugin), sources);
}

}  // namespace allot::kube

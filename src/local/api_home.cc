#include "local/api_home.h"

#include <poll.h>
#include <unistd.h>

#include <set>

#include "apiserver/kubeconfig_handler.h"
#include "apiserver/serving_certificate.h"
#include "base/shell_word.h"
#include "local/interfaces.h"
#include "local/open_files.h"

namespace allot::local {
namespace {

constexpr size_t kLongestPem = 1 << 20;
constexpr int kLookAtCertificates = 60 * 60 * 1000;  // milliseconds

bool IsDnsName(const std::string& text) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.";
  return !text.empty() && text.find_first_not_of(kLetters) == std::string::npos && text.front() != '-' && text.front() != '.';
}

}  // namespace

Result<std::unique_ptr<ApiHome>> ApiHome::Start(ApiHomeOptions options, apiserver::DataFolder folder, FileSystem& files, const Clock& clock,
                                                Random& random, Log& log) {
  std::unique_ptr<ApiHome> home(new ApiHome(std::move(options), std::move(folder), files, clock, log));
  TRY(home->Open(random));
  return home;
}

Status ApiHome::Open(Random& random) {
  first_open_files_ = RaiseOpenFiles();  // each connection and each watch is a file
  ASSIGN_OR_RETURN(admin_token_, apiserver::OpenAdminToken(files_, random, folder_.admin_token()));
  if (!options_.token_file.empty()) {
    const Status read = files_.ReadFile(options_.token_file, kLongestPem).status();
    if (!read.ok()) {
      return Status(read.code(), StrCat("--token-auth-file: ", read.message(),
                                        "; name a file with lines of token,user,uid,\"group,...\", or leave the flag out"));
    }
  }
  ASSIGN_OR_RETURN(tokens_, apiserver::Tokens::Open(files_, random, {folder_.tokens(), options_.token_file}));
  tokens_->Add(admin_token_, {"system:admin", "", {"system:authenticated", "system:masters"}});
  access_ = std::make_unique<apiserver::TableAccess>(*tokens_, apiserver::TableAccess::Options{.admins = {0, ::geteuid()}});
  ASSIGN_OR_RETURN(const Tls tls, OpenTls());
  apiserver::ServerOptions server;
  server.store = folder_.store();
  server.address = options_.address;
  server.port = options_.port;
  server.tls = tls.server;
  server.authority_pem = tls.authority_pem;
  server.socket = folder_.socket();
  server.tokens = tokens_.get();
  server.admission = options_.admission;
  server.logs = options_.logs;
  server.log = &log_;
  ASSIGN_OR_RETURN(server_, apiserver::Server::Start(server, *access_, clock_, random));
  return WriteConfig(tls.authority_pem);
}

Result<ApiHome::Tls> ApiHome::GivenTls() const {
  const auto read = [&](const std::string& file, std::string_view flag) -> Result<std::string> {
    if (file.empty()) return std::string();
    return files_.ReadFile(file, kLongestPem).Context("--", flag);
  };
  if (options_.certificate_file.empty() || options_.key_file.empty()) {
    return Invalid("--tls-cert-file and --tls-private-key-file belong together; without both, allot creates a certificate");
  }
  Tls tls;
  http::TlsServerOptions made;
  ASSIGN_OR_RETURN(made.certificate_pem, read(options_.certificate_file, "tls-cert-file"));
  ASSIGN_OR_RETURN(made.key_pem, read(options_.key_file, "tls-private-key-file"));
  ASSIGN_OR_RETURN(tls.authority_pem, read(options_.authority_file, "tls-ca-file"));
  ASSIGN_OR_RETURN(tls.server, http::TlsServer::Make(made).Context("--tls-cert-file, --tls-private-key-file"));
  return tls;
}

// The certificate of the options; without one, that of the folder, created or renewed if needed.
Result<ApiHome::Tls> ApiHome::OpenTls() const {
  if (!options_.certificate_file.empty() || !options_.key_file.empty() || !options_.authority_file.empty()) return GivenTls();
  ASSIGN_OR_RETURN(const auto serving, apiserver::OpenServingCertificate(files_, clock_, folder_.pki(),
                                                                         ServingNames(options_.address, Hostname(), InterfaceAddresses())));
  http::TlsServerOptions made;
  made.certificate_pem = serving.server.certificate_pem;
  made.key_pem = serving.server.key_pem;
  Tls tls{nullptr, serving.authority_pem};
  ASSIGN_OR_RETURN(tls.server, http::TlsServer::Make(made).Context(folder_.pki()));
  return tls;
}

Status ApiHome::WriteConfig(const std::string& authority_pem) {
  TRY(files_.WriteFileAtomic(folder_.admin_config(),
                             apiserver::WriteKubeconfig({server_->url(), authority_pem, "admin", admin_token_, ""})));
  authority_pem_ = authority_pem;
  return Status();
}

void ApiHome::Tend(const Cancel& stop) {
  pollfd stopped{.fd = stop.fd(), .events = POLLIN, .revents = 0};
  while (!stop.requested()) {
    if (::poll(&stopped, 1, kLookAtCertificates) != 0) continue;
    Result<Tls> tls = OpenTls();
    if (!tls.ok()) {
      log_.Warning("cannot renew the serving certificate", {{"error", tls.status().message()}});
      continue;
    }
    server_->SetTls(std::move(tls->server), tls->authority_pem);
    if (tls->authority_pem == authority_pem_) continue;
    if (const Status told = WriteConfig(tls->authority_pem); !told.ok())
      log_.Warning("cannot write the new authority to the admin's kubeconfig", {{"error", told.message()}});
  }
}

kube::Config ApiHome::ClientConfig() const {
  kube::Config config;
  config.server = StrCat("unix://", folder_.socket());
  config.origin = folder_.socket();
  return config;
}

std::string ApiHome::Greeting() const {
  return StrCat("# Kubernetes API on ", server_->url(), " and ", folder_.socket(), ", stored in ", folder_.store(),
                "\nexport KUBECONFIG=", ShellWord(folder_.admin_config()), "\n");
}

std::vector<std::string> ServingNames(const std::string& address, const std::string& hostname, const std::vector<std::string>& interfaces) {
  std::set<std::string> names = {"127.0.0.1", "::1", "localhost"};
  if (address == "0.0.0.0" || address == "::") {
    names.insert(interfaces.begin(), interfaces.end());
  } else {
    names.insert(address);
  }
  if (IsDnsName(hostname)) names.insert(hostname);
  return std::vector<std::string>(names.begin(), names.end());
}

std::string Hostname() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "";
}

}  // namespace allot::local

#include "cli/apiserver.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>

#include "apiserver/data_folder.h"
#include "apiserver/kubeconfig_door.h"
#include "apiserver/server.h"
#include "apiserver/serving_certificate.h"
#include "apiserver/table_access.h"
#include "base/file_system.h"
#include "base/random.h"
#include "cli/interfaces.h"
#include "cli/output.h"
#include "cli/stop_signals.h"

namespace allot::cli {
namespace {

constexpr std::string_view kDefaultPort = "6480";
constexpr size_t kLongestPem = 1 << 20;
constexpr int kLookAtCertificates = 60 * 60 * 1000;  // milliseconds

struct Tls {
  std::shared_ptr<const http::TlsServer> server;
  std::string authority_pem;  // empty: one that the system trusts
};

std::string Hostname() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "";
}

Result<Tls> GivenTls(FileSystem& files, const Arguments& arguments) {
  const auto read = [&](std::string_view flag) -> Result<std::string> {
    if (!arguments.Has(flag)) return std::string();
    return files.ReadFile(arguments.Get(flag), kLongestPem).Context("--", flag);
  };
  if (!arguments.Has("tls-cert-file") || !arguments.Has("tls-private-key-file")) {
    return Invalid("--tls-cert-file and --tls-private-key-file belong together; without both, a certificate is made");
  }
  Tls tls;
  http::TlsServerOptions options;
  ASSIGN_OR_RETURN(options.certificate_pem, read("tls-cert-file"));
  ASSIGN_OR_RETURN(options.key_pem, read("tls-private-key-file"));
  ASSIGN_OR_RETURN(tls.authority_pem, read("tls-ca-file"));
  ASSIGN_OR_RETURN(tls.server, http::TlsServer::Make(options).Context("--tls-cert-file, --tls-private-key-file"));
  return tls;
}

// Those that are given, else those of the folder, made or renewed where needed.
Result<Tls> OpenTls(FileSystem& files, const Clock& clock, const std::string& pki, const std::string& address, const Arguments& arguments) {
  for (const std::string_view flag : {"tls-cert-file", "tls-private-key-file", "tls-ca-file"}) {
    if (arguments.Has(flag)) return GivenTls(files, arguments);
  }
  ASSIGN_OR_RETURN(const auto serving,
                   apiserver::OpenServingCertificate(files, clock, pki, ServingNames(address, Hostname(), InterfaceAddresses())));
  http::TlsServerOptions options;
  options.certificate_pem = serving.server.certificate_pem;
  options.key_pem = serving.server.key_pem;
  Tls tls{nullptr, serving.authority_pem};
  ASSIGN_OR_RETURN(tls.server, http::TlsServer::Make(options).Context(pki));
  return tls;
}

// Each connection and each watch is a file.
void RaiseFileLimit() {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);  // with fewer files it serves fewer clients
}

// Until somebody ends the program. `new_authority` hears of one that signs from now on.
void ServeUntil(const Cancel& stop, apiserver::Server& server, std::string authority_pem, const std::function<Result<Tls>()>& open_tls,
                const std::function<Status(const std::string& authority_pem)>& new_authority) {
  pollfd stopped{.fd = stop.fd(), .events = POLLIN, .revents = 0};
  while (!stop.requested()) {
    if (::poll(&stopped, 1, kLookAtCertificates) != 0) continue;
    Result<Tls> tls = open_tls();
    if (!tls.ok()) {
      Note(StrCat("warning: the certificate stays as it is: ", tls.status().message()));
      continue;
    }
    server.SetTls(std::move(tls->server), tls->authority_pem);
    if (tls->authority_pem == authority_pem) continue;
    if (const Status told = new_authority(tls->authority_pem); told.ok()) {
      authority_pem = std::move(tls->authority_pem);
    } else {
      Note(StrCat("warning: the admin's kubeconfig trusts the old authority: ", told.message()));
    }
  }
}

Status Run(const Arguments& arguments) {
  if (arguments.Bool("print-access")) return Print(apiserver::WriteAccessTable());
  apiserver::ServerOptions options;
  ASSIGN_OR_RETURN(options.address, ListenAddress(arguments.Get("address", "127.0.0.1")));
  ASSIGN_OR_RETURN(options.port, ListenPort(arguments.Get("port", kDefaultPort)));
  const std::string given = arguments.Get("data", DefaultDataFolder(::geteuid() == 0, ProcessEnvironment()));
  if (given.empty()) return Invalid("--data: is empty; name a folder");
  // What is printed is copied into other terminals.
  const std::string path = std::filesystem::absolute(given).lexically_normal().string();
  Result<apiserver::DataFolder> opened = apiserver::OpenDataFolder(path);
  if (!opened.ok()) return Status(opened.status().code(), StrCat(opened.status().message(), "; --data names another folder"));
  const apiserver::DataFolder folder = *std::move(opened);
  RaiseFileLimit();

  PosixFileSystem files;
  SystemClock clock;
  SystemRandom random;
  ASSIGN_OR_RETURN(const std::string token, apiserver::OpenAdminToken(files, random, folder.admin_token()));
  ASSIGN_OR_RETURN(const auto tokens, apiserver::Tokens::Open(files, random, {folder.tokens(), arguments.Get("token-auth-file")}));
  tokens->Add(token, {"system:admin", "", {"system:authenticated", "system:masters"}});
  const apiserver::TableAccess access(*tokens, {.admins = {0, ::geteuid()}});
  const auto open_tls = [&] { return OpenTls(files, clock, folder.pki(), options.address, arguments); };
  ASSIGN_OR_RETURN(const Tls tls, open_tls());
  options.store = folder.store();
  options.socket = folder.socket();
  options.tokens = tokens.get();
  options.tls = tls.server;
  options.authority_pem = tls.authority_pem;
  Log log(clock, Log::Format::kText, Log::Stderr());
  options.log = &log;

  StopSignals signals;  // before there are threads
  Result<std::unique_ptr<apiserver::Server>> started = apiserver::Server::Start(options, access, clock, random);
  if (!started.ok()) return WithAdvice(started.status(), folder.path);
  apiserver::Server& server = **started;
  const auto write_config = [&](const std::string& authority_pem) {
    return files.WriteFileAtomic(folder.admin_config(), apiserver::WriteKubeconfig({server.url(), authority_pem, "admin", token, ""}));
  };
  TRY(write_config(tls.authority_pem));
  if (!arguments.Bool("quiet")) {
    TRY(Print(StrCat("# Kubernetes API on ", server.url(), " and ", folder.socket(), ", stored in ", folder.store(),
                     "\nexport KUBECONFIG=", folder.admin_config(), "\n")));
    TRY(Flush());
  }
  ServeUntil(signals.stop, server, tls.authority_pem, open_tls, write_config);
  return Status();
}

bool IsDnsName(const std::string& text) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.";
  return !text.empty() && text.find_first_not_of(kLetters) == std::string::npos && text.front() != '-' && text.front() != '.';
}

}  // namespace

std::string DefaultDataFolder(bool is_root, const Environment& environment) {
  if (is_root) return kSystemDataFolder;
  const auto variable = [&](const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() ? std::string() : found->second;
  };
  // A path that is not absolute is to be passed over (XDG Base Directory Specification).
  if (const std::string data = variable("XDG_DATA_HOME"); data.starts_with('/')) return data + "/allot/api";
  const std::string home = variable("HOME");
  return StrCat(home.empty() ? "." : home, "/.local/share/allot/api");
}

Result<std::string> ListenAddress(const std::string& text) {
  for (const int family : {AF_INET, AF_INET6}) {
    unsigned char bytes[sizeof(in6_addr)];
    char written[INET6_ADDRSTRLEN] = {};
    if (inet_pton(family, text.c_str(), bytes) == 1 && inet_ntop(family, bytes, written, sizeof written) != nullptr)
      return std::string(written);
  }
  return Invalid("--address: ", Quoted(text),
                 " is no IP address; give one of this machine's, 127.0.0.1 for this machine alone, 0.0.0.0 for all");
}

Result<int> ListenPort(const std::string& text) {
  int port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size() || port < 0 || port > 65535) {
    return Invalid("--port: ", Quoted(text), " is no port; give one from 1 to 65535, or 0 for any that is free");
  }
  return port;
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

Status WithAdvice(const Status& status, const std::string& folder) {
  const std::string& message = status.message();
  const auto says = [&](std::string_view text) { return message.find(text) != std::string::npos; };
  std::string advice;
  if (says("Address already in use")) advice = "; --port names another one, 0 is any that is free";
  if (says("Cannot assign requested address")) advice = "; --address takes one that this machine has";
  if (says("another process has it open") || says("somebody listens there already")) {
    advice = StrCat("; an `allot apiserver` runs with --data ", folder, " already; end it, or name another folder");
  }
  if (says("not a database") || says("malformed")) advice = "; the file is damaged: restore it from a copy, or move it away to begin anew";
  if (status.ok() || advice.empty()) return status;
  return Status(status.code(), message + advice);
}

Verb ApiserverVerb() {
  Verb verb;
  verb.name = "apiserver";
  verb.summary = "A small Kubernetes API on this machine, without a cluster: kubectl works with it.";
  verb.usage = "[flags]";
  verb.examples =
      "# Start it; it prints the kubeconfig that kubectl of another terminal needs\n"
      "allot apiserver\n"
      "export KUBECONFIG=~/.local/share/allot/api/admin.conf\n"
      "# As root, for all users of the machine: each gets a namespace, and a kubeconfig of their own\n"
      "sudo allot apiserver\n"
      "allot kubeconfig --file ~/.kube/allot.conf\n"
      "# For other machines too, with a certificate that is made, or your own\n"
      "allot apiserver --address 0.0.0.0\n"
      "allot apiserver --address 0.0.0.0 --tls-cert-file api.crt --tls-private-key-file api.key\n"
      "# To try something, and throw it away\n"
      "allot apiserver --data /tmp/try --port 0\n";
  verb.flags = {
      {.name = "data",
       .value = "DIR",
       .help = "objects, tokens, certificates, kubeconfig and socket; /var/lib/allot/api or ~/.local/share/allot/api"},
      {.name = "address", .value = "IP", .help = "to listen on; 127.0.0.1 unless given"},
      {.name = "port", .value = "PORT", .help = "to listen on; 6480 unless given, 0 for any that is free"},
      {.name = "tls-cert-file", .value = "FILE", .help = "the server's certificate, with its chain, in PEM; else one is made in DIR/pki"},
      {.name = "tls-private-key-file", .value = "FILE", .help = "its key"},
      {.name = "tls-ca-file", .value = "FILE", .help = "who signed it, for kubeconfigs; else whom the client's system trusts"},
      {.name = "token-auth-file",
       .value = "FILE",
       .help = "tokens of your own, a line each: token,user,uid,\"group,...\"; read again when it changes"},
      {.name = "print-access", .help = "print who may do what, and end"},
      {.name = "quiet", .letter = 'q', .help = "print nothing when it is ready"},
  };
  verb.connects = false;
  verb.run = [](const Verb&, const Arguments& arguments) { return Exit(Run(arguments)); };
  return verb;
}

}  // namespace allot::cli

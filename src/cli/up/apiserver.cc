#include "cli/up/apiserver.h"

#include <arpa/inet.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <filesystem>

#include "apiserver/access/table_access.h"
#include "base/file_system.h"
#include "base/random.h"
#include "base/system_error.h"
#include "cli/output.h"
#include "cli/stop_signals.h"

namespace allot::cli {
namespace {

constexpr std::string_view kDefaultPort = "6480";

// kInvalid for a flag with a wrong value.
Status CheckFlags(const Arguments& arguments) {
  if (arguments.Bool("print-access")) return Status();
  TRY(DataPath(arguments).status());
  return ApiOptions(arguments).status();
}

Status Run(const Arguments& arguments) {
  if (arguments.Bool("print-access")) return Print(apiserver::WriteAccessTable());
  ASSIGN_OR_RETURN(const local::ApiHomeOptions options, ApiOptions(arguments));
  ASSIGN_OR_RETURN(const apiserver::DataFolder folder, OpenData(arguments));
  PosixFileSystem files;
  SystemClock clock;
  SystemRandom random;
  Log log(clock, Log::Format::kText, Log::Stderr());
  StopSignals signals;  // before there are threads
  Result<std::unique_ptr<local::ApiHome>> home = local::ApiHome::Start(options, folder, files, clock, random, log);
  if (!home.ok()) return WithAdvice(home.status(), folder.path);
  if (!arguments.Bool("quiet")) {
    TRY(Print((*home)->Greeting()));
    TRY(Flush());
  }
  (*home)->Tend(signals.stop);
  return Status();
}

}  // namespace

std::string DefaultDataFolder(bool is_root, const Environment& environment) {
  if (is_root) return kSystemDataFolder;
  const auto variable = [&](const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() ? std::string() : found->second;
  };
  // A relative path must be ignored (XDG Base Directory Specification).
  if (const std::string data = variable("XDG_DATA_HOME"); data.starts_with('/')) return data + "/allot/api";
  const std::string home = variable("HOME");
  return home.starts_with('/') ? home + "/.local/share/allot/api" : "";
}

Result<std::string> ListenAddress(const std::string& text) {
  for (const int family : {AF_INET, AF_INET6}) {
    unsigned char bytes[sizeof(in6_addr)];
    char written[INET6_ADDRSTRLEN] = {};
    if (inet_pton(family, text.c_str(), bytes) == 1 && inet_ntop(family, bytes, written, sizeof written) != nullptr)
      return std::string(written);
  }
  return Invalid("--address: ", Quoted(text),
                 " is not an IP address; give an address of this machine, 127.0.0.1 for local clients only, or 0.0.0.0 for all");
}

Result<int> ListenPort(const std::string& text) {
  int port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size() || port < 0 || port > 65535) {
    return Invalid("--port: ", Quoted(text), " is not a port; give one from 1 to 65535, or 0 for any free port");
  }
  return port;
}

Result<local::ApiHomeOptions> ApiOptions(const Arguments& arguments) {
  local::ApiHomeOptions options;
  ASSIGN_OR_RETURN(options.address, ListenAddress(arguments.Get("address", options.address)));
  ASSIGN_OR_RETURN(options.port, ListenPort(arguments.Get("port", kDefaultPort)));
  for (const auto& [flag, file] : {std::pair("tls-cert-file", &options.certificate_file),
                                   {"tls-private-key-file", &options.key_file},
                                   {"tls-ca-file", &options.authority_file},
                                   {"token-auth-file", &options.token_file}}) {
    *file = arguments.Get(flag);
  }
  return options;
}

Result<std::string> DataPath(const Arguments& arguments) {
  const std::string given = arguments.Get("data", DefaultDataFolder(::geteuid() == 0, ProcessEnvironment()));
  if (given.empty()) return Invalid("HOME is not set, so there is no default folder; name one with --data DIR");
  // Absolute, because the printed path is used in other terminals.
  return std::filesystem::absolute(given).lexically_normal().string();
}

Result<apiserver::DataFolder> OpenData(const Arguments& arguments) {
  ASSIGN_OR_RETURN(const std::string path, DataPath(arguments));
  Result<apiserver::DataFolder> opened = apiserver::OpenDataFolder(path);
  if (!opened.ok()) return Status(opened.status().code(), StrCat(opened.status().message(), "; --data names another folder"));
  return opened;
}

Status WithAdvice(const Status& status, const std::string& folder) {
  std::string advice;
  switch (SystemErrorOf(status)) {
    case EADDRINUSE: advice = "; --port names another port, 0 takes any free port"; break;
    case EADDRNOTAVAIL: advice = "; --address must be an address of this machine"; break;
    case ENOSPC:
    case EDQUOT: advice = StrCat("; free space on the disk of ", folder, ", or name a folder on another disk with --data"); break;
    case EBUSY:
      advice = StrCat("; an `allot apiserver` or `allot up` already runs with --data ", folder, "; stop it, or name another folder");
      break;
    default: return status;
  }
  return Status(status.code(), status.message() + advice);
}

std::vector<Flag> ApiFlags() {
  return {
      {.name = "data",
       .value = "DIR",
       .help =
           "the folder of objects, tokens, certificates, kubeconfig and socket (default /var/lib/allot/api or ~/.local/share/allot/api)"},
      {.name = "address", .value = "IP", .help = "the address to listen on (default 127.0.0.1)"},
      {.name = "port", .value = "PORT", .help = "the port to listen on; 0: any free port (default 6480)"},
      {.name = "tls-cert-file",
       .value = "FILE",
       .help = "the server's certificate, with its chain, in PEM (default: one is created in DIR/pki)"},
      {.name = "tls-private-key-file", .value = "FILE", .help = "the certificate's key"},
      {.name = "tls-ca-file",
       .value = "FILE",
       .help = "the certificate's authority, for kubeconfigs (default: those that the client trusts)"},
      {.name = "token-auth-file",
       .value = "FILE",
       .help = "your own tokens, one on each line: token,user,uid,\"group,...\"; read again when the file changes"},
      {.name = "quiet", .letter = 'q', .help = "print nothing when the server is ready"},
  };
}

Verb ApiserverVerb() {
  Verb verb;
  verb.name = "apiserver";
  verb.summary = "Runs a small Kubernetes API on this machine, without a cluster, for kubectl and other clients.";
  verb.usage = "[flags]";
  verb.examples =
      "# Start it; it prints the kubeconfig for kubectl in another terminal\n"
      "allot apiserver\n"
      "export KUBECONFIG=~/.local/share/allot/api/admin.conf\n"
      "# Start it as root, for all users of the machine: each has a namespace and creates a kubeconfig\n"
      "sudo allot apiserver\n"
      "allot kubeconfig --file ~/.kube/allot.conf\n"
      "# Serve other machines, too, with a generated certificate or your own\n"
      "allot apiserver --address 0.0.0.0\n"
      "allot apiserver --address 0.0.0.0 --tls-cert-file api.crt --tls-private-key-file api.key\n"
      "# Try something in a folder that you can delete\n"
      "allot apiserver --data /tmp/try --port 0\n";
  verb.flags = ApiFlags();
  verb.flags.push_back({.name = "print-access", .help = "print the rights of each group, and exit"});
  verb.connects = false;
  verb.run = [](const Verb&, const Arguments& arguments) {
    const Status bad = CheckFlags(arguments);
    return bad.ok() ? Exit(Run(arguments)) : BadUsage(StrCat(bad.message(), "; `allot apiserver --help` lists the flags"));
  };
  return verb;
}

}  // namespace allot::cli

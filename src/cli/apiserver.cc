#include "cli/apiserver.h"

#include <arpa/inet.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>

#include "apiserver/table_access.h"
#include "base/file_system.h"
#include "base/random.h"
#include "cli/output.h"
#include "cli/stop_signals.h"

namespace allot::cli {
namespace {

constexpr std::string_view kDefaultPort = "6480";

// What is wrong with the flags themselves.
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
  // A path that is not absolute is to be passed over (XDG Base Directory Specification).
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
  if (given.empty()) return Invalid("HOME is not set, so there is no folder to keep things in; name one with --data DIR");
  // What is printed is copied into other terminals.
  return std::filesystem::absolute(given).lexically_normal().string();
}

Result<apiserver::DataFolder> OpenData(const Arguments& arguments) {
  ASSIGN_OR_RETURN(const std::string path, DataPath(arguments));
  Result<apiserver::DataFolder> opened = apiserver::OpenDataFolder(path);
  if (!opened.ok()) return Status(opened.status().code(), StrCat(opened.status().message(), "; --data names another folder"));
  return opened;
}

Status WithAdvice(const Status& status, const std::string& folder) {
  const std::string& message = status.message();
  const auto says = [&](std::string_view text) { return message.find(text) != std::string::npos; };
  std::string advice;
  if (says("Address already in use")) advice = "; --port names another one, 0 is any that is free";
  if (says("Cannot assign requested address")) advice = "; --address takes one that this machine has";
  if (says("No space left on device") || says("disk is full") || says("Disk quota exceeded")) {
    advice = StrCat("; make room on the disk of ", folder, ", or name a folder on another one with --data");
  }
  if (says("another process has it open") || says("somebody listens there already")) {
    advice = StrCat("; an `allot apiserver` or `allot up` runs with --data ", folder, " already; end it, or name another folder");
  }
  if (status.ok() || advice.empty()) return status;
  return Status(status.code(), message + advice);
}

std::vector<Flag> ApiFlags() {
  return {
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
      {.name = "quiet", .letter = 'q', .help = "print nothing when it is ready"},
  };
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
  verb.flags = ApiFlags();
  verb.flags.push_back({.name = "print-access", .help = "print who may do what, and end"});
  verb.connects = false;
  verb.run = [](const Verb&, const Arguments& arguments) {
    const Status bad = CheckFlags(arguments);
    return bad.ok() ? Exit(Run(arguments)) : BadUsage(StrCat(bad.message(), "; `allot apiserver --help` lists the flags"));
  };
  return verb;
}

}  // namespace allot::cli

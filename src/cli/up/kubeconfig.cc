#include "cli/up/kubeconfig.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "apiserver/data_folder.h"
#include "base/file_system.h"
#include "base/shell_word.h"
#include "cli/local_api.h"
#include "cli/output.h"
#include "cli/up/apiserver.h"
#include "http/client.h"
#include "http/dial.h"
#include "json/editor.h"
#include "json/json.h"

namespace allot::cli {
namespace {

constexpr std::chrono::seconds kTime{30};

bool SomebodyListens(const std::string& socket) {
  return http::Dial({.host = "", .port = 0, .unix_path = socket}, {SystemClock().MonotonicNow() + kTime, nullptr}).ok();
}

// kInvalid for flags that contradict each other or have a wrong value.
Status CheckFlags(const Arguments& arguments) {
  if (!arguments.Has("server")) return Status();
  if (arguments.Has("data")) return Invalid("--server and --data both name a server; give only one of them");
  if (SocketOf(ServerUrlOf(arguments.Get("server"))).empty())
    return Invalid("--server: ", Quoted(arguments.Get("server")),
                   " is not a unix socket; the server identifies its caller only there: give unix:///PATH or /PATH, such as ",
                   kSystemDataFolder, "/api.sock");
  return Status();
}

std::string SocketFor(const Arguments& arguments) {
  if (arguments.Has("server")) return SocketOf(ServerUrlOf(arguments.Get("server")));
  if (arguments.Has("data")) return apiserver::DataFolder{arguments.Get("data")}.socket();
  if (const LocalApi found = FindLocalApi(); !found.socket.empty()) return found.socket;
  const std::string own = DefaultDataFolder(::geteuid() == 0, ProcessEnvironment());
  const std::string machine = apiserver::DataFolder{kSystemDataFolder}.socket();
  return own.empty() ? machine : ChooseSocket(apiserver::DataFolder{own}.socket(), machine);
}

Status Save(FileSystem& files, const std::string& path, const std::string& text) {
  ::umask(0077);
  const std::string folder = std::filesystem::path(path).parent_path().string();
  if (!folder.empty()) TRY(files.MakeDirs(folder));
  TRY(files.WriteFileAtomic(path, text));
  return Print(StrCat("export KUBECONFIG=", ShellWord(path), "\n"));
}

Status Run(const Arguments& arguments) {
  PosixFileSystem files;
  const std::string path = arguments.Get("file");
  if (arguments.Has("file") && files.Exists(path) && !arguments.Bool("force")) {
    return Invalid("--file: ", path, " exists; name another file, or replace it with --force");
  }
  ASSIGN_OR_RETURN(const std::string text, AskForKubeconfig(SocketFor(arguments)));
  return arguments.Has("file") ? Save(files, path, text) : Print(text);
}

}  // namespace

std::string ChooseSocket(const std::string& own, const std::string& machine) {
  if (own == machine || SomebodyListens(own)) return own;
  // If no server listens at either, prefer the socket that exists: the error then names it.
  return SomebodyListens(machine) || !PosixFileSystem().Exists(own) ? machine : own;
}

Result<std::string> AskForKubeconfig(const std::string& socket) {
  http::ClientOptions options;
  options.address.unix_path = socket;
  options.host = "localhost";
  http::Request request;
  request.method = "POST";
  request.target = "/allot/v1/kubeconfig";
  Result<http::Response> response = http::Client(options).Send(request, {SystemClock().MonotonicNow() + kTime, nullptr});
  if (!response.ok()) {
    return Unavailable(
        response.status().message(),
        "; start a server with `allot up` or `allot apiserver`, or name the socket (--server) or folder (--data) of a running one");
  }
  if (response->status == 201) return std::move(response->body);
  const Result<json::Document> status = json::Parse(response->body);
  const std::string_view message = status.ok() ? json::TextOf(status->root()["message"]) : "";
  return Unavailable(socket, ": the server answers ", response->status, message.empty() ? "" : ": ", message);
}

Verb KubeconfigVerb() {
  Verb verb;
  verb.name = "kubeconfig";
  verb.summary = "Creates your kubeconfig for the API server of this machine (allot up, allot apiserver).";
  verb.usage = "[flags]";
  verb.examples =
      "# Write it to a file that only you can read, for kubectl\n"
      "allot kubeconfig --file ~/.kube/allot.conf\n"
      "export KUBECONFIG=~/.kube/allot.conf\n"
      "kubectl get pods\n"
      "# Ask a server with another folder (allot up --data /tmp/try)\n"
      "allot kubeconfig --server /tmp/try/api.sock\n";
  verb.flags = {
      {.name = "server", .letter = 's', .value = "URL", .help = "the server's socket: unix:///PATH or /PATH"},
      {.name = "data",
       .value = "DIR",
       .help = "or its folder (default: that of the server in KUBECONFIG, else of your own server, else /var/lib/allot/api)"},
      {.name = "file",
       .letter = 'f',
       .value = "FILE",
       .help = "write it to this file, readable only by you; without it, it is printed, including the token"},
      {.name = "force", .help = "replace a file that exists"},
  };
  verb.connects = false;
  verb.run = [](const Verb&, const Arguments& arguments) {
    const Status bad = CheckFlags(arguments);
    return bad.ok() ? Exit(Run(arguments)) : BadUsage(bad.message());
  };
  return verb;
}

}  // namespace allot::cli

#include "cli/kubeconfig.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "apiserver/data_folder.h"
#include "base/file_system.h"
#include "base/shell_word.h"
#include "cli/apiserver.h"
#include "cli/local_api.h"
#include "cli/output.h"
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

// What is wrong with the flags themselves.
Status CheckFlags(const Arguments& arguments) {
  if (!arguments.Has("server")) return Status();
  if (arguments.Has("data")) return Invalid("--server and --data both say which server; give one of them");
  if (SocketOf(ServerUrlOf(arguments.Get("server"))).empty())
    return Invalid("--server: ", Quoted(arguments.Get("server")),
                   " is no unix socket; only there the server knows who asks: give unix:///PATH or /PATH, such as ", kSystemDataFolder,
                   "/api.sock");
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
  // Where nobody listens at all, the error is about the one that is there.
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
    return Unavailable(response.status().message(),
                       "; `allot up` or `allot apiserver` starts a server; --server names the socket, --data the folder of one that runs");
  }
  if (response->status == 201) return std::move(response->body);
  const Result<json::Document> status = json::Parse(response->body);
  const std::string_view message = status.ok() ? json::TextOf(status->root()["message"]) : "";
  return Unavailable(socket, ": the server answers ", response->status, message.empty() ? "" : ": ", message);
}

Verb KubeconfigVerb() {
  Verb verb;
  verb.name = "kubeconfig";
  verb.summary = "A kubeconfig of your own for the API server of this machine (allot apiserver).";
  verb.usage = "[flags]";
  verb.examples =
      "# Into a file that only you can read, for kubectl\n"
      "allot kubeconfig --file ~/.kube/allot.conf\n"
      "export KUBECONFIG=~/.kube/allot.conf\n"
      "kubectl get pods\n"
      "# From a server with a folder of its own (allot up --data /tmp/try)\n"
      "allot kubeconfig --server /tmp/try/api.sock\n";
  verb.flags = {
      {.name = "server", .letter = 's', .value = "URL", .help = "the server's socket: unix:///PATH or /PATH"},
      {.name = "data",
       .value = "DIR",
       .help = "or its folder; that of the server that KUBECONFIG names, of your own, else /var/lib/allot/api"},
      {.name = "file",
       .letter = 'f',
       .value = "FILE",
       .help = "write it there, for you alone to read; else it is printed, with the token in it"},
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

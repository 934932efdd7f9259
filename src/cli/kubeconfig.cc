#include "cli/kubeconfig.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "apiserver/data_folder.h"
#include "base/file_system.h"
#include "cli/apiserver.h"
#include "cli/output.h"
#include "http/client.h"
#include "json/editor.h"
#include "json/json.h"

namespace allot::cli {
namespace {

constexpr std::chrono::seconds kTime{30};

// Of the flag; else one of the user's own, where there is a server; else the machine's.
apiserver::DataFolder FolderOf(const FileSystem& files, const Arguments& arguments) {
  if (arguments.Has("data")) return {arguments.Get("data")};
  const apiserver::DataFolder own{DefaultDataFolder(::geteuid() == 0, ProcessEnvironment())};
  return files.Exists(own.socket()) ? own : apiserver::DataFolder{kSystemDataFolder};
}

Status Save(FileSystem& files, const std::string& path, const std::string& text) {
  ::umask(0077);
  const std::string folder = std::filesystem::path(path).parent_path().string();
  if (!folder.empty()) TRY(files.MakeDirs(folder));
  TRY(files.WriteFileAtomic(path, text));
  return Print(StrCat("export KUBECONFIG=", path, "\n"));
}

Status Run(const Arguments& arguments) {
  PosixFileSystem files;
  const std::string path = arguments.Get("file");
  if (arguments.Has("file") && files.Exists(path) && !arguments.Bool("force")) {
    return Invalid("--file: ", path, " exists; name another file, or replace it with --force");
  }
  ASSIGN_OR_RETURN(const std::string text, AskForKubeconfig(FolderOf(files, arguments).socket()));
  return arguments.Has("file") ? Save(files, path, text) : Print(text);
}

}  // namespace

Result<std::string> AskForKubeconfig(const std::string& socket) {
  http::ClientOptions options;
  options.address.unix_path = socket;
  options.host = "localhost";
  http::Request request;
  request.method = "POST";
  request.target = "/allot/v1/kubeconfig";
  Result<http::Response> response = http::Client(options).Send(request, {SystemClock().MonotonicNow() + kTime, nullptr});
  if (!response.ok()) {
    return Unavailable(response.status().message(), "; `allot apiserver` starts a server, --data names the folder of one that runs");
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
      "kubectl get pods\n";
  verb.flags = {
      {.name = "data", .value = "DIR", .help = "the server's folder; that of your own server, else /var/lib/allot/api"},
      {.name = "file",
       .letter = 'f',
       .value = "FILE",
       .help = "write it there, for you alone to read; else it is printed, with the token in it"},
      {.name = "force", .help = "replace a file that exists"},
  };
  verb.connects = false;
  verb.run = [](const Verb&, const Arguments& arguments) { return Exit(Run(arguments)); };
  return verb;
}

}  // namespace allot::cli

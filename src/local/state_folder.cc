#include "local/state_folder.h"

#include <unistd.h>

#include <filesystem>

#include "local/machine.h"

namespace allot::local {
namespace {

namespace fs = std::filesystem;

// Creates a folder that other users can traverse, but not list.
Status MakePassage(FileSystem& files, const std::string& path) {
  TRY(files.MakeDirs(path));
  std::error_code error;
  fs::permissions(path, fs::perms(0711), error);
  return error ? Unavailable("set the mode of ", path, ": ", error.message()) : Status();
}

}  // namespace

Result<std::unique_ptr<StateFolder>> StateFolder::Open(FileSystem& files, const std::string& path) {
  const std::string pid_path = path + "/up.pid";
  Result<std::unique_ptr<FileLock>> lock = files.Lock(path + "/up.lock", std::chrono::milliseconds(0));
  if (!lock.ok() && lock.status().code() == Code::kUnavailable) {
    const Result<std::string> pid = files.ReadFile(pid_path, 64);
    return Unavailable("another `allot up` uses ", path, pid.ok() ? StrCat(" (PID ", Trim(*pid), ")") : "",
                       "; stop it, or use another folder with --data");
  }
  if (!lock.ok()) return lock.status();
  TRY(files.ReplaceFile(pid_path, StrCat(::getpid(), "\n")));
  TRY(MakePassage(files, path + "/nodes"));
  return std::unique_ptr<StateFolder>(new StateFolder(files, path, *std::move(lock)));
}

Result<std::string> StateFolder::KeepHostname(const std::string& now) {
  constexpr size_t kLongest = 300;
  const std::string path = path_ + "/hostname";
  if (files_.Exists(path)) {
    ASSIGN_OR_RETURN(const std::string kept, files_.ReadFile(path, kLongest));
    const std::string_view name = Trim(kept);
    if (!name.empty() && NodeNameOf(name) != name) {
      return Invalid(path, ": ", Quoted(name),
                     " is not a valid node name; write the name of the nodes' folders in nodes/, without its number");
    }
    if (!name.empty()) return std::string(name);
  }
  TRY(files_.WriteFileAtomic(path, now + "\n"));
  return now;
}

Result<NodeFolder> StateFolder::Node(const std::string& name) {
  NodeFolder folder{StrCat(path_, "/nodes/", name)};
  TRY(MakePassage(files_, folder.path));
  return folder;
}

Result<std::vector<std::string>> StateFolder::Nodes() const { return files_.List(path_ + "/nodes"); }

Status StateFolder::RemoveNode(const std::string& name) {
  for (const std::string& path : {PodsOf(name), StrCat(path_, "/nodes/", name)}) {
    std::error_code error;
    fs::remove_all(path, error);
    if (error) return Unavailable("remove ", path, ": ", error.message());
  }
  return Status();
}

}  // namespace allot::local

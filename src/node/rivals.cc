#include "node/rivals.h"

#include "http/dial.h"
#include "node/devices.h"

namespace allot::node {

namespace {

constexpr std::string_view kResource = "nvidia.com/gpu";
constexpr size_t kMaxMark = 256;

std::string MarkOf(const FileStamp& stamp) { return StrCat("allot ", stamp.device, " ", stamp.inode, "\n"); }

std::string MarkPath(const std::string& state, const std::string& socket) {
  return StrCat(state, "/", socket.substr(socket.find_last_of('/') + 1), ".mark");
}

bool IsOurs(const FileSystem& files, const std::string& state, const std::string& socket) {
  const Result<FileStamp> stamp = files.Stamp(socket);
  const Result<std::string> mark = files.ReadFile(MarkPath(state, socket), kMaxMark);
  return stamp.ok() && mark.ok() && *mark == MarkOf(*stamp);
}

// Whether somebody listens; a socket file that a killed process left answers nobody.
bool Answers(const std::string& socket) {
  const MonotonicTime soon = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  return http::Dial({.unix_path = socket}, {.deadline = soon}).ok();
}

}  // namespace

Status CheckDevicePlugin(const json::Value& node) {
  const json::Value& amount = node["status"]["capacity"][kResource];
  if (!amount.IsString() || amount.AsString() == "0") return {};
  return Unavailable(
      "a device plugin already hands out the GPUs of this node (", kResource, ": ", amount.AsString(),
      "); to take over, remove NVIDIA's device plugin from the node (its DaemonSet, or label the node so that it does not run "
      "there): running Pods keep their GPUs until they end, so drain the node first");
}

Status CheckDraDriver(const FileSystem& files, const std::string& registry, const std::string& state) {
  const Result<std::vector<std::string>> names = files.List(registry);
  if (!names.ok()) return {};
  for (const std::string& name : *names) {
    if (!name.starts_with(kDriver) || !name.ends_with("-reg.sock")) continue;
    const std::string socket = StrCat(registry, "/", name);
    if (IsOurs(files, state, socket) || !Answers(socket)) continue;
    return Unavailable(
        "another DRA driver is already registered for ", kDriver, " (", socket,
        "); to take over, drain the node, uninstall that driver (helm uninstall nvidia-dra-driver-gpu), and allot goes on by itself");
  }
  return {};
}

Status MarkSocket(FileSystem& files, const std::string& state, const std::string& path) {
  ASSIGN_OR_RETURN(const FileStamp stamp, files.Stamp(path));
  return files.ReplaceFile(MarkPath(state, path), MarkOf(stamp));
}

}  // namespace allot::node

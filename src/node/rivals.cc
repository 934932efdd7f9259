#include "node/rivals.h"

#include <algorithm>

#include "http/dial.h"
#include "node/devices.h"

namespace allot::node {

namespace {

// Also with a suffix (".shared"), and those of MIG devices.
constexpr std::string_view kResources[] = {"nvidia.com/gpu", "nvidia.com/mig-"};
constexpr std::string_view kRegistration = "-reg.sock";
constexpr size_t kMaxMark = 256;

std::string MarkOf(const FileStamp& stamp) { return StrCat("allot ", stamp.device, " ", stamp.inode, " ", stamp.modified_ns, "\n"); }

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
  const json::Value& capacity = node["status"]["capacity"];
  if (!capacity.IsObject()) return {};
  const auto is_rival = [](const json::Member& member) {
    const bool named =
        std::any_of(std::begin(kResources), std::end(kResources), [&](std::string_view one) { return member.key.starts_with(one); });
    return named && member.value.IsString() && member.value.AsString() != "0";
  };
  const auto found = std::find_if(capacity.Members().begin(), capacity.Members().end(), is_rival);
  if (found == capacity.Members().end()) return {};
  return Unavailable(
      "a device plugin already hands out the GPUs of this node (", found->key, ": ", found->value.AsString(),
      "); to take over, remove NVIDIA's device plugin from the node (its DaemonSet, or label the node so that it does not run "
      "there): running Pods keep their GPUs until they end, so drain the node first");
}

Status CheckDraDriver(const FileSystem& files, const std::string& registry, const std::string& state) {
  const Result<std::vector<std::string>> names = files.List(registry);
  if (!names.ok()) return {};
  for (const std::string& name : *names) {
    if (!name.starts_with(kDriver) || !name.ends_with(kRegistration)) continue;
    const std::string socket = StrCat(registry, "/", name);
    if (IsOurs(files, state, socket) || !Answers(socket)) continue;
    return Unavailable(
        "another DRA driver is already registered for ", kDriver, " (", socket,
        "); to take over, drain the node, uninstall that driver (helm uninstall nvidia-dra-driver-gpu), and allot goes on by itself");
  }
  return {};
}

void RemoveDeadSockets(FileSystem& files, const std::string& registry, const std::string& state) {
  const Result<std::vector<std::string>> names = files.List(registry);
  if (!names.ok()) return;
  for (const std::string& name : *names) {
    const std::string socket = StrCat(registry, "/", name);
    if (!name.starts_with(kDriver) || !name.ends_with(kRegistration) || !IsOurs(files, state, socket) || Answers(socket)) continue;
    // "gpu.nvidia.com-<uid>-reg.sock" stands for "dra-<uid>.sock".
    const std::string uid = name.substr(kDriver.size(), name.size() - kDriver.size() - kRegistration.size());
    // What cannot be removed does no harm that could be mended here.
    for (const std::string& path : {socket, StrCat(state, "/dra", uid, ".sock"), MarkPath(state, socket)}) {
      [[maybe_unused]] const Status removed = files.Remove(path);
    }
  }
}

Result<SocketMark> MarkSocket(FileSystem& files, const std::string& state, const std::string& path) {
  ASSIGN_OR_RETURN(const FileStamp stamp, files.Stamp(path));
  SocketMark mark{MarkPath(state, path), MarkOf(stamp)};
  TRY(files.ReplaceFile(mark.path, mark.text));
  return mark;
}

bool IsSocketMarked(const FileSystem& files, const SocketMark& mark, const std::string& path) {
  const Result<FileStamp> stamp = files.Stamp(path);
  return stamp.ok() && MarkOf(*stamp) == mark.text;
}

Status CheckSocketFree(const std::string& path) {
  if (!Answers(path)) return {};
  return Unavailable("another agent has taken the place of ", path, "; give each --pod-uid, or end one of them");
}

void UnmarkSocket(FileSystem& files, const SocketMark& mark) {
  // Another agent may have taken the socket's place, and marked it as its own.
  const Result<std::string> text = files.ReadFile(mark.path, mark.text.size() + 1);
  if (text.ok() && *text == mark.text) [[maybe_unused]]
    const Status removed = files.Remove(mark.path);
}

}  // namespace allot::node

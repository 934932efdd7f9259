#include "node/kubelet/rivals.h"

#include "http/dial.h"
#include "model/trouble.h"

namespace allot::node {

namespace {

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

// Whether the file is a registration socket of the driver: "DRIVER-reg.sock" or "DRIVER-<uid>-reg.sock".
bool IsRegistration(std::string_view name, std::string_view driver) {
  return name.starts_with(driver) && name.substr(driver.size()).starts_with('-') && name.ends_with(kRegistration);
}

// Whether a process listens. The socket file of a killed process stays, but does not answer.
bool Answers(const std::string& socket) {
  const MonotonicTime soon = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  return http::Dial({.unix_path = socket}, {.deadline = soon}).ok();
}

}  // namespace

Status CheckDraDriver(const FileSystem& files, const DriverSockets& sockets, std::string_view way_out) {
  const auto& [driver, registry, state] = sockets;
  const Result<std::vector<std::string>> names = files.List(registry);
  if (!names.ok()) return {};
  for (const std::string& name : *names) {
    if (!IsRegistration(name, driver)) continue;
    const std::string socket = StrCat(registry, "/", name);
    if (IsOurs(files, state, socket) || !Answers(socket)) continue;
    return Unavailable("another DRA driver is already registered for ", driver, " (", socket, "); ", way_out, " ",
                       model::CodeOf(model::Trouble::kOtherDriver));
  }
  return {};
}

void RemoveDeadSockets(FileSystem& files, const DriverSockets& sockets) {
  const auto& [driver, registry, state] = sockets;
  const Result<std::vector<std::string>> names = files.List(registry);
  if (!names.ok()) return;
  for (const std::string& name : *names) {
    const std::string socket = StrCat(registry, "/", name);
    if (!IsRegistration(name, driver) || !IsOurs(files, state, socket) || Answers(socket)) continue;
    // "gpu.nvidia.com-<uid>-reg.sock" belongs to "dra-<uid>.sock".
    const std::string uid = name.substr(driver.size(), name.size() - driver.size() - kRegistration.size());
    // A file that cannot be removed is left there; nothing better can be done.
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
  return Unavailable("another agent has replaced the socket ", path, "; give each agent its own --pod-uid, or end one of them");
}

void UnmarkSocket(FileSystem& files, const SocketMark& mark) {
  // Another agent may have replaced the socket and marked it as its own.
  const Result<std::string> text = files.ReadFile(mark.path, mark.text.size() + 1);
  if (text.ok() && *text == mark.text) [[maybe_unused]]
    const Status removed = files.Remove(mark.path);
}

}  // namespace allot::node

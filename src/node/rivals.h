#pragma once
// Other software that hands out the GPUs of this node: two ledgers for one card would over-commit it, so allot does not start beside it.

#include <string>

#include "base/file_system.h"
#include "base/status.h"
#include "json/value.h"

namespace allot::node {

// Ok: this node's GPUs are not served by a device plugin. kUnavailable names it and says how to take over. `node`: the Node object.
Status CheckDevicePlugin(const json::Value& node);

// Ok: nobody, or another allot (a rolling update), answers at the driver's sockets. kUnavailable names the socket and says how to take
// over.
//   `registry`: kubelet's folder of registration sockets; `state`: the driver's own folder.
Status CheckDraDriver(const FileSystem& files, const std::string& registry, const std::string& state);

// Removes registration sockets that a killed agent of ours left, and the service sockets that they stand for: kubelet would go on calling.
void RemoveDeadSockets(FileSystem& files, const std::string& registry, const std::string& state);

struct SocketMark {
  std::string path, text;
};
// Says that the socket at `path` is ours, for CheckDraDriver of others. In `state`.
Result<SocketMark> MarkSocket(FileSystem& files, const std::string& state, const std::string& path);
void UnmarkSocket(FileSystem& files, const SocketMark& mark);
// Whether the socket at `path` is the one of the mark.
bool IsSocketMarked(const FileSystem& files, const SocketMark& mark, const std::string& path);
// Ok where nobody answers at the socket.
Status CheckSocketFree(const std::string& path);

}  // namespace allot::node

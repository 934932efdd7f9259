#pragma once
// Finds another DRA driver of the same name on this node. Two ledgers for one device would over-commit it, so allot does not serve beside
// another driver.

#include <string>

#include "base/file_system.h"
#include "base/status.h"

namespace allot::node {

// Where the sockets of a driver are.
struct DriverSockets {
  std::string driver;
  std::string registry;  // kubelet's folder of registration sockets
  std::string state;     // the driver's own folder
};

// Ok if no other driver answers at the sockets, or if the other one is an allot too (a rolling update). kUnavailable names the socket and
// ends with `way_out`, which says what an admin does to take over.
Status CheckDraDriver(const FileSystem& files, const DriverSockets& sockets, std::string_view way_out);

// Removes the registration sockets that a killed allot left, and the service sockets that belong to them. Kubelet would go on calling them.
void RemoveDeadSockets(FileSystem& files, const DriverSockets& sockets);

struct SocketMark {
  std::string path, text;
};
// Marks the socket at `path` as allot's, with a file in the folder `state`, for CheckDraDriver of other agents.
Result<SocketMark> MarkSocket(FileSystem& files, const std::string& state, const std::string& path);
void UnmarkSocket(FileSystem& files, const SocketMark& mark);
// Whether the socket at `path` is the one that was marked.
bool IsSocketMarked(const FileSystem& files, const SocketMark& mark, const std::string& path);
// Ok if no process answers at the socket.
Status CheckSocketFree(const std::string& path);

}  // namespace allot::node

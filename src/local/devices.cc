#include "local/devices.h"

#include <algorithm>

#include "local/pods/pod_environment.h"

namespace allot::local {
namespace {

template <typename Item>
void AddMissing(const std::vector<Item>& more, std::vector<Item>& items) {
  for (const Item& item : more) {
    if (std::find(items.begin(), items.end(), item) == items.end()) items.push_back(item);
  }
}

}  // namespace

void Merge(const DeviceAccess& more, DeviceAccess& access) {
  MergeDeviceEnvironment(more.environment, access.environment);
  MergeDeviceEnvironment(more.edits.environment, access.edits.environment);
  AddMissing(more.edits.device_nodes, access.edits.device_nodes);
  AddMissing(more.edits.mounts, access.edits.mounts);
  AddMissing(more.edits.hooks, access.edits.hooks);
}

}  // namespace allot::local

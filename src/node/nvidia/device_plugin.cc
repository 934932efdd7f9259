#include "node/nvidia/device_plugin.h"

#include "model/trouble.h"

#include <algorithm>

namespace allot::node::nvidia {

namespace {

// The resources of GPUs and MIG devices; they can have a suffix (".shared").
constexpr std::string_view kResources[] = {"nvidia.com/gpu", "nvidia.com/mig-"};

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
      "there): running Pods keep their GPUs until they end, so drain the node first ",
      model::CodeOf(model::Trouble::kDevicePlugin));
}

}  // namespace allot::node::nvidia

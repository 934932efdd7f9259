#include "node/nvidia/edits.h"

#include <algorithm>

#include "model/trouble.h"
#include "node/nvidia/devices.h"
#include "node/nvidia/share_state.h"

namespace allot::node::nvidia {

namespace {

constexpr char kVoid[] = "NVIDIA_VISIBLE_DEVICES=void";

// "ALLOT_GPU_MEMORY_GPU_0b1c..__7f3a..=6144"
std::string MemoryLimit(const Share& share) {
  std::string name = StrCat("ALLOT_GPU_MEMORY_", share.uuid, share.share_id.empty() ? "" : "__", share.share_id);
  std::replace(name.begin(), name.end(), '-', '_');
  return StrCat(name, "=", share.memory_mib);
}

void AddMps(const Sharing& sharing, const std::string& pipes, ContainerEdits& edits) {
  if (sharing.strategy != "MPS") return;
  edits.env.emplace_back("CUDA_MPS_PIPE_DIRECTORY=/tmp/nvidia-mps");
  edits.mounts.push_back({pipes, "/tmp/nvidia-mps", {"rw", "nosuid", "nodev", "bind"}});
  if (sharing.thread_percentage > 0) edits.env.push_back(StrCat("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=", sharing.thread_percentage));
  if (sharing.pinned_memory_mib > 0) {
    edits.env.push_back(StrCat("CUDA_MPS_PINNED_DEVICE_MEM_LIMIT=0=", sharing.pinned_memory_mib, "M"));
  }
}

class Maker {
 public:
  explicit Maker(const EditsInput& input)
      : input_(input),
        driver_(DriverFiles::Find(input.files, input.root, input.gpus.empty() ? "" : input.gpus.front().raw_driver_version)) {}

  Status AddNodes(const Share& share, ContainerEdits& edits) const {
    // Found by UUID, because a reboot can change the minor numbers.
    const auto found = FindByUuid(input_.gpus, share.uuid);
    if (!found) return Unavailable(share.uuid, ", which the claim holds as ", share.device, ", is not in this machine now");
    std::vector<std::string> nodes = {GpuNode(found->gpu->minor)};
    if (found->mig != nullptr) {
      ASSIGN_OR_RETURN(const std::vector<std::string> caps,
                       MigNodes(input_.files, input_.proc, found->gpu->minor, found->mig->gpu_instance, found->mig->compute_instance));
      nodes.insert(nodes.end(), caps.begin(), caps.end());
    }
    for (const std::string& node : nodes) {
      if (!Exists(node))
        return Unavailable("device node ", OnHost(node), " of ", share.device, " is missing; is the driver loaded? ",
                           model::CodeOf(model::Trouble::kNoDeviceNode));
      edits.nodes.emplace_back(node, OnHost(node));
    }
    return driver_.Check();
  }

  void AddDriver(ContainerEdits& edits) const {
    for (const std::string& node : driver_.control_nodes) edits.nodes.emplace_back(node, OnHost(node));
    for (const std::string& path : driver_.mounts) {
      edits.mounts.push_back({input_.root.Host(path), path, {"ro", "nosuid", "nodev", "rbind", "rprivate"}});
    }
    for (const std::string& path : driver_.sockets) {
      edits.mounts.push_back({input_.root.Host(path), path, {"nosuid", "nodev", "noexec", "rbind", "rprivate"}});
    }
    if (input_.hook.empty() || driver_.library_folders.empty()) return;
    std::vector<std::string> argv = {input_.hook, "update-ldcache"};
    for (const std::string& folder : driver_.library_folders) argv.push_back(StrCat("--folder=", folder));
    edits.hooks.push_back(std::move(argv));
  }

 private:
  std::string OnHost(const std::string& node) const { return driver_.dev_in_root ? input_.root.Host(node) : node; }
  bool Exists(const std::string& node) const { return input_.files.Exists(driver_.dev_in_root ? input_.root.Here(node) : node); }

  const EditsInput& input_;
  const DriverFiles driver_;
};

}  // namespace

Result<ClaimEdits> EditsOf(const Holding& holding, const EditsInput& input) {
  const Maker maker(input);
  ClaimEdits all;
  bool all_by_toolkit = true;
  for (const Share& share : holding.shares) {
    ASSIGN_OR_RETURN(const ShareState state, ShareState::FromJson(share.state));
    ContainerEdits& edits = all.shares.emplace_back();
    if (share.memory_mib > 0 && !share.admin) edits.env.push_back(MemoryLimit(share));
    if (!state.toolkit) {
      all_by_toolkit = false;
      TRY(maker.AddNodes(share, edits));
    }
    AddMps(state.sharing, input.mps_pipes, edits);
    if (edits.env.empty() && edits.nodes.empty()) edits.env.emplace_back(kVoid);
  }
  all.common.env.emplace_back(kVoid);
  if (!all_by_toolkit) maker.AddDriver(all.common);
  return all;
}

}  // namespace allot::node::nvidia

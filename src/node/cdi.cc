#include "node/cdi.h"

#include <algorithm>

#include "json/builder.h"
#include "json/json.h"
#include "node/devices.h"

namespace allot::node {

namespace {

constexpr std::string_view kSuffix = ".yaml";
constexpr std::string_view kVersion = "0.6.0";  // the first with annotations
constexpr std::string_view kClaim = "allot/claim";
constexpr size_t kMaxSpec = 1 << 20;

// The lists of `containerEdits`, filled and then written.
struct Edits {
  std::vector<std::string> env;
  std::vector<std::pair<std::string, std::string>> nodes;  // in the container, on the host
  struct Mount {
    std::string host, container;
    std::vector<std::string_view> options;
  };
  std::vector<Mount> mounts;
  std::vector<std::vector<std::string>> hooks;  // argv of createContainer hooks
};

void WriteTexts(json::Builder& to, const auto& texts) {
  to.StartArray();
  for (const auto& text : texts) to.String(text);
  to.EndArray();
}

template <typename List, typename Write>
void WriteList(json::Builder& to, std::string_view key, const List& list, Write write) {
  if (list.empty()) return;
  to.SharedKey(key);
  to.StartArray();
  for (const auto& one : list) {
    to.StartObject();
    write(one);
    to.EndObject();
  }
  to.EndArray();
}

void Field(json::Builder& to, std::string_view key, std::string_view text) {
  to.SharedKey(key);
  to.String(text);
}

void WriteEdits(json::Builder& to, const Edits& edits) {
  to.SharedKey("containerEdits");
  to.StartObject();
  if (!edits.env.empty()) {
    to.SharedKey("env");
    WriteTexts(to, edits.env);
  }
  WriteList(to, "deviceNodes", edits.nodes, [&](const auto& node) {
    Field(to, "path", node.first);
    if (node.second != node.first) Field(to, "hostPath", node.second);
    Field(to, "permissions", "rw");
  });
  WriteList(to, "mounts", edits.mounts, [&](const Edits::Mount& mount) {
    Field(to, "hostPath", mount.host);
    Field(to, "containerPath", mount.container);
    to.SharedKey("options");
    WriteTexts(to, mount.options);
  });
  WriteList(to, "hooks", edits.hooks, [&](const std::vector<std::string>& argv) {
    Field(to, "hookName", "createContainer");
    Field(to, "path", argv[0]);
    to.SharedKey("args");
    WriteTexts(to, argv);
  });
  to.EndObject();
}

// "ALLOT_GPU_MEMORY_GPU_0b1c..__7f3a..=6144"
std::string MemoryLimit(const Share& share) {
  std::string name = StrCat("ALLOT_GPU_MEMORY_", share.uuid, share.share_id.empty() ? "" : "__", share.share_id);
  std::replace(name.begin(), name.end(), '-', '_');
  return StrCat(name, "=", share.memory_mib);
}

// A name for each share: "<UID>-<device>", and where one device has several of them, the share's place behind it: up to Kubernetes 1.35
// even one request may have several.
std::string DeviceNameOf(const Holding& holding, size_t index) {
  const Share& share = holding.shares[index];
  const auto same =
      std::count_if(holding.shares.begin(), holding.shares.end(), [&](const Share& one) { return one.device == share.device; });
  if (same == 1) return StrCat(holding.uid, "-", share.device);
  return StrCat(holding.uid, "-", share.device, "-", index);
}

void AddMps(const HeldShare& share, const std::string& pipes, Edits& edits) {
  if (share.sharing.strategy != "MPS") return;
  edits.env.emplace_back("CUDA_MPS_PIPE_DIRECTORY=/tmp/nvidia-mps");
  edits.mounts.push_back({pipes, "/tmp/nvidia-mps", {"rw", "nosuid", "nodev", "bind"}});
  if (share.sharing.thread_percentage > 0) {
    edits.env.push_back(StrCat("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=", share.sharing.thread_percentage));
  }
  if (share.sharing.pinned_memory_mib > 0) {
    edits.env.push_back(StrCat("CUDA_MPS_PINNED_DEVICE_MEM_LIMIT=0=", share.sharing.pinned_memory_mib, "M"));
  }
}

}  // namespace

std::string Cdi::PathOf(std::string_view uid) const { return StrCat(options_.folder, "/", kCdiPrefix, uid, kSuffix); }

std::vector<std::string> Cdi::DeviceIds(const Holding& holding, size_t share) const {
  std::vector<std::string> ids;
  if (holding.shares[share].toolkit) ids.push_back(StrCat("nvidia.com/gpu=", holding.shares[share].uuid));
  ids.push_back(StrCat(kCdiKind, "=", DeviceNameOf(holding, share)));
  return ids;
}

Result<std::string> Cdi::Spec(const Holding& holding, std::span<const device::Gpu> gpus) const {
  const DriverFiles driver = DriverFiles::Find(files_, root_, gpus.empty() ? "" : gpus.front().raw_driver_version);
  const auto host_node = [&](const std::string& node) { return driver.dev_in_root ? root_.Host(node) : node; };
  const auto have_node = [&](const std::string& node) { return files_.Exists(driver.dev_in_root ? root_.Here(node) : node); };

  json::Arena arena;
  json::Builder to(arena);
  to.StartObject();
  Field(to, "cdiVersion", kVersion);
  Field(to, "kind", kCdiKind);
  // Whose it is, in case that the journal is lost.
  to.SharedKey("annotations");
  to.StartObject();
  Field(to, kClaim, StrCat(holding.name_space, "/", holding.name));
  to.EndObject();
  to.SharedKey("devices");
  to.StartArray();
  bool all_by_toolkit = true;
  for (size_t i = 0; i < holding.shares.size(); ++i) {
    const HeldShare& share = holding.shares[i];
    Edits edits;
    if (share.memory_mib > 0 && !share.admin) edits.env.push_back(MemoryLimit(share));
    if (!share.toolkit) {
      all_by_toolkit = false;
      // Where the GPU is now: after a reboot the numbers may be others.
      const auto found = FindByUuid(gpus, share.uuid);
      if (!found) return Unavailable(share.uuid, ", which the claim holds as ", share.device, ", is not in this machine now");
      std::vector<std::string> nodes = {GpuNode(found->gpu->minor)};
      if (found->mig != nullptr) {
        ASSIGN_OR_RETURN(const std::vector<std::string> caps,
                         MigNodes(files_, options_.proc, found->gpu->minor, found->mig->gpu_instance, found->mig->compute_instance));
        nodes.insert(nodes.end(), caps.begin(), caps.end());
      }
      for (const std::string& node : nodes) {
        if (!have_node(node))
          return Unavailable("device node ", host_node(node), " of ", share.device, " is missing; is the driver loaded?");
        edits.nodes.emplace_back(node, host_node(node));
      }
      TRY(driver.Check());
    }
    AddMps(share, options_.mps_pipes, edits);
    // CDI takes no device without edits.
    if (edits.env.empty() && edits.nodes.empty()) edits.env.emplace_back("NVIDIA_VISIBLE_DEVICES=void");
    to.StartObject();
    Field(to, "name", DeviceNameOf(holding, i));
    WriteEdits(to, edits);
    to.EndObject();
  }
  to.EndArray();

  Edits common;
  common.env.emplace_back("NVIDIA_VISIBLE_DEVICES=void");
  if (!all_by_toolkit) {
    for (const std::string& node : driver.control_nodes) common.nodes.emplace_back(node, host_node(node));
    for (const std::string& path : driver.mounts) {
      common.mounts.push_back({root_.Host(path), path, {"ro", "nosuid", "nodev", "rbind", "rprivate"}});
    }
    for (const std::string& path : driver.sockets) {
      common.mounts.push_back({root_.Host(path), path, {"nosuid", "nodev", "noexec", "rbind", "rprivate"}});
    }
    if (!options_.hook.empty() && !driver.library_folders.empty()) {
      std::vector<std::string> argv = {options_.hook, "update-ldcache"};
      for (const std::string& folder : driver.library_folders) argv.push_back(StrCat("--folder=", folder));
      common.hooks.push_back(std::move(argv));
    }
  }
  WriteEdits(to, common);
  to.EndObject();
  return json::Write(to.Finish(), {.indent = 2}) + "\n";
}

Status Cdi::Write(const Holding& holding, std::span<const device::Gpu> gpus) {
  ASSIGN_OR_RETURN(const std::string spec, Spec(holding, gpus));
  const std::string path = PathOf(holding.uid);
  if (const Result<std::string> there = files_.ReadFile(path, kMaxSpec); there.ok() && *there == spec) return {};
  if (!files_.Exists(options_.folder)) TRY(files_.MakeDirs(options_.folder));
  return files_.ReplaceFile(path, spec);
}

Result<ClaimRef> Cdi::ClaimOf(std::string_view uid) const {
  ASSIGN_OR_RETURN(const std::string text, files_.ReadFile(PathOf(uid), kMaxSpec));
  ASSIGN_OR_RETURN(const json::Document spec, json::Parse(text));
  const json::Value& claim = spec.root()["annotations"][kClaim];
  const std::string_view name = claim.IsString() ? claim.AsString() : std::string_view();
  const size_t slash = name.find('/');
  if (slash == std::string_view::npos) return Invalid(PathOf(uid), ": does not say of which claim it is");
  return ClaimRef{std::string(name.substr(0, slash)), std::string(name.substr(slash + 1)), std::string(uid)};
}

Status Cdi::Remove(std::string_view uid) { return files_.Remove(PathOf(uid)); }

Result<std::vector<std::string>> Cdi::Uids() const {
  if (!files_.Exists(options_.folder)) return std::vector<std::string>();
  ASSIGN_OR_RETURN(const std::vector<std::string> names, files_.List(options_.folder));
  std::vector<std::string> uids;
  for (const std::string_view name : names) {
    if (!name.starts_with(kCdiPrefix) || !name.ends_with(kSuffix)) continue;
    uids.emplace_back(name.substr(kCdiPrefix.size(), name.size() - kCdiPrefix.size() - kSuffix.size()));
  }
  return uids;
}

}  // namespace allot::node

#include "node/nvidia/driver_files.h"

#include <algorithm>

#include "device/nvidia/driver_root.h"
#include "model/trouble.h"

namespace allot::node::nvidia {

namespace {

constexpr std::string_view kProgramFolders[] = {"/usr/bin", "/bin", "/usr/lib/nvidia/current"};
constexpr std::string_view kPrograms[] = {"nvidia-smi", "nvidia-debugdump", "nvidia-persistenced", "nvidia-cuda-mps-control",
                                          "nvidia-cuda-mps-server"};
constexpr std::string_view kData[] = {"/etc/OpenCL/vendors/nvidia.icd",
                                      "/etc/vulkan/icd.d/nvidia_icd.json",
                                      "/usr/share/egl/egl_external_platform.d/10_nvidia_wayland.json",
                                      "/usr/share/egl/egl_external_platform.d/15_nvidia_gbm.json",
                                      "/usr/share/glvnd/egl_vendor.d/10_nvidia.json",
                                      "/usr/share/nvidia/nvoptix.bin",
                                      "/usr/share/vulkan/icd.d/nvidia_icd.json",
                                      "/usr/share/vulkan/implicit_layer.d/nvidia_layers.json"};
constexpr std::string_view kSockets[] = {"/run/nvidia-persistenced/socket", "/run/nvidia-fabricmanager/socket"};
constexpr std::string_view kControlNodes[] = {"/dev/nvidia-modeset", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools", "/dev/nvidiactl"};

// Debian's /bin and /lib are links into /usr. A file with both names is mounted once.
void AddOnce(std::vector<std::string>& paths, const std::string& path) {
  const std::string_view name = std::string_view(path).substr(path.find_last_of('/'));
  const bool there = std::any_of(paths.begin(), paths.end(), [&](const std::string& one) {
    return one.ends_with(name) && (StrCat("/usr", path) == one || path == StrCat("/usr", one) || path == one);
  });
  if (!there) paths.push_back(path);
}

}  // namespace

DriverFiles DriverFiles::Find(const FileSystem& files, const DriverRoot& root, const std::string& driver_version) {
  DriverFiles found;
  // In a container, absolute links (Debian's /usr/bin/nvidia-smi) must be followed below the driver's root.
  const device::nvidia::DriverRoot links(root.here);
  const auto exists = [&](const std::string& path) { return files.Exists(root.Here(path)) || links.Resolve(path).ok(); };
  for (const std::string& folder : device::nvidia::DriverRoot::LibraryFolders()) {
    const Result<std::vector<std::string>> names = files.List(root.Here(folder));
    if (!names.ok()) continue;
    const size_t before = found.mounts.size();
    for (const std::string& name : *names) {
      if (name.starts_with("lib") && name.ends_with(StrCat(".so.", driver_version))) AddOnce(found.mounts, StrCat(folder, "/", name));
    }
    if (found.mounts.size() > before) found.library_folders.push_back(folder);
  }
  for (const std::string_view program : kPrograms) {
    for (const std::string_view folder : kProgramFolders) {
      const std::string path = StrCat(folder, "/", program);
      if (!exists(path)) continue;
      found.mounts.push_back(path);
      break;
    }
  }
  const std::string firmware = StrCat("/lib/firmware/nvidia/", driver_version);
  if (const Result<std::vector<std::string>> names = files.List(root.Here(firmware)); names.ok()) {
    for (const std::string& name : *names) {
      if (name.starts_with("gsp") && name.ends_with(".bin")) found.mounts.push_back(StrCat(firmware, "/", name));
    }
  }
  for (const std::string_view path : kData) {
    if (exists(std::string(path))) found.mounts.emplace_back(path);
  }
  for (const std::string_view path : kSockets) {
    if (exists(std::string(path))) found.sockets.emplace_back(path);
  }
  found.dev_in_root = root.here != "/" && exists("/dev/nvidiactl");
  for (const std::string_view node : kControlNodes) {
    if (found.dev_in_root ? exists(std::string(node)) : files.Exists(std::string(node))) found.control_nodes.emplace_back(node);
  }
  std::sort(found.mounts.begin(), found.mounts.end());
  return found;
}

Status DriverFiles::Check() const {
  for (const std::string_view node : {"/dev/nvidiactl", "/dev/nvidia-uvm"}) {
    if (std::find(control_nodes.begin(), control_nodes.end(), node) != control_nodes.end()) continue;
    return Unavailable("device node ", node, " is missing; load the driver's modules on the node: nvidia-modprobe -u -c 0 ",
                       model::CodeOf(model::Trouble::kNoDeviceNode));
  }
  const auto is_cuda = [](const std::string& path) { return path.find("/libcuda.so.") != std::string::npos; };
  if (std::none_of(mounts.begin(), mounts.end(), is_cuda))
    return Unavailable("the driver's libraries are missing, or only being installed (no libcuda.so of its version)");
  return {};
}

std::string GpuNode(int minor) { return StrCat("/dev/nvidia", minor); }

Result<std::vector<std::string>> MigNodes(const FileSystem& files, const std::string& proc, int minor, int gpu_instance,
                                          int compute_instance) {
  constexpr size_t kMaxAccess = 4096;
  const std::string instance = StrCat(proc, "/driver/nvidia/capabilities/gpu", minor, "/mig/gi", gpu_instance);
  std::vector<std::string> nodes;
  for (const std::string& path : {instance + "/access", StrCat(instance, "/ci", compute_instance, "/access")}) {
    ASSIGN_OR_RETURN(const std::string text, files.ReadFile(path, kMaxAccess));
    constexpr std::string_view kField = "DeviceFileMinor:";
    const size_t at = text.find(kField);
    const std::string_view number = at == std::string::npos ? "" : Trim(Split(std::string_view(text).substr(at + kField.size()), '\n')[0]);
    if (number.empty() || number.find_first_not_of("0123456789") != std::string_view::npos) {
      return Unavailable(path, ": expected a line \"", kField, " NUMBER\"");
    }
    nodes.push_back(StrCat("/dev/nvidia-caps/nvidia-cap", number));
  }
  return nodes;
}

}  // namespace allot::node::nvidia

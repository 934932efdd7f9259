// Writes CDI specs of claims of every kind, for tests/node/cdi_test.
//
//   cdi_samples FOLDER
//
// Makes FOLDER/root (a driver root), FOLDER/proc and FOLDER/cdi with the specs. Prints a line for each claim, with its name and the IDs
// that kubelet would pass to the container runtime.

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/file_system.h"
#include "node/nvidia/claims.h"
#include "node/nvidia/share_state.h"
#include "node/prepare/cdi.h"
#include "node/prepare/holding.h"

namespace allot::node {
namespace {

constexpr std::string_view kMig = "MIG-11111111-aaaa-bbbb-cccc-dddddddddddd";

void MakeFile(const std::string& path, std::string_view content = "") {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path) << content;
}

// Makes a harmless device node: one like /dev/null, or a pipe if only root may make device nodes.
void MakeNode(const std::string& path) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  if (mknod(path.c_str(), S_IFCHR | 0666, makedev(1, 3)) != 0 && mkfifo(path.c_str(), 0666) != 0) {
    std::perror(path.c_str());
    std::exit(1);
  }
}

void MakeMachine(const std::string& folder) {
  const std::string root = folder + "/root";
  for (const std::string path :
       {"/usr/bin/nvidia-smi", "/usr/lib/x86_64-linux-gnu/libcuda.so.580.105.08", "/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.580.105.08",
        "/usr/lib64/libnvidia-ptxjitcompiler.so.580.105.08", "/lib/firmware/nvidia/580.105.08/gsp_ga10x.bin",
        "/run/nvidia-persistenced/socket"}) {
    MakeFile(root + path);
  }
  for (const std::string path : {"/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia0", "/dev/nvidia1", "/dev/nvidia-caps/nvidia-cap21",
                                 "/dev/nvidia-caps/nvidia-cap22"}) {
    MakeNode(root + path);
  }
  MakeFile(folder + "/proc/driver/nvidia/capabilities/gpu1/mig/gi2/access", "DeviceFileMinor: 21\nDeviceFileMode: 292\n");
  MakeFile(folder + "/proc/driver/nvidia/capabilities/gpu1/mig/gi2/ci0/access", "DeviceFileMinor: 22\nDeviceFileMode: 292\n");
  // As `nvidia-ctk cdi generate` writes it, in short.
  MakeFile(folder + "/cdi/nvidia.yaml",
           StrCat("cdiVersion: 0.5.0\nkind: nvidia.com/gpu\ndevices:\n- name: GPU-00000000-aaaa-bbbb-cccc-dddddddddddd\n"
                  "  containerEdits:\n    deviceNodes:\n    - path: /dev/nvidia0\n      hostPath: ",
                  root, "/dev/nvidia0\ncontainerEdits:\n  env:\n  - NVIDIA_VISIBLE_DEVICES=void\n"));
}

Share Gpu(int minor, int64_t memory_mib) {
  Share share;
  share.request = "gpu";
  share.pool = "n1";
  share.device = StrCat("gpu-", minor);
  share.uuid = share.parent = StrCat("GPU-0000000", minor, "-aaaa-bbbb-cccc-dddddddddddd");
  share.memory_mib = memory_mib;
  share.whole_mib = 24576;
  return share;
}

Share ShareOf(int minor, int64_t memory_mib, int id) {
  Share share = Gpu(minor, memory_mib);
  share.share_id = StrCat("5ba2e001-0000-4000-8000-00000000000", id);
  return share;
}

// Two GPUs. The second one is offered whole and in parts, which no real machine does.
std::vector<device::nvidia::Gpu> Gpus() {
  std::vector<device::nvidia::Gpu> gpus(2);
  for (const int minor : {0, 1}) {
    gpus[minor].minor = minor;
    gpus[minor].uuid = Gpu(minor, 0).uuid;
    gpus[minor].raw_driver_version = "580.105.08";
  }
  device::nvidia::MigDevice& mig = gpus[1].mig.emplace_back();
  mig.uuid = kMig;
  mig.gpu_instance = 2;
  return gpus;
}

struct Sample {
  std::string name;
  std::vector<Share> shares;
};

std::vector<Sample> Samples() {
  Share second = ShareOf(0, 4096, 3);
  second.request = "second";
  Share mig = Gpu(1, 4864);
  mig.device = "gpu-1-mig-2-0-1";
  mig.uuid = kMig;
  Share mps = ShareOf(0, 6144, 4);
  mps.state = nvidia::ShareState{false, {.strategy = "MPS", .interval = {}, .thread_percentage = 50, .pinned_memory_mib = 2048}}.ToJson();
  Share sliced = ShareOf(0, 6144, 5);
  sliced.state =
      nvidia::ShareState{false, {.strategy = "TimeSlicing", .interval = "Long", .thread_percentage = 0, .pinned_memory_mib = 0}}.ToJson();
  Share toolkit = ShareOf(0, 6144, 6);
  toolkit.state = nvidia::ShareState{true, {}}.ToJson();
  Share admin = Gpu(1, 24576);
  admin.admin = true;
  Share admin_by_toolkit = Gpu(0, 24576);
  admin_by_toolkit.admin = true;
  admin_by_toolkit.state = toolkit.state;
  return {{"whole", {Gpu(0, 24576)}},
          {"whole-of-unknown-size", {Gpu(0, 0)}},
          {"share", {ShareOf(0, 6144, 1)}},
          {"two-gpus", {Gpu(0, 24576), Gpu(1, 24576)}},
          {"two-requests", {ShareOf(0, 6144, 2), second}},
          {"mig", {mig}},
          {"mps", {mps}},
          {"time-slicing", {sliced}},
          {"toolkit", {toolkit}},
          {"half-toolkit", {toolkit, Gpu(1, 24576)}},
          {"admin", {admin}},
          {"admin-by-toolkit", {admin_by_toolkit}}};
}

int Main(const std::string& folder) {
  MakeMachine(folder);
  PosixFileSystem files;
  nvidia::ToolkitSpec toolkit(files, {});
  const nvidia::DriverRoot root{folder + "/root", folder + "/root"};
  nvidia::SmiTimeSlice time_slice(root);
  // The MPS daemon's control socket, where NvidiaClaims looks for it.
  MakeFile(folder + "/mps/control");
  nvidia::Claims claims({.files = files,
                         .toolkit = toolkit,
                         .time_slice = time_slice,
                         .gpus = [] { return Gpus(); },
                         .root = root,
                         .proc = folder + "/proc",
                         .mps_pipes = "/tmp/nvidia-mps",
                         .mps_pipes_here = folder + "/mps"});
  Cdi cdi(files, folder + "/cdi", claims.name());
  int number = 0;
  for (const auto& [name, shares] : Samples()) {
    const Holding holding{
        .uid = StrCat("c1a10000-0000-4000-8000-0000000000", 10 + number++), .name_space = "lab", .name = name, .shares = shares};
    const Result<ClaimEdits> edits = claims.Edits(holding, "/opt/allot/hook");
    if (const Status written = edits.ok() ? cdi.Write(holding, *edits) : edits.status(); !written.ok()) {
      std::fprintf(stderr, "error: %s: %s\n", name.c_str(), written.message().c_str());
      return 1;
    }
    std::string ids;
    for (size_t i = 0; i < shares.size(); ++i) {
      for (const std::string& id : claims.OtherCdiDevices(shares[i])) ids += StrCat(ids.empty() ? "" : ",", id);
      ids += StrCat(ids.empty() ? "" : ",", cdi.DeviceId(holding, i));
    }
    std::printf("%s %s\n", name.c_str(), ids.c_str());
  }
  return 0;
}

}  // namespace
}  // namespace allot::node

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: cdi_samples FOLDER\n");
    return 2;
  }
  return allot::node::Main(argv[1]);
}

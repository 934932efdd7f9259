#include "local/simulated.h"

#include <filesystem>
#include <set>

#include "device/fake_nvml/models.h"
#include "node/install.h"

namespace allot::local {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLibraries = "/usr/lib64";
constexpr std::string_view kDriverVersion = "580.105.08";  // that of the fake library

// All users can read it, whatever the umask is.
Status MakeOpenFolder(FileSystem& files, const std::string& path) {
  TRY(files.MakeDirs(path));
  std::error_code error;
  fs::permissions(path, fs::perms(0755), error);
  return error ? Unavailable("set the mode of ", path, ": ", error.message()) : Status();
}

Status WriteOpen(FileSystem& files, const std::string& path, std::string_view text) {
  constexpr size_t kLongest = 1 << 20;
  if (const Result<std::string> there = files.ReadFile(path, kLongest); !there.ok() || *there != text) TRY(files.ReplaceFile(path, text));
  std::error_code error;
  fs::permissions(path, fs::perms(0644), error);
  return error ? Unavailable("set the mode of ", path, ": ", error.message()) : Status();
}

Status MakeNodes(FileSystem& files, const std::string& dev, size_t gpus) {
  std::set<std::string> wanted = {"nvidiactl", "nvidia-uvm", "nvidia-uvm-tools"};
  for (size_t i = 0; i < gpus; ++i) wanted.insert(StrCat("nvidia", i));
  ASSIGN_OR_RETURN(const std::vector<std::string> there, files.List(dev));
  for (const std::string& name : there) {
    if (!wanted.contains(name)) TRY(files.Remove(StrCat(dev, "/", name)));
  }
  for (const std::string& name : wanted) TRY(WriteOpen(files, StrCat(dev, "/", name), ""));
  return Status();
}

}  // namespace

Result<Simulator> Simulator::Find(const std::string& program) {
  const fs::path folder = fs::path(program).parent_path();
  const fs::path installed = (folder / "../lib/allot").lexically_normal();
  const Simulator places[] = {{folder / "fake_nvml/libnvidia-ml.so.1", folder / "fake_smi/nvidia-smi"},
                              {installed / "libnvidia-ml.so.1", installed / "nvidia-smi"}};
  for (const Simulator& place : places) {
    std::error_code error;
    if (fs::is_regular_file(place.library, error) && fs::is_regular_file(place.smi, error)) return place;
  }
  return NotFound("simulated GPUs need the fake driver, which is not beside this program (looked for ", places[0].library, " with ",
                  places[0].smi, ", and for both in ", installed.string(), "); `make` builds it, `make install` installs it");
}

Status MakeSimulatedDriver(FileSystem& files, const Simulator& simulator, const std::string& folder, std::string_view node_name,
                           const std::vector<std::string>& models) {
  for (const char* path : {"", "/dev", "/usr", "/usr/bin", "/usr/lib64"}) TRY(MakeOpenFolder(files, folder + path));
  const std::string libraries = StrCat(folder, kLibraries);
  // Each node has its own copy, because a library that is loaded once shows one machine.
  TRY(node::InstallProgram(simulator.library, libraries + "/libnvidia-ml.so.1"));
  TRY(node::InstallProgram(simulator.smi, folder + "/usr/bin/nvidia-smi"));
  TRY(WriteOpen(files, StrCat(libraries, "/libcuda.so.", kDriverVersion), ""));
  std::string inventory = StrCat("driverVersion: \"", kDriverVersion, "\"\nseed: ", Quoted(node_name, 256), "\n");
  inventory += models.empty() ? "gpus: []\n" : "gpus:\n";
  std::string list;
  for (size_t i = 0; i < models.size(); ++i) {
    const device::fake::Model* model = device::fake::FindModel(models[i]);
    CHECK(model != nullptr);
    const std::string uuid = device::fake::CardUuid(node_name, *model, static_cast<unsigned>(i));
    inventory += StrCat("- {model: ", models[i], ", uuid: ", uuid, "}\n");
    list += StrCat(i, " ", uuid, " ", model->memory_mib, " ", model->name, "\n");
  }
  TRY(MakeNodes(files, folder + "/dev", models.size()));
  TRY(WriteOpen(files, folder + "/gpus", list));
  return WriteOpen(files, libraries + "/fake_nvml.yaml", inventory);
}

Environment SimulatedEnvironment(const std::string& folder) {
  return {{"PATH", folder + "/usr/bin"}, {"ALLOT_FAKE_SMI_GPUS", folder + "/gpus"}};
}

}  // namespace allot::local

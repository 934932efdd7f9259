#pragma once
// For tests: a machine with GPUs in a temporary folder. It has a driver root with the fake NVML library, which the real loader loads, and a
// sysfs. Included by tests only.
//
//   FakeMachine machine("gpus: [{model: rtx3090}, {model: l4}]");
//   ASSERT_OK_AND_ASSIGN(const auto nvml, Nvml::Open(machine.driver_root()));
//   machine.Write("gpus: [{model: l4}]");   // while nvml is in use

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/file_system.h"
#include "device/nvidia/driver_root.h"
#include "device/nvidia/fake_driver.h"

namespace allot::device::nvidia {

class FakeMachine {
 public:
  explicit FakeMachine(std::string_view inventory) {
    std::string name = std::filesystem::temp_directory_path() / "allot-fake-machine-XXXXXX";
    CHECK(mkdtemp(name.data()) != nullptr);
    folder_ = name;
    std::filesystem::create_directories(folder_ / "root/usr/lib64");
    std::filesystem::create_directories(folder_ / "sys/bus/pci/devices");
    std::filesystem::create_directories(folder_ / "sys/bus/pci/drivers/nvidia");
    InstallLibrary();
    Write(inventory);
  }
  ~FakeMachine() { std::filesystem::remove_all(folder_); }
  FakeMachine(const FakeMachine&) = delete;
  FakeMachine& operator=(const FakeMachine&) = delete;

  DriverRoot driver_root() const { return DriverRoot(folder_ / "root"); }
  std::string sysfs() const { return folder_ / "sys"; }
  std::filesystem::path library() const { return folder_ / "root/usr/lib64/libnvidia-ml.so.1"; }

  // Installs and removes the driver.
  void InstallLibrary() const { std::filesystem::copy_file(FakeNvmlLibrary(), library()); }
  void RemoveLibrary() const { std::filesystem::remove_all(library()); }

  // Changes the machine's GPUs (fake_nvml/README.md).
  void Write(std::string_view inventory) {
    CHECK(PosixFileSystem().WriteFileAtomic(folder_ / "root/usr/lib64/fake_nvml.yaml", inventory).ok());
  }

  // Adds the PCI device of a GPU, below a root complex and bound to the driver.
  void AddPci(const std::string& address, const std::string& root, int numa_node) const {
    const std::filesystem::path device = folder_ / "sys/devices" / root / "0000:00:01.0" / address;
    std::filesystem::create_directories(device);
    std::ofstream(device / "numa_node") << numa_node << "\n";
    std::ofstream(device / "vendor") << "0x10de\n";
    std::ofstream(device / "class") << "0x030200\n";
    const std::filesystem::path target = std::filesystem::path("../../../devices") / root / "0000:00:01.0" / address;
    std::filesystem::create_symlink(target, folder_ / "sys/bus/pci/devices" / address);
    std::filesystem::create_symlink(std::filesystem::path("..") / target, folder_ / "sys/bus/pci/drivers/nvidia" / address);
  }
  void RemovePci(const std::string& address) const {
    std::filesystem::remove(folder_ / "sys/bus/pci/devices" / address);
    std::filesystem::remove(folder_ / "sys/bus/pci/drivers/nvidia" / address);
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace allot::device::nvidia

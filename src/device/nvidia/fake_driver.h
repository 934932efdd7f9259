#pragma once
// For tests: the paths of the fake driver, which the build puts beside the test program. They are found at run time, so that object files
// of one clone can be used in another.

#include <filesystem>

namespace allot::device::nvidia {

inline std::filesystem::path FakeDriverFolder() { return std::filesystem::read_symlink("/proc/self/exe").parent_path(); }
inline std::filesystem::path FakeNvmlLibrary() { return FakeDriverFolder() / "fake_nvml/libnvidia-ml.so.1"; }
inline std::filesystem::path FakeSmi() { return FakeDriverFolder() / "fake_smi/nvidia-smi"; }

}  // namespace allot::device::nvidia

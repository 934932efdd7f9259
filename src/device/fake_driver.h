#pragma once
// For tests: where the build puts the fake driver, beside their own program. Found when they run, so that what was compiled in one clone is
// good for another.

#include <filesystem>

namespace allot::device {

inline std::filesystem::path FakeDriverFolder() { return std::filesystem::read_symlink("/proc/self/exe").parent_path(); }
inline std::filesystem::path FakeNvmlLibrary() { return FakeDriverFolder() / "fake_nvml/libnvidia-ml.so.1"; }
inline std::filesystem::path FakeSmi() { return FakeDriverFolder() / "fake_smi/nvidia-smi"; }

}  // namespace allot::device

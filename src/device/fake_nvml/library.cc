#include "device/fake_nvml/library.h"

#include <dlfcn.h>
#include <sys/stat.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

namespace allot::device::fake {
namespace {

using nvml::Return;

std::string InventoryPath() {
  if (const char* path = std::getenv("ALLOT_FAKE_NVML"); path && *path) return path;
  Dl_info self = {};
  if (dladdr(reinterpret_cast<void*>(&CopyText), &self) == 0 || !self.dli_fname) return "fake_nvml.yaml";
  const std::string file = self.dli_fname;
  const size_t slash = file.rfind('/');
  return slash == std::string::npos ? "fake_nvml.yaml" : file.substr(0, slash) + "/fake_nvml.yaml";
}

// Returns a text that changes whenever the file is written or replaced.
std::string StampOf(const std::string& path) {
  struct stat info = {};
  if (stat(path.c_str(), &info) != 0) return "none";
  return StrCat(path, " ", info.st_ino, " ", info.st_size, " ", info.st_mtim.tv_sec, ".", info.st_mtim.tv_nsec);
}

Result<Machine> ReadFile(const std::string& path) {
  std::ifstream file(path);
  if (!file) return NotFound(path, ": cannot be read; name the inventory in ALLOT_FAKE_NVML");
  std::ostringstream text;
  text << file.rdbuf();
  return ReadMachine(text.str()).Context(path);
}

}  // namespace

Library& Library::Get() {
  static Library library;
  return library;
}

// Looks at the file on every call, so that a test can change the GPUs while a program uses them. An invalid inventory changes nothing.
void Library::Refresh() {
  std::string stamp = StampOf(path_);
  if (stamp == stamp_) return;
  Result<Machine> machine = ReadFile(path_);
  stamp_ = std::move(stamp);
  if (machine.ok()) {
    machine_ = std::make_unique<const Machine>(*std::move(machine));
  } else {
    std::fprintf(stderr, "fake NVML: %s\n", machine.status().message().c_str());
  }
}

Return Library::Before(std::string_view symbol) {
  if (users_ == 0) return Return::kUninitialized;
  Refresh();
  const auto failure = machine_->failures.find(symbol);
  return failure == machine_->failures.end() ? Return::kSuccess : failure->second;
}

Return Library::Init() {
  const std::lock_guard lock(mutex_);
  if (users_ == 0) path_ = InventoryPath();
  Refresh();
  if (!machine_) return Return::kDriverNotLoaded;
  if (const auto failure = machine_->failures.find("nvmlInit_v2"); failure != machine_->failures.end()) return failure->second;
  if (users_++ > 0) return Return::kSuccess;
  enumerated_.clear();
  for (const Card& card : machine_->cards) enumerated_.push_back(card.uuid);
  return Return::kSuccess;
}

Return Library::Shutdown() {
  const std::lock_guard lock(mutex_);
  if (users_ == 0) return Return::kUninitialized;
  if (--users_ == 0) event_sets_.clear();
  return Return::kSuccess;
}

std::vector<std::string> Library::Enumerated() const {
  if (machine_->enumerate_once) return enumerated_;
  std::vector<std::string> uuids;
  for (const Card& card : machine_->cards) uuids.push_back(card.uuid);
  return uuids;
}

nvml::Device Library::DeviceHandle(const std::string& gpu, const std::string& mig) {
  for (nvml::DeviceState& device : devices_) {
    if (device.gpu == gpu && device.mig == mig) return &device;
  }
  return &devices_.emplace_back(nvml::DeviceState{gpu, mig});
}

nvml::GpuInstance Library::InstanceHandle(const std::string& gpu, unsigned id) {
  for (nvml::GpuInstanceState& instance : instances_) {
    if (instance.gpu == gpu && instance.id == id) return &instance;
  }
  return &instances_.emplace_back(nvml::GpuInstanceState{gpu, id});
}

void Library::FreeEventSet(nvml::EventSet set) {
  std::erase_if(event_sets_, [&](const auto& own) { return own.get() == set; });
}

Return CopyText(std::string_view text, char* to, unsigned length) {
  if (!to) return Return::kInvalidArgument;
  if (text.size() >= length) return Return::kInsufficientSize;
  std::memcpy(to, text.data(), text.size());
  to[text.size()] = '\0';
  return Return::kSuccess;
}

}  // namespace allot::device::fake

#include "local/machine.h"

#include <sys/statvfs.h>
#include <sys/utsname.h>

#include <charconv>
#include <thread>

#include "local/api_home.h"
#include "local/interfaces.h"

namespace allot::local {
namespace {

constexpr size_t kLongest = 64 << 10;
constexpr size_t kLongestName = 63;  // the name is also the value of a label

std::string ReadLine(const FileSystem& files, const std::string& path) {
  const Result<std::string> text = files.ReadFile(path, kLongest);
  return text.ok() ? std::string(Trim(*text)) : std::string();
}

// Returns the value of `key` in lines of KEY<separator>VALUE.
std::string Find(std::string_view text, std::string_view key, char separator) {
  for (const std::string_view line : Split(text, '\n')) {
    const size_t at = line.find(separator);
    if (at != std::string_view::npos && Trim(line.substr(0, at)) == key) return std::string(Trim(line.substr(at + 1)));
  }
  return "";
}

std::string GoArchitecture(std::string_view machine) {
  if (machine == "x86_64") return "amd64";
  if (machine == "aarch64") return "arm64";
  return std::string(machine);
}

std::string FirstAddress() {
  for (std::string& address : InterfaceAddresses()) {
    if (!address.starts_with("127.") && address != "::1") return std::move(address);
  }
  return "127.0.0.1";
}

}  // namespace

Machine ReadMachine(const FileSystem& files, const std::string& folder) {
  Machine machine;
  machine.hostname = NodeNameOf(Hostname());
  machine.address = FirstAddress();
  if (utsname names = {}; ::uname(&names) == 0) {
    machine.kernel = names.release;
    machine.architecture = GoArchitecture(names.machine);
  }
  machine.os_image = Find(ReadLine(files, "/etc/os-release"), "PRETTY_NAME", '=');
  std::erase(machine.os_image, '"');
  machine.machine_id = ReadLine(files, "/etc/machine-id");
  machine.boot_id = ReadLine(files, "/proc/sys/kernel/random/boot_id");
  machine.cpus = std::max(1U, std::thread::hardware_concurrency());
  const std::string memory = Find(ReadLine(files, "/proc/meminfo"), "MemTotal", ':');  // "65536 kB"
  std::from_chars(memory.data(), memory.data() + memory.size(), machine.memory_kib);
  if (struct statvfs disk = {}; ::statvfs(folder.c_str(), &disk) == 0)
    machine.disk_kib = static_cast<int64_t>(disk.f_blocks * (disk.f_frsize / 512) / 2);
  return machine;
}

std::string NodeNameOf(std::string_view hostname) {
  std::string name;
  for (const char c : hostname.substr(0, kLongestName)) {
    const bool upper = c >= 'A' && c <= 'Z';
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.';
    const char mapped = upper ? static_cast<char>(c - 'A' + 'a') : plain ? c : '-';
    // Each label between two dots must be non-empty, and begin and end with a letter or digit.
    if (mapped == '.' && (name.empty() || name.back() == '.')) continue;
    if (mapped == '-' && (name.empty() || name.back() == '.')) continue;
    while (mapped == '.' && name.ends_with('-')) name.pop_back();
    name += mapped;
  }
  while (name.ends_with('-') || name.ends_with('.')) name.pop_back();
  return name.empty() ? "local" : name;
}

}  // namespace allot::local

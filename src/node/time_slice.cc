#include "node/time_slice.h"

#include <algorithm>
#include <array>

#include "base/process.h"
#include "device/driver_root.h"

namespace allot::node {

namespace {

constexpr std::array<std::string_view, 4> kIntervals = {"Default", "Short", "Medium", "Long"};  // in nvidia-smi's numbering
constexpr std::chrono::seconds kTimeLimit{10};

}  // namespace

Status SmiTimeSlice::Set(const std::string& gpu_uuid, const std::string& interval, const http::Patience& patience) {
  const auto found = std::find(kIntervals.begin(), kIntervals.end(), interval);
  CHECK(found != kIntervals.end());
  const auto number = std::to_string(found - kIntervals.begin());
  std::string libraries;
  for (const std::string& folder : device::DriverRoot::LibraryFolders())
    libraries += StrCat(libraries.empty() ? "" : ":", root_.Here(folder));
  ProcessSpec process;
  process.environment = {{"PATH", StrCat(root_.Here("/usr/bin"), ":", root_.Here("/bin"))}, {"LD_LIBRARY_PATH", libraries}};
  process.cancel = patience.cancel;
  process.stderr_to = ProcessSpec::Stderr::kCapture;
  process.time_limit = kTimeLimit;
  // The compute mode must let several processes in, or there is nothing to slice.
  const std::vector<std::vector<std::string>> commands = {{"nvidia-smi", "-i", gpu_uuid, "-c", "DEFAULT"},
                                                          {"nvidia-smi", "compute-policy", "-i", gpu_uuid, "--set-timeslice", number}};
  for (const std::vector<std::string>& argv : commands) {
    process.argv = argv;
    ASSIGN_OR_RETURN(const ProcessOutput output, RunProcess(process).Context("set the time slice of ", gpu_uuid));
    if (!output.succeeded()) {
      return Unavailable("set the time slice of ", gpu_uuid, ": nvidia-smi ", output.Ending(), ": ",
                         Quoted(Trim(output.stderr_text.empty() ? output.stdout_text : output.stderr_text), 300));
    }
  }
  return {};
}

}  // namespace allot::node

#include "node/nvidia/time_slice.h"

#include <algorithm>
#include <array>

#include "base/process.h"
#include "device/nvidia/driver_root.h"

namespace allot::node::nvidia {

namespace {

using std::chrono::ceil;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::array<std::string_view, 4> kIntervals = {"Default", "Short", "Medium", "Long"};  // in nvidia-smi's numbering
constexpr std::chrono::seconds kTimeLimit{10};

}  // namespace

Status SmiTimeSlice::Set(const std::string& gpu_uuid, const std::string& interval, const Patience& patience) {
  const auto found = std::find(kIntervals.begin(), kIntervals.end(), interval);
  // The journal of a newer release may have one that this release does not know.
  if (found == kIntervals.end()) return Invalid("set the time slice of ", gpu_uuid, ": unknown interval ", Quoted(interval));
  const auto number = std::to_string(found - kIntervals.begin());
  // Only that library is given to the program. If the agent runs in a container, the folder may also hold the C library of another system.
  const device::nvidia::DriverRoot driver(root_.here);
  ASSIGN_OR_RETURN(const std::string program, driver.Resolve("/usr/bin/nvidia-smi"));
  ASSIGN_OR_RETURN(const std::string library, driver.FindLibrary("libnvidia-ml.so.1"));
  ProcessSpec process;
  process.environment = {{"LD_PRELOAD", library}};
  process.cancel = patience.cancel;
  process.stderr_to = ProcessSpec::Stderr::kCapture;
  // The compute mode must allow several processes; otherwise time slices have no effect.
  const std::vector<std::vector<std::string>> commands = {{program, "-i", gpu_uuid, "-c", "DEFAULT"},
                                                          {program, "compute-policy", "-i", gpu_uuid, "--set-timeslice", number}};
  for (const std::vector<std::string>& argv : commands) {
    process.argv = argv;
    TRY(http::Check(patience));
    process.time_limit = kTimeLimit;
    if (patience.deadline)
      process.time_limit = std::min<milliseconds>(kTimeLimit, ceil<milliseconds>(*patience.deadline - steady_clock::now()));
    ASSIGN_OR_RETURN(const ProcessOutput output, RunProcess(process).Context("set the time slice of ", gpu_uuid));
    if (!output.succeeded()) {
      return Unavailable("set the time slice of ", gpu_uuid, ": nvidia-smi ", output.Ending(), ": ",
                         Quoted(Trim(output.stderr_text.empty() ? output.stdout_text : output.stderr_text), 300));
    }
  }
  return {};
}

}  // namespace allot::node::nvidia

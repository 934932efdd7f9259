// What agents say in their logs, and what to do about it.

#include "base/strings.h"
#include "cli/description.h"
#include "cli/doctor_checks.h"
#include "json/json.h"

namespace allot::cli {
namespace {

bool IsTrouble(std::string_view level) { return level == "WARNING" || level == "ERROR"; }

// {"time":...,"level":"ERROR","message":"no GPUs","error":"..."}
std::string TroubleOfJson(std::string_view line) {
  const Result<json::Document> parsed = json::Parse(line);
  if (!parsed.ok() || !IsTrouble(Text(parsed->root()["level"]))) return "";
  const std::string_view error = Text(parsed->root()["error"]);
  return StrCat(Text(parsed->root()["message"]), error.empty() ? "" : ": ", error);
}

// 2026-11-16T03:52:04.986Z ERROR no GPUs error="..."
std::string TroubleOfText(std::string_view line) {
  if (line.starts_with("error: ") || line.starts_with("Error from server")) return std::string(line);  // its last words
  const size_t level = line.find(' ');
  const size_t message = level == line.npos ? line.npos : line.find(' ', level + 1);
  if (message == line.npos || !IsTrouble(line.substr(level + 1, message - level - 1))) return "";
  const std::string_view text = line.substr(message + 1);
  const size_t error = text.find(" error=\"");
  if (error == text.npos) return std::string(text);
  const Result<json::Document> quoted = json::Parse(text.substr(error + std::string_view(" error=").size()));
  return quoted.ok() ? StrCat(text.substr(0, error), ": ", Text(quoted->root())) : std::string(text);
}

struct Remedy {
  std::string_view says;  // part of what the agent says
  std::string_view advice, command;
  bool upgrades = false;  // the command is what stands behind "helm upgrade"
};

// docs/node.md, "When something is wrong". The first that fits.
constexpr Remedy kRemedies[] = {
    {"libnvidia-ml", "install the NVIDIA driver on the node, or say where it is; the GPU operator's is at /run/nvidia/driver",
     "--set nvidiaDriverRoot=/run/nvidia/driver", true},
    {"DRAConsumableCapacity",
     "switch the gate on, of API server and scheduler (--feature-gates=DRAConsumableCapacity=true), or offer whole GPUs: mode exclusive "
     "in the node config (docs/node-config.md)",
     ""},
    {"DRADeviceTaints", "switch the gate on, of API server and scheduler: --feature-gates=DRADeviceTaints=true", ""},
    {"another DRA driver", "drain the node and remove the other driver there; allot goes on by itself", "helm list -A | grep -i dra"},
    {"already registered", "drain the node and remove the other driver there; allot goes on by itself", "helm list -A | grep -i dra"},
    {"device plugin", "drain the node and remove the device plugin there; allot goes on by itself",
     "kubectl get daemonsets -A | grep -i device-plugin"},
    {"device node", "the driver is not loaded; on the node:", "nvidia-modprobe -u -c 0"},
    {"are free, and the claim wants",
     "something else than the scheduler allocated it. The message has the holders: end this Pod, or some of them", "allot status"},
    {"forbidden", "the agent lacks a right; the chart's ClusterRole has all that it needs:", "", true},
    {"node config", "mend the node config (docs/node-config.md); it is read again when it changes", ""},
    {"No space left", "make room on the disk of the node", ""},
};

}  // namespace

std::string LastTrouble(std::string_view log) {
  std::string last;
  for (const std::string_view line : Split(log, '\n')) {
    std::string trouble = line.starts_with('{') ? TroubleOfJson(line) : TroubleOfText(line);
    if (!trouble.empty()) last = std::move(trouble);
  }
  return last;
}

void Advise(std::string_view message, std::string_view pod, const Release& release, Finding& finding) {
  for (const Remedy& remedy : kRemedies) {
    if (message.find(remedy.says) == message.npos) continue;
    finding.advice = remedy.advice;
    finding.command = remedy.upgrades ? HelmUpgrade(release, remedy.command) : std::string(remedy.command);
    return;
  }
  finding.advice = "all that it says:";
  finding.command = StrCat("kubectl logs ", pod);
}

}  // namespace allot::cli

#include "cli/up/up.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "base/file_system.h"
#include "base/random.h"
#include "cli/output.h"
#include "cli/stop_signals.h"
#include "cli/up/apiserver.h"
#include "local/parts.h"
#include "local/pods/pod_admission.h"
#include "local/up.h"
#include "node/nvidia/policy.h"

namespace allot::cli {
namespace {

constexpr size_t kLongestConfig = 1 << 20;

Result<int> NodeCount(const Arguments& arguments) {
  if (!arguments.Has("nodes")) return 0;
  const std::string text = arguments.Get("nodes");
  int count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count < 1)
    return Invalid("--nodes: ", Quoted(text), ": expected a number from 1 to ", local::kMostNodes);
  return count;
}

Result<local::UpOptions> OptionsOf(const Arguments& arguments) {
  local::UpOptions options = UpDefaults();
  TRY(DataPath(arguments).status());
  ASSIGN_OR_RETURN(options.api, ApiOptions(arguments));
  ASSIGN_OR_RETURN(const int nodes, NodeCount(arguments));
  ASSIGN_OR_RETURN(options.nodes, local::ReadGpus(arguments.Get("gpus"), nodes));
  options.node_config = arguments.Get("config");
  if (!options.node_config.empty() && !std::filesystem::exists(options.node_config)) {
    return Invalid("--config: there is no file ", options.node_config);  // a typo must not disable all policies
  }
  if (!options.node_config.empty()) {
    // A file that becomes invalid later changes nothing. At the start there are no earlier policies to keep, so it is an error.
    ASSIGN_OR_RETURN(const std::string text, PosixFileSystem().ReadFile(options.node_config, kLongestConfig).Context("--config"));
    TRY(node::nvidia::NodeConfig::Parse(text).status().Context("--config ", options.node_config));
  }
  const Environment environment = ProcessEnvironment();
  const bool simulates = std::ranges::any_of(options.nodes, [](const local::NodeGpus& node) { return !node.models.empty(); });
  if (simulates && environment.contains("ALLOT_FAKE_NVML"))
    return Invalid("ALLOT_FAKE_NVML is set, which would give every simulated node the same GPUs; unset it, and use --gpus");
  return options;
}

// Sets the parts that place and run Pods, and the admission that fits the runtime.
void SetParts(sched::Strategy strategy, local::UpOptions& options) {
  const auto runtime = options.podman != nullptr ? local::Runtime::kPodman : local::Runtime::kProcess;
  options.api.admission = {std::make_shared<local::PodAdmission>(runtime)};
  options.parts = local::AllParts(strategy, options.podman);
}

Status ReadParts(const Arguments& arguments, FileSystem& files, local::UpOptions& options) {
  if (arguments.Get("runtime") == "podman") {
    ASSIGN_OR_RETURN(local::Podman podman,
                     local::Podman::Find(files, options.data.path + "/podman", ProcessEnvironment()).Context("--runtime podman"));
    options.podman = std::make_shared<const local::Podman>(std::move(podman));
  }
  SetParts(arguments.Get("strategy") == "spread" ? sched::Strategy::kSpread : sched::Strategy::kPack, options);
  return Status();
}

Status Run(const Arguments& arguments, local::UpOptions options) {
  ASSIGN_OR_RETURN(options.data, OpenData(arguments));
  const std::string data = options.data.path;
  const bool quiet = arguments.Bool("quiet");
  PosixFileSystem files;
  TRY(ReadParts(arguments, files, options));
  SystemClock clock;
  SystemRandom random;
  Log log(clock, Log::Format::kText, Log::Stderr());
  StopSignals signals;  // before there are threads
  Result<std::unique_ptr<local::Up>> up = local::Up::Start(std::move(options), files, clock, random, log, signals.stop);
  if (!up.ok()) return WithAdvice(up.status(), data);
  if (!quiet) {
    TRY(Print((*up)->Greeting()));
    TRY(Flush());
  }
  (*up)->Run(signals.stop);
  const size_t running = (*up)->Stop();
  if (quiet) return Status();
  if (running == 0) return Print("# stopped\n");
  return Print(StrCat("# stopped; ", running, running == 1 ? " Pod keeps" : " Pods keep", " running, and the next `allot up` takes ",
                      running == 1 ? "it" : "them", " over\n"));
}

}  // namespace

local::UpOptions UpDefaults() {
  local::UpOptions options;
  SetParts(sched::Strategy::kPack, options);
  std::error_code error;
  options.program = std::filesystem::read_symlink("/proc/self/exe", error).string();
  return options;
}

Verb UpVerb() {
  Verb verb;
  verb.name = "up";
  verb.summary = "Shares the GPUs of this machine without a cluster: API, scheduler and nodes in one process.";
  verb.usage = "[flags]";
  verb.examples =
      "# Share the GPUs of this machine; prints the kubeconfig for other terminals\n"
      "allot up\n"
      "# Try it without a GPU, on simulated GPUs\n"
      "allot up --gpus rtx3090:2,rtx3060\n"
      "# A small cluster: three nodes with two GPUs each, or a list of GPUs for each node\n"
      "allot up --nodes 3 --gpus rtx3090:2\n"
      "allot up --gpus rtx3090:2/rtx3060/none\n"
      "# Run the images of Pods with podman; containers see only their own GPUs\n"
      "sudo allot up --runtime podman\n"
      "# Try something in a folder that you can delete\n"
      "allot up --gpus l4 --data /tmp/try --port 0\n";
  verb.flags = {
      {.name = "gpus",
       .value = "MODELS",
       .help = "real (default), none, or simulated: MODEL[:COUNT],... with a slash between nodes; a100, h100, l4, rtx3060, rtx3090"},
      {.name = "nodes", .value = "N", .help = "the number of nodes (default: one for each list of --gpus)"},
      {.name = "strategy",
       .value = "pack|spread",
       .help = "which GPU a Pod gets: pack (default) keeps large parts free, spread takes the GPU with the most free memory"},
      {.name = "runtime",
       .value = "process|podman",
       .help = "how containers run: as programs of this machine (default), or their images with podman 4 or newer"},
      {.name = "config", .value = "FILE", .help = "policies for GPUs (docs/node-config.md); read again when the file changes"},
  };
  const std::vector<Flag> api = ApiFlags();
  verb.flags.insert(verb.flags.end(), api.begin(), api.end());
  verb.connects = false;
  verb.run = [](const Verb&, const Arguments& arguments) {
    Result<local::UpOptions> options = OptionsOf(arguments);
    if (options.ok()) return Exit(Run(arguments, *std::move(options)));
    return BadUsage(StrCat(options.status().message(), "; `allot up --help` lists the flags"));
  };
  return verb;
}

}  // namespace allot::cli

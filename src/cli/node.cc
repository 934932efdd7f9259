#include "cli/node.h"

#include <malloc.h>

#include <charconv>

#include "base/log.h"
#include "base/process.h"
#include "base/random.h"
#include "base/resident.h"
#include "cli/output.h"
#include "cli/session.h"
#include "cli/stop_signals.h"
#include "node/agent.h"
#include "node/install.h"
#include "node/nvidia/driver.h"

namespace allot::cli {
namespace {

// Returns the flag, or else the environment variable that a DaemonSet sets.
std::string Setting(const Arguments& arguments, std::string_view flag, const char* variable, std::string_view otherwise) {
  if (arguments.Has(flag)) return arguments.Get(flag);
  const char* const value = ::getenv(variable);
  return value != nullptr && *value != '\0' ? std::string(value) : std::string(otherwise);
}

Status AddXids(const std::string& list, std::set<uint64_t>& xids) {
  for (const std::string_view part : Split(list, ',')) {
    const std::string_view text = Trim(part);
    if (text.empty()) continue;
    uint64_t xid = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), xid);
    if (error != std::errc() || end != text.data() + text.size())
      return Invalid("--additional-xids-to-ignore: ", Quoted(text), " is not a number");
    xids.insert(xid);
  }
  return {};
}

Result<node::AgentOptions> AgentOptionsOf(const Arguments& arguments) {
  node::AgentOptions options;
  options.node_name = Setting(arguments, "node-name", "NODE_NAME", "");
  if (options.node_name.empty()) return Invalid("--node-name: is missing; it is the name of the Node object (kubectl get nodes)");
  options.sockets.plugins_dir =
      Setting(arguments, "kubelet-plugins-directory-path", "KUBELET_PLUGINS_DIRECTORY_PATH", options.sockets.plugins_dir);
  options.sockets.registry_dir =
      Setting(arguments, "kubelet-registrar-directory-path", "KUBELET_REGISTRAR_DIRECTORY_PATH", options.sockets.registry_dir);
  options.sockets.pod_uid = Setting(arguments, "pod-uid", "POD_UID", "");
  options.pod = {Setting(arguments, "pod-namespace", "POD_NAMESPACE", ""), Setting(arguments, "pod-name", "POD_NAME", ""),
                 options.sockets.pod_uid};
  options.cdi_folder = Setting(arguments, "cdi-root", "CDI_ROOT", options.cdi_folder);
  options.hook_program = Setting(arguments, "cdi-hook", "ALLOT_CDI_HOOK", node::ProgramBeside("allot-cdi-hook"));
  options.http_address = Setting(arguments, "http-endpoint", "HTTP_ENDPOINT", "");
  const std::string port = Setting(arguments, "healthcheck-port", "HEALTHCHECK_PORT", "-1");
  if (port != "-1") options.health_address = StrCat(":", port);
  return options;
}

Result<node::nvidia::Options> NvidiaOptionsOf(const Arguments& arguments, const node::AgentOptions& agent) {
  node::nvidia::Options options;
  options.node_name = agent.node_name;
  options.driver_root.host = Setting(arguments, "nvidia-driver-root", "NVIDIA_DRIVER_ROOT", "/");
  options.driver_root.here = Setting(arguments, "container-driver-root", "DRIVER_ROOT_CTR_PATH", options.driver_root.host);
  for (std::string* const path : {&options.driver_root.host, &options.driver_root.here}) {
    while (path->size() > 1 && path->ends_with('/')) path->pop_back();
  }
  // If the driver's root is the machine's, other files of the machine are below it too.
  const auto on_host = [&](const std::string& path) { return options.driver_root.host == "/" ? options.driver_root.Here(path) : path; };
  options.mps_pipes = Setting(arguments, "mps-pipe-directory", "CUDA_MPS_PIPE_DIRECTORY", options.mps_pipes);
  options.mps_pipes_here = on_host(options.mps_pipes);
  options.config_path = Setting(arguments, "config", "ALLOT_NODE_CONFIG", "");
  options.toolkit_folders = {on_host("/etc/cdi"), agent.cdi_folder};
  TRY(AddXids(Setting(arguments, "additional-xids-to-ignore", "ADDITIONAL_XIDS_TO_IGNORE", ""), options.health.program_xids));
  return options;
}

Status Run(const Verb& verb, const Arguments& arguments) {
  if (!arguments.operands().empty()) return Invalid("node takes only flags, not ", Quoted(arguments.operands()[0]));
  ASSIGN_OR_RETURN(node::AgentOptions options, AgentOptionsOf(arguments));
  ASSIGN_OR_RETURN(node::nvidia::Options nvidia_options, NvidiaOptionsOf(arguments, options));
  // One arena for all threads: the agent has to fit into ten MiB, and no thread allocates much.
  ::mallopt(M_ARENA_MAX, 1);
  ::mallopt(M_TRIM_THRESHOLD, 64 << 10);
  ForgetReadahead();
  StopSignals signals;
  ASSIGN_OR_RETURN(const std::unique_ptr<Session> session, Session::Open(verb, arguments));
  PosixFileSystem files;
  SystemClock clock;
  SystemRandom random;
  Log log(clock, arguments.Get("log-format", "text") == "json" ? Log::Format::kJson : Log::Format::kText, Log::Stderr());
  node::nvidia::Driver nvidia(std::move(nvidia_options), files, clock, log);
  const std::vector<node::AgentDriver> drivers = {{nvidia}};
  return node::Agent(std::move(options), drivers, session->client(), files, clock, random, log).Run(signals.stop);
}

}  // namespace

Verb NodeVerb() {
  Verb verb;
  verb.name = "node";
  verb.summary = "Runs the agent of one node: publishes its GPUs, and prepares the shares that are allocated to claims.";
  verb.usage = "--node-name NAME [flags]";
  verb.examples =
      "# On a node, beside kubelet\n"
      "allot node --node-name $(hostname) --kubeconfig /etc/kubernetes/admin.conf\n"
      "# With metrics, and a policy for each GPU\n"
      "allot node --node-name n1 --http-endpoint :8080 --config /etc/allot/node.yaml\n";
  verb.flags = {
      {.name = "node-name", .value = "NAME", .help = "the name of this machine's Node object (default: NODE_NAME)"},
      {.name = "config", .value = "FILE", .help = "policies for GPUs (docs/node-config.md); read again when the file changes"},
      {.name = "nvidia-driver-root", .value = "DIR", .help = "the root folder of the NVIDIA driver on the machine (default /)"},
      {.name = "container-driver-root", .value = "DIR", .help = "the same folder as mounted in this program's container"},
      {.name = "cdi-root", .value = "DIR", .help = "the folder for CDI specs (default /var/run/cdi)"},
      {.name = "cdi-hook",
       .value = "PROGRAM",
       .help = "the path of allot-cdi-hook, which adds the driver to containers' ld cache (default: beside this program)"},
      {.name = "kubelet-plugins-directory-path", .value = "DIR", .help = "kubelet's folder of plugins (default /var/lib/kubelet/plugins)"},
      {.name = "kubelet-registrar-directory-path",
       .value = "DIR",
       .help = "kubelet's folder for registration (default /var/lib/kubelet/plugins_registry)"},
      {.name = "mps-pipe-directory", .value = "DIR", .help = "the pipe folder of the node's MPS daemon (default /tmp/nvidia-mps)"},
      {.name = "pod-name", .value = "NAME", .help = "the agent's own Pod, for its events (default: POD_NAME)"},
      {.name = "pod-namespace", .value = "NAME", .help = "the namespace of the agent's Pod (default: POD_NAMESPACE)"},
      {.name = "pod-uid", .value = "UID", .help = "the UID of the agent's Pod; lets two agents run during an update (default: POD_UID)"},
      {.name = "http-endpoint", .value = "ADDRESS:PORT", .help = "serve /metrics, /healthz and /readyz here (default: off)"},
      {.name = "healthcheck-port", .value = "PORT", .help = "serve gRPC health checks on this port (default: off)"},
      {.name = "additional-xids-to-ignore", .value = "N,...", .help = "errors (XIDs) that do not make a GPU unhealthy"},
      {.name = "log-format", .value = "text|json", .help = "the format of the log on standard error"},
  };
  verb.run = [](const Verb& self, const Arguments& arguments) { return Exit(Run(self, arguments)); };
  return verb;
}

}  // namespace allot::cli

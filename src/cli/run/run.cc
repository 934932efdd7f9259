#include "cli/run/run.h"

#include <csignal>
#include <utility>

#include "base/random.h"
#include "cli/local_api.h"
#include "cli/output.h"
#include "cli/run/run_line.h"
#include "cli/run/run_spec.h"
#include "kube/error.h"
#include "local/pods/pod_environment.h"
#include "local/run/run_request.h"
#include "local/run/suspended_command.h"

namespace allot::cli {
namespace {

constexpr int kBadUsage = 2, kCannotStart = 126, kNoProgram = 127;  // the exit codes of shells

// A program that may exist only in the PATH that a share of simulated GPUs adds.
constexpr std::string_view kOfShare = "nvidia-smi";

Cancel* cancelled = nullptr;  // for the signal handler
int cancelled_by = 0;

// Makes Ctrl-C and similar signals cancel a wait. The second signal ends the program at once; then `up` cleans up. Signals that the caller
// ignores (nohup) stay ignored.
void CancelOnSignals(Cancel& cancel) {
  cancelled = &cancel;
  struct sigaction action = {};
  action.sa_handler = [](int signal) {
    cancelled_by = signal;
    cancelled->Request();
  };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    struct sigaction now = {};
    if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN) continue;
    ::sigaction(signal, &action, nullptr);
  }
}

int Fail(const Status& status, int code = 1) {
  Note(StrCat("error: ", status.message()));
  return code;
}

int ExitCodeOf(const Status& program) { return program.code() == Code::kNotFound ? kNoProgram : kCannotStart; }

// Reports that the Pod could not be created, and returns the exit code.
int Refused(const Status& status, const local::RunSpec& spec) {
  if (kube::HasReason(status, "AlreadyExists") && !spec.name.empty()) {
    return Fail(Conflict("--name: ", kube::ApiErrorOf(status)->message, "; use another name, or omit --name"));
  }
  const bool ours = status.code() == Code::kInvalid && kube::ApiErrorOf(status) == nullptr;
  Note(ErrorText(status));
  return ours ? kBadUsage : 1;
}

// The hint to run `allot explain` for the Pod, with the flags of the server and the namespace.
std::string Hint(const Arguments& arguments, const std::string& pod) {
  std::string command = StrCat("allot explain pod/", pod);
  for (const std::string_view flag : {"namespace", "server"}) {
    if (arguments.Has(flag)) command += StrCat(" --", flag, " ", arguments.Get(flag));
  }
  return StrCat("`", command, "` says why it waits, and what would let it start.");
}

// Waits for the share, and shows the progress.
Result<Environment> AwaitShare(local::RunRequest& request, const Arguments& arguments, const dialect::Share& share, const Cancel& cancel) {
  LiveLine line(arguments.Bool("quiet"));
  bool hinted = false;
  const auto tell = [&](const local::Wait& wait) {
    if (!std::exchange(hinted, true)) line.Say(Hint(arguments, request.pod()));
    line.Show(WaitLine(request.pod(), share, wait, line.width()));
  };
  return request.AwaitShare(cancel, line.quiet() ? nullptr : std::function<void(const local::Wait&)>(tell));
}

// Resumes the command, waits for its end, then waits until its share is free; signals cancel only the second wait.
int RunSuspended(local::RunRequest& request, local::SuspendedCommand& command, bool quiet, Cancel& cancel) {
  const Status begun = command.Resume();
  const int code = begun.ok() ? command.Wait() : Fail(begun, ExitCodeOf(begun));
  CancelOnSignals(cancel);
  request.AwaitFree(command.process(), cancel);
  if (!quiet && local::IsGroupAlive(command.process())) {
    Note(StrCat("the command left processes running, which keep its share until they end; `allot delete pod/", request.pod(),
                "` ends them"));
  }
  return code;
}

int Run(const Verb& verb, const Arguments& arguments) {
  const Result<local::RunSpec> spec = ReadRunSpec(arguments);
  if (!spec.ok()) return Fail(spec.status(), kBadUsage);
  Environment environment = ProcessEnvironment();
  if (spec->argv[0] != kOfShare) {
    if (const Status program = local::CheckProgram(spec->argv[0], environment); !program.ok()) return Fail(program, ExitCodeOf(program));
  }
  const LocalApi api = FindLocalApi();
  if (api.socket.empty() && !arguments.Has("server")) {
    const auto config = environment.find("KUBECONFIG");
    const bool named = config != environment.end() && !config->second.empty();
    return Fail(Unavailable("no `allot up` answers", named ? StrCat(" beside ", config->second, " (KUBECONFIG), or elsewhere") : "",
                            " on this machine; start it in another terminal (`allot up --gpus rtx3090` simulates a GPU)"));
  }
  Cancel cancel, ended;
  CancelOnSignals(cancel);
  kube::Config config;
  config.server = arguments.Has("server") ? ServerUrlOf(arguments.Get("server")) : StrCat("unix://", api.socket);
  config.origin = config.server;
  const std::string socket = SocketOf(config.server);
  const Result<std::unique_ptr<kube::Client>> client =
      kube::Client::Make(std::move(config), {.user_agent = StrCat("allot/", verb.name), .qps = 0});
  if (!client.ok()) return Fail(client.status());
  SystemRandom random;
  Result<local::RunRequest> request = local::RunRequest::Make(
      **client, arguments.Has("namespace") ? arguments.Get("namespace") : NamespaceAt(socket), *spec, random, cancel);
  if (!request.ok()) return cancel.requested() ? 128 + cancelled_by : Refused(request.status(), *spec);
  for (const std::string& warning : request->warnings()) Note(StrCat("warning: ", warning));
  const Result<Environment> share = AwaitShare(*request, arguments, spec->share, cancel);
  if (!share.ok()) return cancel.requested() ? 128 + cancelled_by : Fail(share.status());
  local::AddDeviceEnvironment(*share, environment);
  Result<local::SuspendedCommand> command = local::SuspendedCommand::Start(spec->argv, environment);
  if (!command.ok()) return Fail(command.status());
  if (const Status attached = request->Attach(command->process(), cancel); !attached.ok()) {
    return cancel.requested() ? 128 + cancelled_by : Fail(attached);
  }
  if (cancel.requested()) return 128 + cancelled_by;
  return RunSuspended(*request, *command, arguments.Bool("quiet"), ended);
}

}  // namespace

Verb RunVerb() {
  Verb verb;
  verb.name = "run";
  verb.summary = "Runs a command with a share of a GPU of this machine, and waits until the share is free.";
  verb.usage = "[flags] -- COMMAND [ARGUMENT...]";
  verb.examples =
      "# With 6 GiB of a GPU\n"
      "allot run --memory 6Gi -- python train.py\n"
      "# With half of the memory of an RTX 3090\n"
      "allot run --fraction 0.5 --model rtx3090 -- ./render scene\n"
      "# With 10 GiB on each of two different GPUs\n"
      "allot run --gpus 2 --memory 10Gi -- torchrun --nproc-per-node 2 train.py\n"
      "# With a whole GPU\n"
      "allot run -- nvidia-smi\n";
  verb.flags = {
      {.name = "memory", .letter = 'm', .value = "AMOUNT", .help = "the memory of each GPU: 6Gi, 6144Mi (default: whole GPUs)"},
      {.name = "fraction", .value = "PART", .help = "a fraction of each GPU's memory instead: 0.5, 1/3"},
      {.name = "gpus", .value = "N", .help = "the number of different GPUs (default 1)"},
      {.name = "model", .value = "NAME", .help = "only GPUs whose name contains this; case and spaces are ignored: rtx3090"},
      {.name = "name", .value = "NAME", .help = "the name of the Pod that represents the command (default: derived from the command)"},
      {.name = "namespace", .letter = 'n', .value = "NAMESPACE", .help = "the Pod's namespace (default: your own)"},
      {.name = "wait", .help = "wait even if no current GPU could ever satisfy the request, instead of failing"},
      {.name = "quiet", .letter = 'q', .help = "print nothing while the command waits"},
      {.name = "server", .value = "URL", .help = "another `allot up` on this machine: unix:///PATH or /PATH of its socket"},
  };
  verb.operands = Operands::kCommand;
  verb.connects = false;
  verb.run = Run;
  return verb;
}

}  // namespace allot::cli

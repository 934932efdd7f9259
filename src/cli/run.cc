#include "cli/run.h"

#include <csignal>
#include <utility>

#include "base/random.h"
#include "cli/local_api.h"
#include "cli/output.h"
#include "cli/run_line.h"
#include "cli/run_spec.h"
#include "kube/error.h"
#include "local/held_command.h"
#include "local/pod_environment.h"
#include "local/run_request.h"

namespace allot::cli {
namespace {

constexpr int kBadUsage = 2, kCannotStart = 126, kNoProgram = 127;  // as shells have it

// What a share of simulated GPUs brings along (PATH): it may be nowhere else.
constexpr std::string_view kOfShare = "nvidia-smi";

Cancel* cancelled = nullptr;  // for the handler
int cancelled_by = 0;

// Ctrl-C while it waits, for its turn or for its end. The second one ends us at once: `up` cleans up behind us. What the caller ignores
// (nohup) stays so.
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

// Where the Pod cannot be made.
int Refused(const Status& status, const local::RunSpec& spec) {
  if (kube::HasReason(status, "AlreadyExists") && !spec.name.empty()) {
    return Fail(Conflict("--name: ", kube::ApiErrorOf(status)->message, "; give another name, or none"));
  }
  const bool ours = status.code() == Code::kInvalid && kube::ApiErrorOf(status) == nullptr;
  if (ours && status.message().starts_with("fraction: ")) return Fail(Invalid("--", status.message()), kBadUsage);  // of these GPUs
  Note(ErrorText(status));
  return ours ? kBadUsage : 1;
}

// "allot explain pod/train-3 tells why, and what would help", for who asks the same server for the same namespace.
std::string Hint(const Arguments& arguments, const std::string& pod) {
  std::string command = StrCat("allot explain pod/", pod);
  for (const std::string_view flag : {"namespace", "server"}) {
    if (arguments.Has(flag)) command += StrCat(" --", flag, " ", arguments.Get(flag));
  }
  return StrCat("`", command, "` tells why, and what would help.");
}

// Waits for the share, and tells of it.
Result<Environment> AwaitShare(local::RunRequest& request, const Arguments& arguments, const dialect::Share& share, const Cancel& cancel) {
  LiveLine line(arguments.Bool("quiet"));
  bool hinted = false;
  const auto tell = [&](const local::Wait& wait) {
    if (!std::exchange(hinted, true)) line.Say(Hint(arguments, request.pod()));
    line.Show(WaitLine(request.pod(), share, wait, line.width()));
  };
  return request.AwaitShare(cancel, line.quiet() ? nullptr : std::function<void(const local::Wait&)>(tell));
}

// Runs the command, whose share it is, until that is given back; `cancel` is for the time after the command.
int RunHeld(local::RunRequest& request, local::HeldCommand& command, bool quiet, Cancel& cancel) {
  const Status begun = command.LetGo();
  const int code = begun.ok() ? command.Wait() : Fail(begun, ExitCodeOf(begun));
  CancelOnSignals(cancel);
  request.AwaitFree(command.process(), cancel);
  if (!quiet && local::IsGroupAlive(command.process())) {
    Note(StrCat("the command left processes behind, whose share it is until they end: `allot delete pod/", request.pod(), "` ends them"));
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
  const Result<Environment> share = AwaitShare(*request, arguments, spec->share, cancel);
  if (!share.ok()) return cancel.requested() ? 128 + cancelled_by : Fail(share.status());
  local::AddDeviceEnvironment(*share, environment);
  Result<local::HeldCommand> command = local::HeldCommand::Start(spec->argv, environment);
  if (!command.ok()) return Fail(command.status());
  if (const Status attached = request->Attach(command->process(), cancel); !attached.ok()) {
    return cancel.requested() ? 128 + cancelled_by : Fail(attached);
  }
  if (cancel.requested()) return 128 + cancelled_by;
  return RunHeld(*request, *command, arguments.Bool("quiet"), ended);
}

}  // namespace

Verb RunVerb() {
  Verb verb;
  verb.name = "run";
  verb.summary = "A command with a share of a GPU of this machine; it waits its turn.";
  verb.usage = "[flags] -- COMMAND [ARGUMENT...]";
  verb.examples =
      "# With 6 GiB of a GPU\n"
      "allot run --memory 6Gi -- python train.py\n"
      "# With half of an RTX 3090, whatever memory that has\n"
      "allot run --fraction 0.5 --model rtx3090 -- ./render scene\n"
      "# With 10 GiB on each of two different GPUs\n"
      "allot run --gpus 2 --memory 10Gi -- torchrun --nproc-per-node 2 train.py\n"
      "# With a whole GPU\n"
      "allot run -- nvidia-smi\n";
  verb.flags = {
      {.name = "memory", .letter = 'm', .value = "AMOUNT", .help = "of each GPU: 6Gi, 6144Mi; whole GPUs unless given"},
      {.name = "fraction", .value = "PART", .help = "of each GPU instead: 0.5"},
      {.name = "gpus", .value = "N", .help = "how many different GPUs; 1 unless given"},
      {.name = "model", .value = "NAME", .help = "only GPUs with this in their name, in any case and spacing: rtx3090"},
      {.name = "name", .value = "NAME", .help = "of the Pod that stands for the command; made of the command's unless given"},
      {.name = "namespace", .letter = 'n', .value = "NAMESPACE", .help = "of the Pod; your own unless given"},
      {.name = "wait", .help = "also for what can never start as things are; else that is an error"},
      {.name = "quiet", .letter = 'q', .help = "say nothing while it waits"},
      {.name = "server", .value = "URL", .help = "another `allot up` on this machine: unix:///PATH or /PATH of its socket"},
  };
  verb.operands = Operands::kCommand;
  verb.connects = false;
  verb.run = Run;
  return verb;
}

}  // namespace allot::cli

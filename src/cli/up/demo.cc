#include "cli/up/demo.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "base/file_system.h"
#include "base/random.h"
#include "base/shell_word.h"
#include "cli/output.h"
#include "cli/program/verbs.h"
#include "cli/stop_signals.h"
#include "cli/up/demo_manifests.h"
#include "cli/up/up.h"
#include "json/json.h"
#include "json/yaml.h"
#include "kube/client.h"
#include "local/up.h"

namespace allot::cli {
namespace {

constexpr std::chrono::seconds kPatience{20};
constexpr std::string_view kGpus = "rtx3090:2,rtx3060";

class Demo {
 public:
  Demo(kube::Client& client, std::string kubeconfig, const Cancel& stop)
      : client_(client), kubeconfig_(std::move(kubeconfig)), stop_(stop) {}

  Status Play() {
    TRY(Say("\n1. Four Pods on one GPU: each asks for 6Gi of an RTX 3090, and 4 x 6 is 24.\n"));
    TRY(Apply("gpu-6gi-3090"));
    for (const char* name : {"share-1", "share-2", "share-3", "share-4"}) TRY(Apply(name));
    for (const char* name : {"share-1", "share-2", "share-3", "share-4"}) TRY(Await(name, "Running"));
    TRY(Show({"get", "pods"}));
    TRY(Say("   Each sees its own share, and no more:\n"));
    TRY(Show({"logs", "share-1"}));

    TRY(Say("\n2. A whole GPU: 24Gi, on the other RTX 3090. A second such Pod has to wait, and allot says why.\n"));
    TRY(Apply("gpu-24gi-3090"));
    TRY(Apply("whole-1"));
    TRY(Await("whole-1", "Running"));
    TRY(Apply("whole-2"));
    TRY(AwaitExplained("whole-2"));
    TRY(Show({"explain", "pod/whole-2"}));

    TRY(Say("\n3. 6Gi of any GPU: two more Pods, on the RTX 3060.\n"));
    TRY(Apply("gpu-6gi-any"));
    for (const char* name : {"any-1", "any-2"}) TRY(Apply(name));
    for (const char* name : {"any-1", "any-2"}) TRY(Await(name, "Running"));
    TRY(Show({"status"}));

    TRY(Say("\n4. whole-1 ends, and whole-2 starts by itself.\n"));
    TRY(Note("kubectl delete pod whole-1"));
    TRY(client_.Delete(kube::types::kPods, "default", "whole-1", {}, CallTime()).status());
    TRY(Await("whole-2", "Running"));
    return Show({"status"});
  }

 private:
  static Patience CallTime() { return {std::chrono::steady_clock::now() + kPatience, nullptr}; }

  static Status Say(std::string_view text) {
    TRY(Print(text));
    return Flush();
  }
  static Status Note(std::string_view command) { return Say(StrCat("   $ ", command, "\n")); }

  // The command as the user would type it, then what it prints.
  Status Show(std::vector<std::string> words) {
    TRY(Note(StrCat("allot ", Join(words, " "))));
    words.push_back(StrCat("--kubeconfig=", kubeconfig_));
    const std::vector<std::string_view> views(words.begin(), words.end());
    const int code = RunProgram(views);
    return code == 0 ? Flush() : Unavailable("allot ", words[0], " ended with ", code);
  }

  Status Apply(std::string_view name) {
    const auto manifest = std::ranges::find(manifests_, name, &DemoManifest::name);
    CHECK(manifest != manifests_.end());
    const kube::ResourceType& type = manifest->kind == "Pod" ? kube::types::kPods : kube::types::kResourceClaimTemplates;
    ASSIGN_OR_RETURN(const std::vector<json::Document> documents, json::ParseYaml(manifest->yaml));
    TRY(Note(StrCat("kubectl apply -f ", name, ".yaml")));
    return client_.Create(type, "default", json::Write(documents.at(0).root()), {}, CallTime()).status();
  }

  Status Until(std::string_view pod, std::string_view what, const std::function<bool(const kube::Object&)>& done) {
    const Patience patience = CallTime();
    for (;;) {
      if (stop_.requested()) return Unavailable("interrupted; the demo has removed everything");
      ASSIGN_OR_RETURN(const kube::ObjectPtr object, client_.Get(kube::types::kPods, "default", pod, patience));
      if (done(*object)) return Status();
      if (std::chrono::steady_clock::now() > *patience.deadline) return Unavailable("Pod ", pod, " is not ", what, " in time");
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }

  Status Await(std::string_view pod, std::string_view phase) {
    return Until(pod, phase, [&](const kube::Object& object) { return kube::Object::Text(object.json()["status"]["phase"]) == phase; });
  }

  // Waits until the scheduler has tried the Pod and written the reason.
  Status AwaitExplained(std::string_view pod) {
    return Until(pod, "explained", [](const kube::Object& object) { return object.json()["status"]["conditions"].IsArray(); });
  }

  kube::Client& client_;
  const std::string kubeconfig_;
  const Cancel& stop_;
  const std::vector<DemoManifest> manifests_ = DemoManifests();
};

// Ends all Pods, so that no process is left when the folder is removed.
void EndPods(kube::Client& client) {
  std::vector<std::string> names;
  const Patience patience{std::chrono::steady_clock::now() + kPatience, nullptr};
  const auto list = [&] {
    names.clear();
    return client.ListValues(
        kube::types::kPods, "default", {}, [&](const json::Value& pod) { names.emplace_back(pod["metadata"]["name"].AsString()); },
        patience);
  };
  if (!list().ok()) return;
  for (const std::string& name : names)
    static_cast<void>(client.Delete(kube::types::kPods, "default", name, {.grace_seconds = 1}, patience));
  while (!names.empty() && std::chrono::steady_clock::now() < *patience.deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    if (!list().ok()) return;
  }
}

struct Folder {
  std::string path;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
};

Status Run(const Arguments& arguments) {
  if (arguments.Bool("print")) return Print(DemoYaml());
  const bool stay = arguments.Bool("stay");
  std::string pattern = (std::filesystem::temp_directory_path() / "allot-demo-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) return Unavailable(pattern, ": cannot be made");
  const Folder folder{pattern};
  PosixFileSystem files;
  SystemClock clock;
  SystemRandom random;
  Log log(clock, Log::Format::kText, [](std::string_view) {});
  StopSignals signals("", true);  // before there are threads; a second signal does not interrupt the clean-up
  local::UpOptions options = UpDefaults();
  ASSIGN_OR_RETURN(options.nodes, local::ReadGpus(kGpus, 1));
  ASSIGN_OR_RETURN(options.data, apiserver::OpenDataFolder(folder.path));
  TRY(Print(StrCat("Two RTX 3090 and one RTX 3060, simulated: this needs no GPU, no root and no Kubernetes.\n   $ allot up --gpus ", kGpus,
                   "\n")));
  TRY(Flush());
  const auto begin = std::chrono::steady_clock::now();
  ASSIGN_OR_RETURN(const std::unique_ptr<local::Up> up, local::Up::Start(std::move(options), files, clock, random, log, signals.stop));
  ASSIGN_OR_RETURN(const std::unique_ptr<kube::Client> client, kube::Client::Make(up->api().ClientConfig(), {.qps = 0}));
  for (const std::string_view line : Split(up->Greeting(), '\n')) {
    if (line.starts_with("#   gpu")) TRY(Print(StrCat(line.substr(1), "\n")));
  }
  Status played = Demo(*client, up->api().folder().admin_config(), signals.stop).Play();
  if (played.ok() && stay) {
    played = Print(StrCat("\nThe demo runs until Ctrl-C. In another terminal:\n   export KUBECONFIG=",
                          ShellWord(up->api().folder().admin_config()), "\n   kubectl get pods,resourceclaims,resourceslices\n"));
    if (played.ok()) played = Flush();
    if (played.ok()) up->Run(signals.stop);
  }
  EndPods(*client);
  up->Stop();
  TRY(std::move(played));
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin).count();
  if (stay) return Print("The demo has removed everything.\n");
  return Print(StrCat("\nThe demo took ", took / 1000, ".", took % 1000 / 100,
                      " seconds and has removed everything. `allot up` shares this machine's GPUs, `allot demo --stay` keeps the demo "
                      "running for kubectl, and `allot demo --print` prints the manifests.\n"));
}

}  // namespace

Verb DemoVerb() {
  Verb verb;
  verb.name = "demo";
  verb.summary = "Shows GPU sharing on simulated GPUs in a few seconds: which Pods run, which wait, and why.";
  verb.usage = "[flags]";
  verb.examples =
      "# Run the demo; it leaves nothing behind\n"
      "allot demo\n"
      "# Keep it running afterwards, for kubectl\n"
      "allot demo --stay\n"
      "# Do the same by hand: with `allot up --gpus rtx3090:2,rtx3060` in another terminal, and its KUBECONFIG\n"
      "allot demo --print | allot apply -f -\n";
  verb.flags = {{.name = "stay", .help = "keep running until Ctrl-C, for kubectl in another terminal"},
                {.name = "print", .help = "only print the manifests that the demo applies"}};
  verb.connects = false;
  verb.run = [](const Verb&, const Arguments& arguments) { return Exit(Run(arguments)); };
  return verb;
}

}  // namespace allot::cli

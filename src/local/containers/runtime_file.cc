#include "local/containers/runtime_file.h"

#include <algorithm>
#include <vector>

#include "local/run/run_protocol.h"

namespace allot::local {
namespace {

// The Pods that have not ended, without those of `allot run`: their commands do not run in containers.
Result<std::vector<std::string>> LivePods(kube::Client& client, const Patience& patience) {
  std::vector<std::string> pods;
  kube::ListOptions options;
  options.label_selector = StrCat("!", kRunLabel);
  TRY(client
          .List(
              kube::types::kPods, "", options,
              [&](const kube::ObjectPtr& pod) {
                const std::string_view phase = kube::Object::Text(pod->json()["status"]["phase"]);
                if (phase != "Succeeded" && phase != "Failed") pods.push_back(kube::KeyOf(*pod));
              },
              patience)
          .status());
  return pods;
}

}  // namespace

Status KeepRuntime(kube::Client& client, FileSystem& files, const StateFolder& folder, std::string_view runtime, const Patience& patience) {
  constexpr size_t kLongest = 100, kNamed = 3;
  const std::string path = folder.path() + "/runtime";
  std::string kept = "process";
  if (files.Exists(path)) {
    ASSIGN_OR_RETURN(kept, files.ReadFile(path, kLongest));
    if (kept != "process" && kept != "podman") {
      return Invalid(path, ": expected the runtime of the existing Pods: process or podman; write one of these, without a newline");
    }
  }
  if (kept == runtime) return Status();
  ASSIGN_OR_RETURN(std::vector<std::string> pods, LivePods(client, patience));
  if (pods.empty()) return files.WriteFileAtomic(path, runtime);
  const size_t count = pods.size();
  pods.resize(std::min(count, kNamed));
  return Invalid("--runtime: cannot change from ", kept, " to ", runtime, " while there are Pods: ", Join(pods, ", "),
                 count > kNamed ? StrCat(" and ", count - kNamed, " more") : "", "; start with --runtime ", kept, " and delete them first");
}

}  // namespace allot::local

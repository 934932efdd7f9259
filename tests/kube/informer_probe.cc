// An informer that checks the events that it receives: informer_probe pods|configmaps NAMESPACE (the server is that of KUBECONFIG).
//
// Prints a line of JSON when it has synced, and one for each line "report" of its input. For a line "dump" it prints the cache, one object
// a line ("namespace/name uid resourceVersion", sorted), and a line "end". Ends at the end of its input.

#include <sys/resource.h>
#include <csignal>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <map>
#include <mutex>

#include "base/clock.h"
#include "base/file_system.h"
#include "base/random.h"
#include "kube/client.h"
#include "kube/config/config.h"
#include "kube/informer.h"

namespace {

using namespace allot;

// Counts the events, and those that break a promise of the informer.
class Checker final : public kube::Informer::Handler {
 public:
  void OnAdded(const kube::ObjectPtr& object) override {
    const std::lock_guard lock(mutex_);
    ++events_;
    if (!versions_.emplace(object->uid(), Number(*object)).second) ++violations_;  // added twice
  }
  void OnUpdated(const kube::ObjectPtr& before, const kube::ObjectPtr& after) override {
    const std::lock_guard lock(mutex_);
    ++events_;
    const auto known = versions_.find(std::string(after->uid()));
    if (known == versions_.end() || before->uid() != after->uid() || known->second != Number(*before) || Number(*after) <= known->second) {
      ++violations_;
    }
    versions_[std::string(after->uid())] = Number(*after);
  }
  void OnDeleted(const kube::ObjectPtr& last) override {
    const std::lock_guard lock(mutex_);
    ++events_;
    const auto known = versions_.find(std::string(last->uid()));
    if (known == versions_.end() || Number(*last) < known->second) ++violations_;  // unknown, deleted twice, or outdated
    versions_.erase(std::string(last->uid()));
  }

  struct Counts {
    uint64_t events, violations, known;
  };
  Counts counts() const {
    const std::lock_guard lock(mutex_);
    return {events_, violations_, versions_.size()};
  }

 private:
  static uint64_t Number(const kube::Object& object) { return std::stoull(std::string(object.resource_version())); }

  mutable std::mutex mutex_;
  std::map<std::string, uint64_t> versions_;  // by UID
  uint64_t events_ = 0, violations_ = 0;
};

double CpuSeconds() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) { return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6; };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

uint64_t ResidentBytes() {
  const auto text = PosixFileSystem().ReadFile("/proc/self/status", 1 << 16);
  const size_t at = text.ok() ? text->find("VmRSS:") : std::string::npos;
  return at == std::string::npos ? 0 : std::stoull(text->substr(at + 6)) << 10;
}

void Report(const kube::Informer& informer, const Checker* checker) {
  const auto counts = informer.counts();
  const Checker::Counts checked = checker != nullptr ? checker->counts() : Checker::Counts{counts.events, 0, 0};
  std::printf(R"({"objects":%zu,"events":%lu,"violations":%lu,"lists":%lu,"watches":%lu,"expired":%lu,"failures":%lu,"ignored":%lu,)"
              R"("cpuSeconds":%.3f,"residentBytes":%lu,"status":"%s"})"
              "\n",
              informer.snapshot()->size(), checked.events, checked.violations, counts.lists, counts.watches, counts.expired,
              counts.failures, counts.ignored, CpuSeconds(), ResidentBytes(), informer.status().ok() ? "ok" : "failing");
  std::fflush(stdout);
}

void Dump(const kube::Informer& informer) {
  std::vector<std::string> lines;
  informer.snapshot()->Each(
      [&](const kube::ObjectPtr& object) { lines.push_back(StrCat(KeyOf(*object), " ", object->uid(), " ", object->resource_version())); });
  std::sort(lines.begin(), lines.end());
  for (const std::string& line : lines) std::printf("%s\n", line.c_str());
  std::printf("end\n");
  std::fflush(stdout);
}

Status Run(std::string_view type_name, std::string namespace_name, bool check) {
  const PosixFileSystem files;
  const SystemClock clock;
  SystemRandom random;
  ASSIGN_OR_RETURN(kube::Config config, kube::LoadConfig(kube::SystemConfigSources(files, clock)));
  ASSIGN_OR_RETURN(const auto client, kube::Client::Make(std::move(config), {.user_agent = "allot-informer-probe"}));
  Checker checker;
  kube::Informer::Options options;
  options.namespace_name = std::move(namespace_name);
  options.longest_pause = std::chrono::milliseconds(2000);
  kube::Informer informer(*client, type_name == "pods" ? kube::types::kPods : kube::types::kConfigMaps, options, random,
                          check ? &checker : nullptr);
  informer.Start();
  TRY(informer.AwaitSync({std::chrono::steady_clock::now() + std::chrono::seconds(60), nullptr}));
  Report(informer, check ? &checker : nullptr);
  for (std::string line; std::getline(std::cin, line);) {
    if (line == "dump") {
      Dump(informer);
    } else {
      Report(informer, check ? &checker : nullptr);
    }
  }
  return Status();
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // writing to a closed connection then returns an error
  if (argc < 3) {
    std::fputs("usage: informer_probe pods|configmaps NAMESPACE [check]\n", stderr);
    return 2;
  }
  const allot::Status status = Run(argv[1], argv[2], argc > 3);
  if (status.ok()) return 0;
  std::fprintf(stderr, "error: %s\n", status.message().c_str());
  return 1;
}

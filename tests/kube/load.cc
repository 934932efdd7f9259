// Creates and changes objects, as a load for tests: load pods|touch|churn NAMESPACE COUNT [SECONDS] (the server is that of KUBECONFIG).
//
//   pods   creates COUNT Pods that no scheduler considers
//   touch  changes a label of the Pods, COUNT times in total
//   churn  creates, changes and deletes about COUNT ConfigMaps at random for SECONDS, even while the server is down
//
// Prints how many requests succeeded and failed.

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <functional>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/file_system.h"
#include "base/random.h"
#include "kube/client.h"
#include "kube/config/config.h"
#include "tests/kube/load_pod.h"

namespace {

using namespace allot;

constexpr int kThreads = 8;

struct Totals {
  std::atomic<uint64_t> succeeded{0}, failed{0};
};

std::string ConfigMapJson(uint64_t i, uint64_t value) {
  return StrCat(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"object-)", i, R"("},"data":{"value":")", value, R"("}})");
}

// Calls work(i) for i from 0 to count - 1, on several threads.
void InParallel(uint64_t count, const std::function<void(uint64_t)>& work) {
  std::atomic<uint64_t> next{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (uint64_t i = next++; i < count; i = next++) work(i);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

void Churn(kube::Client& client, const std::string& namespace_name, uint64_t objects, std::chrono::seconds time, Totals& totals) {
  const auto end = std::chrono::steady_clock::now() + time;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      SeededRandom random(static_cast<uint64_t>(t) + 1);
      while (std::chrono::steady_clock::now() < end) {
        const uint64_t i = random.Below(objects);
        const std::string name = StrCat("object-", i);
        const Patience patience{std::chrono::steady_clock::now() + std::chrono::seconds(5), nullptr};
        Status status;
        if (random.Below(4) == 0) {
          status = client.Delete(kube::types::kConfigMaps, namespace_name, name, {}, patience).status();
        } else {
          kube::PatchOptions options;
          options.field_manager = "load";
          options.force = true;
          status = client
                       .Patch(kube::types::kConfigMaps, namespace_name, name, kube::PatchType::kApply, ConfigMapJson(i, random.Next64()),
                              "", options, patience)
                       .status();
        }
        ++(status.ok() || status.code() == Code::kNotFound ? totals.succeeded : totals.failed);
        if (status.code() == Code::kUnavailable) std::this_thread::sleep_for(std::chrono::milliseconds(50));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

Status Run(const std::string& mode, const std::string& namespace_name, uint64_t count, std::chrono::seconds time) {
  const PosixFileSystem files;
  const SystemClock clock;
  ASSIGN_OR_RETURN(kube::Config config, kube::LoadConfig(kube::SystemConfigSources(files, clock)));
  ASSIGN_OR_RETURN(const auto client, kube::Client::Make(std::move(config), {.user_agent = "allot-load", .qps = 0}));
  Totals totals;
  const auto note = [&](const Status& status) {
    if (!status.ok() && ++totals.failed == 1) std::fprintf(stderr, "load: %s\n", status.message().c_str());
    if (status.ok()) ++totals.succeeded;
  };
  if (mode == "pods") {
    InParallel(count, [&](uint64_t i) { note(client->Create(kube::types::kPods, namespace_name, tests::PodJson(i)).status()); });
  } else if (mode == "touch") {
    InParallel(count, [&](uint64_t i) {
      note(client
               ->Patch(kube::types::kPods, namespace_name, StrCat("pod-", i % 1000), kube::PatchType::kMerge,
                       StrCat(R"({"metadata":{"labels":{"touched":")", i, R"("}}})"))
               .status());
    });
  } else if (mode == "churn") {
    Churn(*client, namespace_name, count, time, totals);
  } else {
    return Invalid("mode ", Quoted(mode), " is not one of pods, touch, churn");
  }
  std::printf("%lu succeeded, %lu failed\n", totals.succeeded.load(), totals.failed.load());
  return Status();
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // writing to a closed connection then returns an error
  if (argc < 4) {
    std::fputs("usage: load pods|touch|churn NAMESPACE COUNT [SECONDS]\n", stderr);
    return 2;
  }
  const allot::Status status = Run(argv[1], argv[2], std::stoull(argv[3]), std::chrono::seconds(argc > 4 ? std::stoi(argv[4]) : 10));
  if (status.ok()) return 0;
  std::fprintf(stderr, "error: %s\n", status.message().c_str());
  return 1;
}

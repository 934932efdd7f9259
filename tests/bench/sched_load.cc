// Measures how fast the scheduler decides: nodes with 8 GPUs each, Pods that ask for shares of random size.
//
//   sched_load NODES PODS            prints "NODES PODS DECISIONS_PER_SECOND P50_US P99_US PLACED"
//   sched_load NODES PODS --waiting  Pods that do not fit: prints the milliseconds of the first round, and of a later one

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "base/random.h"
#include "json/json.h"
#include "sched/cluster.h"
#include "sched/queue.h"

namespace allot::bench {
namespace {

using Put = Status (sched::Cluster::*)(json::DocumentPtr);

void Add(sched::Cluster& cluster, Put put, const std::string& text) {
  const auto document = std::make_shared<json::Document>(*json::Parse(text));
  CHECK((cluster.*put)(document).ok());
}

void AddNode(sched::Cluster& cluster, int index) {
  const std::string name = StrCat("node-", index);
  Add(cluster, &sched::Cluster::PutNode,
      StrCat(R"({"metadata":{"name":")", name, R"(","labels":{"kubernetes.io/hostname":")", name,
             R"("}},"status":{"allocatable":{"cpu":"128","memory":"1Ti","pods":"250"}}})"));
  std::string devices;
  for (int gpu = 0; gpu < 8; ++gpu) {
    devices +=
        StrCat(gpu > 0 ? "," : "", R"({"name":"gpu-)", gpu, R"(","allowMultipleAllocations":true,"attributes":{"type":{"string":"gpu"},)",
               R"("productName":{"string":"NVIDIA L4"},"uuid":{"string":"GPU-)", index, "-", gpu,
               R"("}},"capacity":{"memory":{"value":"24Gi","requestPolicy":{"default":"24Gi","validRange":{"min":"1Mi","step":"1Mi"}}}}})");
  }
  Add(cluster, &sched::Cluster::PutSlice,
      StrCat(R"({"metadata":{"name":")", name, R"("},"spec":{"driver":"gpu.nvidia.com","nodeName":")", name, R"(","pool":{"name":")", name,
             R"(","generation":1,"resourceSliceCount":1},"devices":[)", devices, "]}}"));
}

void AddPod(sched::Cluster& cluster, int index, int gib) {
  const std::string name = StrCat("pod-", 1000000 + index);
  Add(cluster, &sched::Cluster::PutClaim,
      StrCat(
          R"({"metadata":{"name":")", name, R"(","namespace":"lab","uid":"claim-)", index,
          R"("},"spec":{"devices":{"requests":[{"name":"gpu","exactly":{"deviceClassName":"gpu","allocationMode":"ExactCount","count":1,)",
          R"("selectors":[{"cel":{"expression":"device.attributes['gpu.nvidia.com'].productName == 'NVIDIA L4'"}}],)",
          R"("capacity":{"requests":{"memory":")", gib, R"(Gi"}}}}]}}})"));
  Add(cluster, &sched::Cluster::PutPod,
      StrCat(R"({"metadata":{"name":")", name, R"(","namespace":"lab","uid":"pod-)", index,
             R"("},"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"1","memory":"4Gi"}}}],)",
             R"("resourceClaims":[{"name":"gpu","resourceClaimName":")", name, R"("}]}})"));
}

// A cluster, and the scheduler's objects that decide for it.
struct Load {
  explicit Load(int nodes) {
    Add(cluster, &sched::Cluster::PutClass, R"({"metadata":{"name":"gpu"},"spec":{}})");
    for (int i = 0; i < nodes; ++i) AddNode(cluster, i);
  }

  sched::Cluster cluster;
  SeededRandom random{1};
  cel::Cache selectors;
  sched::Decider decider{selectors, random};
  sched::Queue queue{decider, {}};
};

int Run(int nodes, int pods) {
  Load load(nodes);
  constexpr int kSizes[] = {1, 2, 3, 4, 6, 8, 12, 24};
  const auto ask = [&](int from, int count) {
    for (int i = 0; i < count; ++i) AddPod(load.cluster, from + i, kSizes[load.random.Below(std::size(kSizes))]);
  };
  // The first Pods warm the caches of every shape, as in a cluster that has run for a while.
  ask(0, pods);
  size_t placed = 0;
  load.queue.Run(load.cluster, [&](const sched::Placed&) { ++placed; });
  ask(pods, pods);
  std::vector<double> microseconds;
  placed = 0;
  const auto begin = std::chrono::steady_clock::now();
  auto last = begin;
  load.queue.Run(load.cluster, [&](const sched::Placed&) {
    ++placed;
    const auto now = std::chrono::steady_clock::now();
    microseconds.push_back(std::chrono::duration<double, std::micro>(now - last).count());
    last = now;
  });
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (microseconds.empty()) return 1;
  std::sort(microseconds.begin(), microseconds.end());
  std::printf("%d %d %.0f %.1f %.1f %zu\n", nodes, pods, static_cast<double>(pods) / seconds, microseconds[microseconds.size() / 2],
              microseconds[microseconds.size() * 99 / 100], placed);
  return 0;
}

int Wait(int nodes, int pods) {
  Load load(nodes);
  for (int i = 0; i < nodes * 8 + pods; ++i) AddPod(load.cluster, i, i < nodes * 8 ? 20 : 6 + static_cast<int>(load.random.Below(18)));
  const auto run = [&] {
    const auto begin = std::chrono::steady_clock::now();
    load.queue.Run(load.cluster, [](const sched::Placed&) {});
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  };
  const double first = run(), later = run();
  std::printf("%d %zu %.1f %.1f\n", nodes, load.queue.waiting().size(), first, later);
  return 0;
}

}  // namespace
}  // namespace allot::bench

int main(int argc, char** argv) {
  if (argc == 4 && std::string_view(argv[3]) == "--waiting") return allot::bench::Wait(std::atoi(argv[1]), std::atoi(argv[2]));
  if (argc == 3) return allot::bench::Run(std::atoi(argv[1]), std::atoi(argv[2]));
  std::fputs("usage: sched_load NODES PODS [--waiting]\n", stderr);
  return 2;
}

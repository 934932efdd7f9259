#include "cli/demo.h"

#include <cstdio>
#include <string>
#include <vector>

#include "alloc/allocator.h"
#include "base/random.h"
#include "cel/cache.h"
#include "model/objects.h"

namespace allot::cli {
namespace {

// Eight GPUs of one machine as allot's node agent publishes them, and who is on them.
std::string Cluster() {
  std::string yaml = R"(
kind: Node
metadata: {name: lab-1}
---
kind: DeviceClass
metadata: {name: gpu.nvidia.com}
spec: {selectors: [{cel: {expression: 'device.driver == "gpu.nvidia.com" && device.attributes["gpu.nvidia.com"].type == "gpu"'}}]}
---
kind: ResourceSlice
metadata: {name: 00000-gpu.nvidia.com-lab-1}
spec:
  driver: gpu.nvidia.com
  pool: {name: lab-1, generation: 1, resourceSliceCount: 1}
  nodeName: lab-1
  devices:
)";
  struct Gpu {
    const char *product, *memory, *more;
  };
  const Gpu gpus[] = {
      {"NVIDIA GeForce RTX 3090", "24Gi", ""},
      {"NVIDIA GeForce RTX 3090", "24Gi", ""},
      {"NVIDIA GeForce RTX 3090", "24Gi", ""},
      {"NVIDIA GeForce RTX 3090", "24Gi", ", taints: [{key: gpu.nvidia.com/xid, value: '79', effect: NoSchedule}]"},
      {"NVIDIA GeForce RTX 3060", "12Gi", ""},
      {"NVIDIA GeForce RTX 3060", "12Gi", ""},
      {"NVIDIA GeForce RTX 3060", "12Gi", ""},
      {"NVIDIA GeForce RTX 3060", "12Gi", ""},
  };
  int index = 0;
  for (const Gpu& gpu : gpus) {
    yaml += StrCat("  - {name: gpu-", index,
                   ", allowMultipleAllocations: true, attributes: {type: {string: gpu}, productName: {string: ", gpu.product,
                   "}, uuid: {string: GPU-", index, "}}, capacity: {memory: {value: ", gpu.memory,
                   ", requestPolicy: {default: ", gpu.memory, ", validRange: {min: 1Mi, step: 1Mi}}}}", gpu.more, "}\n");
    ++index;
  }
  struct Share {
    const char* pod;
    int gpu;
    const char* memory;
  };
  const Share shares[] = {{"train-1", 0, "12Gi"},     {"train-2", 0, "10Gi"},     {"llm-server", 1, "24Gi"}, {"notebook-ana", 2, "6Gi"},
                          {"notebook-ben", 2, "6Gi"}, {"notebook-eva", 2, "6Gi"}, {"render", 4, "12Gi"}};
  for (const Share& share : shares) {
    yaml += StrCat("---\nkind: ResourceClaim\nmetadata: {name: ", share.pod, "-gpu, namespace: lab, uid: ", share.pod,
                   "}\nstatus: {reservedFor: [{name: ", share.pod,
                   "}], allocation: {devices: {results: [{request: gpu, driver: gpu.nvidia.com, ", "pool: lab-1, device: gpu-", share.gpu,
                   ", shareID: s, consumedCapacity: {memory: ", share.memory, "}}]}}}\n");
  }
  return yaml;
}

std::string Claim(std::string_view name, std::string_view memory) {
  return StrCat("kind: ResourceClaim\nmetadata: {name: ", name, ", namespace: lab, uid: ", name,
                "}\nspec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.nvidia.com, allocationMode: ExactCount, count: "
                "1, selectors: ",
                "[{cel: {expression: 'device.attributes[\"gpu.nvidia.com\"].productName == \"NVIDIA GeForce RTX 3090\"'}}], ",
                "capacity: {requests: {memory: ", memory, "}}}}]}}\n");
}

// gpu-0  NVIDIA GeForce RTX 3090  [######################..]  22Gi of 24Gi  train-1 12Gi, train-2 10Gi
void PrintGpus(const model::ResourceSlice& slice, const alloc::Ledger& ledger) {
  constexpr int kWidth = 24;
  for (const model::Device& device : slice.devices) {
    const model::Quantity& whole = device.capacity[0].value;
    model::Quantity held;
    std::string holders;
    if (const alloc::Usage* usage = ledger.Find({slice.driver, slice.pool, device.name})) {
      held = *usage->Consumed("memory");
      for (const alloc::Hold& hold : usage->holds) {
        holders += StrCat(holders.empty() ? "" : ", ", hold.reserved_for[0], " ", hold.consumed[0].second.ToString());
      }
    }
    const int filled = static_cast<int>(held.AsApproximateFloat64() / whole.AsApproximateFloat64() * kWidth + 0.5);
    const std::string bar = std::string(static_cast<size_t>(filled), '#') + std::string(static_cast<size_t>(kWidth - filled), '.');
    if (!device.taints.empty())
      holders += StrCat(holders.empty() ? "" : ", ", "tainted ", device.taints[0].key, "=", device.taints[0].value);
    std::string product;
    for (const model::Attribute& attribute : device.attributes) {
      if (attribute.name.id == "productName") product = attribute.value.text;
    }
    std::printf("  %s  %-24s [%s] %5s of %s  %s\n", std::string(device.name).c_str(), product.c_str(), bar.c_str(),
                held.Canonical().c_str(), whole.Canonical().c_str(), holders.c_str());
  }
}

Status Run() {
  model::Objects objects;
  TRY(objects.Add(Cluster()));
  alloc::Ledger ledger;
  for (const model::ResourceClaim& claim : objects.claims) ledger.Add(claim);
  std::printf("Node lab-1: eight GPUs, shared by memory\n\n");
  PrintGpus(objects.slices[0], ledger);

  alloc::Options options;
  const model::ResourceSlice* slices[] = {&objects.slices[0]};
  ASSIGN_OR_RETURN(const alloc::Inventory inventory, alloc::Inventory::Gather(objects.nodes[0], slices, options.features, options.quirks));
  alloc::Classes classes;
  classes.Add(objects.classes[0]);
  cel::Cache selectors;
  SystemRandom random;
  const alloc::Allocator allocator(classes, selectors, random, options);
  for (const auto& [name, memory] : {std::pair("fine-tune", "6Gi"), std::pair("pre-train", "16Gi")}) {
    TRY(objects.Add(Claim(name, memory)));
    const model::ResourceClaim* claims[] = {&objects.claims.back()};
    std::printf("\nPod lab/%s asks for %s of an RTX 3090:\n", name, memory);
    ASSIGN_OR_RETURN(const alloc::Answer answer, allocator.Allocate(inventory, ledger, claims));
    if (answer.outcome == alloc::Answer::Outcome::kFits) {
      const model::DeviceResult& result = answer.allocations[0].results[0];
      std::printf("  starts on %s with %s (share %s)\n", std::string(result.device).c_str(),
                  result.consumed_capacity[0].amount.ToString().c_str(), result.share_id.c_str());
      model::ResourceClaim& claim = objects.claims.back();
      claim.allocation = answer.allocations[0];
      claim.reserved_for = {claim.name};
      ledger.Add(claim);
    } else {
      std::printf("%s", answer.reasons.ToString().c_str());
    }
  }
  return Status();
}

}  // namespace

int Demo() {
  const Status status = Run();
  if (status.ok() && std::fflush(stdout) == 0) return 0;
  if (status.ok()) {
    std::perror("error: standard output");
    return 1;
  }
  std::fprintf(stderr, "error: %s\n", status.message().c_str());
  return 1;
}

}  // namespace allot::cli

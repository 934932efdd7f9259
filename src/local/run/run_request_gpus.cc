#include "local/run/run_request_gpus.h"

#include <algorithm>
#include <map>

#include "model/memory.h"

namespace allot::local {
namespace {

constexpr std::string_view kDriver = "gpu.nvidia.com";

std::string_view TextAttribute(const model::Device& device, std::string_view name) {
  for (const model::Attribute& attribute : device.attributes) {
    if (attribute.name.id == name) return attribute.value.text;
  }
  return "";
}

// "2 x NVIDIA GeForce RTX 3090, 1 x NVIDIA GeForce RTX 3060"
std::string ModelsText(const std::vector<OfferedGpu>& gpus) {
  std::map<std::string, int> counts;
  for (const OfferedGpu& gpu : gpus) ++counts[gpu.model];
  std::vector<std::string> parts;
  for (const auto& [model, count] : counts) parts.push_back(StrCat(count, " x ", model.empty() ? "a GPU without a name" : model));
  return Join(parts, ", ");
}

}  // namespace

Result<std::vector<OfferedGpu>> OfferedGpus(kube::Client& client, const Patience& patience) {
  std::vector<OfferedGpu> gpus;
  const auto add = [&](const json::Value& object) {
    const Result<model::ResourceSlice> slice = model::ResourceSlice::Read(object);
    if (!slice.ok() || slice->driver != kDriver) return;
    for (const model::Device& device : slice->devices) {
      const std::string_view type = TextAttribute(device, "type");
      if (!type.empty() && type != "gpu") continue;  // a part of one (MIG)
      OfferedGpu& gpu = gpus.emplace_back(OfferedGpu{std::string(slice->pool), std::string(TextAttribute(device, "productName")), 0});
      const model::Capacity* const memory = model::MemoryOf(device);
      if (memory != nullptr) gpu.mib = model::MiB::Offered(memory->value).count();
    }
  };
  TRY(client.ListValues(kube::types::kResourceSlices, "", {}, add, patience).status());
  return gpus;
}

std::string WhyNever(const dialect::Share& share, const std::vector<OfferedGpu>& gpus) {
  if (gpus.empty()) return "no GPU is offered here";
  const auto keep = [](const std::vector<OfferedGpu>& from, const auto& fits) {
    std::vector<OfferedGpu> kept;
    std::copy_if(from.begin(), from.end(), std::back_inserter(kept), fits);
    return kept;
  };
  const std::vector<OfferedGpu> named = keep(gpus, [&](const OfferedGpu& gpu) { return dialect::IsOfModel(gpu.model, share.model); });
  if (named.empty()) return StrCat("no GPU has ", Quoted(share.model), " in its name; offered: ", ModelsText(gpus));
  const int64_t asked = share.memory.value_or(model::MiB(0)).count();
  const std::vector<OfferedGpu> large = keep(named, [&](const OfferedGpu& gpu) { return gpu.mib >= asked; });
  if (large.empty()) {
    const auto largest = std::max_element(named.begin(), named.end(), [](const auto& a, const auto& b) { return a.mib < b.mib; });
    return StrCat(asked, " MiB of one GPU are requested, but the largest GPU has ", largest->mib, " MiB: ", largest->model);
  }
  std::map<std::string, int64_t> by_node;
  int64_t most = 0;
  for (const OfferedGpu& gpu : large) most = std::max(most, ++by_node[gpu.node]);
  if (most >= share.gpus) return "";
  const std::string_view where = by_node.size() > 1 ? " at most on one node" : "";
  return StrCat(share.gpus, " different GPUs are requested, but there ", most == 1 ? "is " : "are ", most, where,
                large.size() == gpus.size() ? "" : " that fit", "; offered: ", ModelsText(gpus));
}

}  // namespace allot::local

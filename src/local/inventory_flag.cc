#include "local/inventory_flag.h"

#include <algorithm>
#include <charconv>

#include "device/fake_nvml/models.h"

namespace allot::local {
namespace {

constexpr std::string_view kIntel[] = {"arc", "bmg", "flex", "intel", "max", "pvc"};

Status CheckModel(std::string_view model) {
  if (device::fake::FindModel(model) != nullptr) return Status();
  if (model == "real" || model == "none")
    return Invalid("--gpus: ", Quoted(model),
                   " cannot be combined with others: a node has the GPUs of this machine, or simulated ones, or none; separate ",
                   "the lists of several nodes by a slash (real/rtx3090)");
  if (std::any_of(std::begin(kIntel), std::end(kIntel), [&](std::string_view one) { return model.starts_with(one); }))
    return Unsupported("--gpus: ", Quoted(model), ": Intel GPUs are not supported yet; simulated models are ", device::fake::ModelKeys());
  return Invalid("--gpus: unknown model ", Quoted(model), "; simulated models are ", device::fake::ModelKeys(),
                 ", optionally with a count (rtx3090:2); \"real\" means the GPUs of this machine, \"none\" no GPUs");
}

// "rtx3090:2"
Status AddModels(std::string_view text, NodeGpus& node) {
  const size_t colon = text.find(':');
  const std::string_view model = Trim(text.substr(0, colon));
  TRY(CheckModel(model));
  int count = 1;
  if (colon != std::string_view::npos) {
    const std::string_view number = Trim(text.substr(colon + 1));
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), count);
    if (error != std::errc() || end != number.data() + number.size() || count < 1 || count > kMostGpus)
      return Invalid("--gpus: ", Quoted(text), ": expected a count from 1 to ", kMostGpus, " after the colon");
  }
  node.models.insert(node.models.end(), static_cast<size_t>(count), std::string(model));
  if (node.models.size() > kMostGpus) return Invalid("--gpus: ", node.models.size(), " on one node; the maximum is ", kMostGpus);
  return Status();
}

Result<NodeGpus> ReadNode(std::string_view text) {
  NodeGpus node;
  if (Trim(text) == "none") return node;
  if (Trim(text) == "real") {
    node.real = true;
    return node;
  }
  for (const std::string_view part : Split(text, ',')) TRY(AddModels(Trim(part), node));
  return node;
}

}  // namespace

Result<std::vector<NodeGpus>> ReadGpus(std::string_view gpus, int nodes) {
  if (nodes < 0 || nodes > kMostNodes) return Invalid("--nodes: expected a number from 1 to ", kMostNodes);
  std::vector<NodeGpus> lists;
  for (const std::string_view list : Split(gpus.empty() ? "real" : gpus, '/')) {
    ASSIGN_OR_RETURN(NodeGpus node, ReadNode(list));
    lists.push_back(std::move(node));
  }
  if (lists.size() > kMostNodes) return Invalid("--gpus: ", lists.size(), " lists; the maximum is ", kMostNodes, " nodes");
  const auto count = static_cast<size_t>(nodes);
  if (count > 0 && lists.size() == 1) lists.resize(count, NodeGpus(lists[0]));
  if (count > 0 && lists.size() != count)
    return Invalid("--gpus: ", lists.size(), " lists for ", count,
                   " nodes; give one list for all nodes, or one for each, separated by slashes");
  if (std::count_if(lists.begin(), lists.end(), [](const NodeGpus& node) { return node.real; }) > 1)
    return Invalid(
        "--nodes ", lists.size(),
        ": the GPUs of this machine can be on one node only, or they would be promised twice; use simulated GPUs for the other nodes, such "
        "as --gpus rtx3090:2");
  return lists;
}

}  // namespace allot::local

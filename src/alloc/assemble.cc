#include "alloc/assemble.h"

#include <algorithm>

namespace allot::alloc {
namespace {

using model::AllocatedConfig;
using model::Allocation;
using model::DeviceResult;
using model::NodeRequirement;
using model::NodeSelector;

bool SameRequirement(const NodeRequirement& a, const NodeRequirement& b) {
  if (a.key != b.key || a.op != b.op) return false;
  const auto within = [](const auto& some, const auto& all) {
    return std::all_of(some.begin(), some.end(), [&](const auto& value) { return std::find(all.begin(), all.end(), value) != all.end(); });
  };
  return within(a.values, b.values) && within(b.values, a.values);
}

void AddRequirements(const std::vector<NodeRequirement>& from, std::vector<NodeRequirement>& to) {
  for (const NodeRequirement& requirement : from) {
    if (std::none_of(to.begin(), to.end(), [&](const auto& r) { return SameRequirement(r, requirement); })) to.push_back(requirement);
  }
}

// Where the claim can be used: on this node when a device is tied to it, else where all devices can be reached.
Result<std::optional<NodeSelector>> NodesFor(std::span<const Pick> picks, const Inventory& inventory, const Features& features) {
  NodeSelector selector;
  for (const Pick& pick : picks) {
    const InventoryDevice& entry = inventory.devices()[pick.device];
    const bool per_device = entry.slice->per_device_node_selection.value_or(false);
    const model::NodeChoice& nodes = per_device ? entry.device->nodes : entry.slice->nodes;
    const bool stable = features.channel() == Channel::kStable;
    if (nodes.node_name || (entry.device->binds_to_node && !stable)) {
      const std::string_view name = stable ? *nodes.node_name : inventory.node().name;
      NodeSelector local;
      local.terms.resize(1);
      local.terms[0].fields.push_back({"metadata.name", "In", {std::string(name)}});
      return std::optional(std::move(local));
    }
    if (!nodes.selector || nodes.selector->terms.empty()) continue;
    if (nodes.selector->terms.size() > 1) {
      return Invalid("slice ", entry.slice->name, ": nodeSelector has ", nodes.selector->terms.size(), " terms; one is allowed");
    }
    selector.terms.resize(1);
    AddRequirements(nodes.selector->terms[0].fields, selector.terms[0].fields);
    AddRequirements(nodes.selector->terms[0].expressions, selector.terms[0].expressions);
  }
  if (selector.terms.empty() || (selector.terms[0].fields.empty() && selector.terms[0].expressions.empty())) {
    return std::optional<NodeSelector>();
  }
  return std::optional(std::move(selector));
}

DeviceResult ResultOf(const Pick& pick, const Inventory& inventory, const Features& features, Random& random) {
  const InventoryDevice& entry = inventory.devices()[pick.device];
  DeviceResult result;
  result.request = pick.ask->FullName();
  result.driver = entry.slice->driver;
  result.pool = entry.slice->pool;
  result.device = entry.device->name;
  result.admin_access = pick.ask->admin;
  result.tolerations.assign(pick.ask->spec->tolerations.begin(), pick.ask->spec->tolerations.end());
  if (features.binding_conditions) {
    const auto copy = [](const std::optional<std::vector<std::string_view>>& from, std::vector<std::string>& to) {
      if (from) to.assign(from->begin(), from->end());
    };
    copy(entry.device->binding_conditions, result.binding_conditions);
    copy(entry.device->binding_failure_conditions, result.binding_failure_conditions);
  }
  if (pick.shared) {
    result.share_id = Uuid4(random);
    result.consumed_capacity.reserve(pick.consumed.size());
    for (size_t i = 0; i < pick.consumed.size(); ++i) {
      result.consumed_capacity.push_back({std::string(entry.device->capacity[i].name.full), pick.consumed[i]});
    }
  }
  return result;
}

// The configs of the classes in the order of their first use, each once, with the requests that use the class.
void AddClassConfigs(const CheckedClaims& checked, const CheckedClaim& claim, const Search& search, Allocation& allocation) {
  struct Range {
    const model::DeviceClass* device_class;
    size_t begin, end;
  };
  std::vector<Range> ranges;
  for (uint32_t request = claim.first_request; request < claim.end_request; ++request) {
    const Ask& ask = checked.asks[checked.requests[request].first_ask + search.chosen(request)];
    const auto known = std::find_if(ranges.begin(), ranges.end(), [&](const Range& r) { return r.device_class == ask.device_class; });
    if (known != ranges.end()) {
      for (size_t j = known->begin; j < known->end; ++j) allocation.config[j].requests.push_back(ask.FullName());
      continue;
    }
    const size_t begin = allocation.config.size();
    for (const model::Config& config : ask.device_class->config) {
      allocation.config.push_back(AllocatedConfig{true, {ask.FullName()}, config.opaque});
    }
    ranges.push_back({ask.device_class, begin, allocation.config.size()});
  }
}

void AddClaimConfigs(const CheckedClaims& checked, const CheckedClaim& claim, const Search& search, const Quirks& quirks,
                     Allocation& allocation) {
  for (const model::Config& config : claim.claim->config) {
    const auto add = [&] {
      allocation.config.push_back(AllocatedConfig{false, {config.requests.begin(), config.requests.end()}, config.opaque});
    };
    if (config.requests.empty()) {
      add();
      continue;
    }
    const auto names = [&](std::string_view name) {
      return std::find(config.requests.begin(), config.requests.end(), name) != config.requests.end();
    };
    for (uint32_t request = claim.first_request; request < claim.end_request; ++request) {
      const Ask& ask = checked.asks[checked.requests[request].first_ask + search.chosen(request)];
      if (!names(ask.RequestName()) && !(ask.parent != nullptr && names(ask.FullName()))) continue;
      add();
      if (!quirks.config_once_per_request) break;
    }
  }
}

}  // namespace

Result<std::vector<Allocation>> Assemble(const CheckedClaims& checked, const Inventory& inventory, const Options& options,
                                         const Search& search, Random& random) {
  std::vector<Allocation> allocations(checked.claims.size());
  std::span<const Pick> picks = search.picks();
  for (uint32_t i = 0; i < checked.claims.size(); ++i) {
    size_t count = 0;
    while (count < picks.size() && picks[count].ask->claim == i) ++count;
    Allocation& allocation = allocations[i];
    allocation.results.reserve(count);
    for (const Pick& pick : picks.first(count)) allocation.results.push_back(ResultOf(pick, inventory, options.features, random));
    AddClassConfigs(checked, checked.claims[i], search, allocation);
    AddClaimConfigs(checked, checked.claims[i], search, options.quirks, allocation);
    ASSIGN_OR_RETURN(allocation.node_selector,
                     NodesFor(picks.first(count), inventory, options.features).Context("claim ", checked.claims[i].claim->FullName()));
    picks = picks.subspan(count);
  }
  return allocations;
}

}  // namespace allot::alloc

#include "alloc/inventory.h"

#include <algorithm>
#include <tuple>
#include <unordered_set>

#include "alloc/hash.h"

namespace allot::alloc {
namespace {

using model::CounterSet;
using model::Device;
using model::Node;
using model::ResourceSlice;
using Slices = std::vector<const ResourceSlice*>;

bool HasCounters(const ResourceSlice& slice) { return !slice.shared_counters.empty(); }

bool PerDevice(const ResourceSlice& slice) { return slice.per_device_node_selection.value_or(false); }

std::string_view NodeNameOf(const ResourceSlice& slice) { return slice.nodes.node_name.value_or(std::string_view()); }

// Whether some device of the slice, or its counters, may matter to the node.
Result<bool> IsRelevant(const ResourceSlice& slice, const Node& node, const Quirks& quirks) {
  if (HasCounters(slice)) {
    return quirks.counter_slices_of_other_nodes || NodeNameOf(slice).empty() || NodeNameOf(slice) == node.name;
  }
  if (slice.nodes.IsSet()) return slice.nodes.Matches(node).Context("slice ", slice.name);
  if (!PerDevice(slice)) return false;  // some future way to choose nodes: not for us
  for (const Device& device : slice.devices) {
    ASSIGN_OR_RETURN(const bool matches, device.nodes.Matches(node).Context("slice ", slice.name, ", device ", device.name));
    if (matches) return true;
  }
  return false;
}

// The slices of the newest generation among the relevant ones, by pool, in the order in which Kubernetes meets them.
struct Group {
  std::string_view driver, pool;
  Slices slices;
};

class Groups {
 public:
  void Add(const ResourceSlice* slice) {
    Group& group = Find(*slice);
    if (!group.slices.empty()) {
      const int64_t generation = group.slices.front()->pool_generation;
      if (slice->pool_generation < generation) return;
      if (slice->pool_generation > generation) group.slices.clear();
    }
    group.slices.push_back(slice);
  }

  std::vector<Group>& all() { return groups_; }

 private:
  Group& Find(const ResourceSlice& slice) {
    // A node has a handful of pools; a linear look from the back finds the usual run of slices of one pool at once.
    for (size_t i = groups_.size(); i-- > 0;) {
      if (groups_[i].pool == slice.pool && groups_[i].driver == slice.driver) return groups_[i];
    }
    return groups_.emplace_back(Group{slice.driver, slice.pool, {}});
  }

  std::vector<Group> groups_;
};

std::string DuplicateDevice(const Slices& slices) {
  size_t count = 0;
  for (const ResourceSlice* slice : slices) count += slice->devices.size();
  if (count <= 16) {
    std::string_view names[16];
    size_t seen = 0;
    for (const ResourceSlice* slice : slices) {
      for (const Device& device : slice->devices) {
        const auto same = [&](std::string_view name) {
          // Names of one pool mostly differ in their last letter.
          return name.size() == device.name.size() && (name.empty() || name.back() == device.name.back()) && name == device.name;
        };
        if (std::any_of(names, names + seen, same)) return StrCat("duplicate device name ", device.name);
        names[seen++] = device.name;
      }
    }
    return "";
  }
  std::unordered_set<std::string_view> seen(count * 2);
  for (const ResourceSlice* slice : slices) {
    for (const Device& device : slice->devices) {
      if (!seen.insert(device.name).second) return StrCat("duplicate device name ", device.name);
    }
  }
  return "";
}

std::string UnknownCounter(const std::vector<const CounterSet*>& sets, const Slices& slices) {
  for (const ResourceSlice* slice : slices) {
    for (const Device& device : slice->devices) {
      for (const CounterSet& use : device.consumes_counters) {
        const auto set = std::find_if(sets.begin(), sets.end(), [&](const CounterSet* s) { return s->name == use.name; });
        if (set == sets.end()) return StrCat("device ", device.name, ": counter set ", use.name, " not found");
        for (const model::Counter& counter : use.counters) {
          const auto& known = (*set)->counters;
          if (std::none_of(known.begin(), known.end(), [&](const model::Counter& c) { return c.name == counter.name; })) {
            return StrCat("device ", device.name, ": counter ", counter.name, " not found in counter set ", use.name);
          }
        }
      }
    }
  }
  return "";
}

// Completes `pool` from its slices. `all`: every slice of the pool in this generation, also those for other nodes.
void Build(Pool& pool, Slices slices, const Slices* all, const Features& features) {
  const auto by_name = [](const ResourceSlice* a, const ResourceSlice* b) { return a->name < b->name; };
  if (!std::is_sorted(slices.begin(), slices.end(), by_name)) std::stable_sort(slices.begin(), slices.end(), by_name);
  Slices with_devices;
  with_devices.reserve(slices.size());
  for (const ResourceSlice* slice : slices) {
    if (!features.partitionable_devices || !HasCounters(*slice)) with_devices.push_back(slice);
  }
  pool.invalid = DuplicateDevice(with_devices);
  if (!pool.invalid.empty() || !features.partitionable_devices) {
    pool.slices = std::move(with_devices);
    return;
  }
  for (const ResourceSlice* slice : slices) {
    for (const CounterSet& set : slice->shared_counters) {
      const bool duplicate = std::any_of(pool.counter_sets.begin(), pool.counter_sets.end(), [&](auto* s) { return s->name == set.name; });
      if (duplicate) {
        pool.invalid = StrCat("duplicate counter set name ", set.name);
        return;
      }
      pool.counter_sets.push_back(&set);
    }
  }
  pool.invalid = UnknownCounter(pool.counter_sets, slices);
  if (!pool.invalid.empty()) return;
  if (all != nullptr && all->size() != slices.size()) {
    for (const ResourceSlice* slice : *all) {
      const bool own = std::any_of(slices.begin(), slices.end(), [&](const auto* s) { return s->name == slice->name; });
      if (!own) pool.other_slices.push_back(slice);
    }
    pool.invalid = UnknownCounter(pool.counter_sets, pool.other_slices);
  }
  pool.slices = std::move(with_devices);
}

bool HasBindingConditions(const Pool& pool) {
  return std::any_of(pool.slices.begin(), pool.slices.end(), [](const ResourceSlice* slice) {
    return std::any_of(slice->devices.begin(), slice->devices.end(), [](const Device& d) { return d.binding_conditions.has_value(); });
  });
}

}  // namespace

Result<Inventory> Inventory::Gather(const Node& node, std::span<const ResourceSlice* const> slices, const Features& features,
                                    const Quirks& quirks) {
  Groups groups;
  // The node's own slices come before those of several nodes: the first slice of a pool says how many there are.
  const auto is_own = [](const ResourceSlice& slice) { return !NodeNameOf(slice).empty() && !HasCounters(slice); };
  for (const bool own : {true, false}) {
    for (const ResourceSlice* slice : slices) {
      if (is_own(*slice) != own || (own && NodeNameOf(*slice) != node.name)) continue;
      if (!features.partitionable_devices && (slice->per_device_node_selection || HasCounters(*slice))) continue;
      if (!own) {
        ASSIGN_OR_RETURN(const bool relevant, IsRelevant(*slice, node, quirks));
        if (!relevant) continue;
      }
      groups.Add(slice);
    }
  }

  Inventory inventory(node);
  inventory.pools_.reserve(groups.all().size());
  for (Group& group : groups.all()) {
    Pool pool;
    pool.driver = group.driver;
    pool.name = group.pool;
    pool.hash = HashPool(pool.driver, pool.name);
    const int64_t count = group.slices.front()->pool_slice_count;
    if (static_cast<int64_t>(group.slices.size()) == count) {
      Build(pool, std::move(group.slices), nullptr, features);
    } else {
      // Slices that were passed over because they are for other nodes make the pool complete too, or obsolete.
      const int64_t generation = group.slices.front()->pool_generation;
      Slices all;
      bool obsolete = false;
      for (const ResourceSlice* slice : slices) {
        if (slice->pool != group.pool || slice->driver != group.driver) continue;
        if (slice->pool_generation == generation) all.push_back(slice);
        obsolete = obsolete || slice->pool_generation > generation;
      }
      if (obsolete) continue;
      pool.incomplete = static_cast<int64_t>(all.size()) != count;
      if (!pool.incomplete) Build(pool, std::move(group.slices), &all, features);
    }
    pool.binds = pool.usable() && HasBindingConditions(pool);
    inventory.pools_.push_back(std::move(pool));
  }
  std::sort(inventory.pools_.begin(), inventory.pools_.end(), [&](const Pool& a, const Pool& b) {
    if (a.binds != b.binds) return b.binds;
    return std::tie(a.driver, a.name) < std::tie(b.driver, b.name);
  });

  size_t count = 0;
  for (const Pool& pool : inventory.pools_) {
    for (const ResourceSlice* slice : pool.slices) count += slice->devices.size();
  }
  inventory.devices_.reserve(count);
  for (size_t i = 0; i < inventory.pools_.size(); ++i) {
    Pool& pool = inventory.pools_[i];
    pool.first_device = static_cast<uint32_t>(inventory.devices_.size());
    if (pool.usable()) {
      for (const ResourceSlice* slice : pool.slices) {
        for (const Device& device : slice->devices) inventory.devices_.push_back({&device, slice, static_cast<uint32_t>(i)});
      }
    }
    pool.end_device = static_cast<uint32_t>(inventory.devices_.size());
  }
  return inventory;
}

std::string Inventory::DeviceName(uint32_t device) const {
  const InventoryDevice& entry = devices_[device];
  if (pools_.size() == 1) return std::string(entry.device->name);
  return StrCat(pools_[entry.pool].name, "/", entry.device->name);
}

}  // namespace allot::alloc

#include "alloc/inventory.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <memory_resource>
#include <tuple>

#include "alloc/hash.h"

namespace allot::alloc {
namespace {

using model::CounterSet;
using model::Device;
using model::Node;
using model::ResourceSlice;
using Slices = std::pmr::vector<const ResourceSlice*>;

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

// A pool on its way into the inventory: its slices of the newest generation among the relevant ones.
struct Draft {
  Pool pool;
  Slices slices;
  bool obsolete = false;  // a newer generation appeared elsewhere
};

class Drafts {
 public:
  explicit Drafts(std::pmr::memory_resource& arena) : arena_(arena), drafts_(&arena) { drafts_.reserve(4); }

  void Add(const ResourceSlice* slice) {
    Slices& slices = Find(*slice).slices;
    if (!slices.empty()) {
      const int64_t generation = slices.front()->pool_generation;
      if (slice->pool_generation < generation) return;
      if (slice->pool_generation > generation) slices.clear();
    }
    slices.push_back(slice);
  }

  std::pmr::vector<Draft>& all() { return drafts_; }

 private:
  Draft& Find(const ResourceSlice& slice) {
    // A node has a handful of pools; a linear look from the back finds the usual run of slices of one pool at once.
    for (size_t i = drafts_.size(); i-- > 0;) {
      if (drafts_[i].pool.name == slice.pool && drafts_[i].pool.driver == slice.driver) return drafts_[i];
    }
    Draft& draft = drafts_.emplace_back(Draft{{}, Slices(&arena_), false});
    draft.pool.driver = slice.driver;
    draft.pool.name = slice.pool;
    return draft;
  }

  std::pmr::memory_resource& arena_;
  std::pmr::vector<Draft> drafts_;
};

// Slices whose devices are offered: with shared counters a slice has nothing else.
bool OffersDevices(const ResourceSlice& slice, const Features& features) { return !features.partitionable_devices || !HasCounters(slice); }

// Names of devices, to find one that is there twice. Small sets are compared one by one: names of one pool mostly differ in their last
// letter.
class Names {
 public:
  Names(size_t count, std::pmr::memory_resource& arena) : names_(&arena) {
    names_.resize(count <= kFew ? count : std::bit_ceil(count * 2));
    few_ = count <= kFew;
  }

  // Whether it was there already.
  bool Add(std::string_view name) {
    if (few_) {
      for (size_t i = 0; i < size_; ++i) {
        const std::string_view other = names_[i];
        if (other.size() == name.size() && (name.empty() || other.back() == name.back()) && other == name) return true;
      }
      names_[size_++] = name;
      return false;
    }
    const size_t mask = names_.size() - 1;
    for (size_t i = HashText(name) & mask;; i = (i + 1) & mask) {
      if (names_[i].data() == nullptr) {
        names_[i] = name.data() == nullptr ? std::string_view("") : name;
        return false;
      }
      if (names_[i] == name) return true;
    }
  }

 private:
  static constexpr size_t kFew = 16;

  std::pmr::vector<std::string_view> names_;  // in order while they are few, else a hash table with linear probing
  size_t size_ = 0;
  bool few_;
};

std::string DuplicateDevice(const Slices& slices, const Features& features, std::pmr::memory_resource& arena) {
  size_t count = 0;
  for (const ResourceSlice* slice : slices) count += OffersDevices(*slice, features) ? slice->devices.size() : 0;
  Names names(count, arena);
  for (const ResourceSlice* slice : slices) {
    if (!OffersDevices(*slice, features)) continue;
    for (const Device& device : slice->devices) {
      if (names.Add(device.name)) return StrCat("duplicate device name ", device.name);
    }
  }
  return "";
}

std::string UnknownCounter(const std::vector<const CounterSet*>& sets, std::span<const ResourceSlice* const> slices) {
  for (const ResourceSlice* slice : slices) {
    if (!slice->may_consume_counters) continue;
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

// Checks the pool of complete slices, and sets what the allocator needs of it. `all`: every slice of the pool in this generation, where
// there are more than the draft has (for other nodes).
void Complete(Draft& draft, const Slices* all, const Features& features, std::pmr::memory_resource& arena) {
  Pool& pool = draft.pool;
  Slices& slices = draft.slices;
  const auto by_name = [](const ResourceSlice* a, const ResourceSlice* b) { return a->name < b->name; };
  if (!std::is_sorted(slices.begin(), slices.end(), by_name)) std::stable_sort(slices.begin(), slices.end(), by_name);
  pool.invalid = DuplicateDevice(slices, features, arena);
  if (!pool.invalid.empty() || !features.partitionable_devices) return;
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
  if (!pool.invalid.empty() || all == nullptr || all->size() == slices.size()) return;
  for (const ResourceSlice* slice : *all) {
    const bool own = std::any_of(slices.begin(), slices.end(), [&](const auto* s) { return s->name == slice->name; });
    if (!own) pool.other_slices.push_back(slice);
  }
  pool.invalid = UnknownCounter(pool.counter_sets, pool.other_slices);
}

bool HasBindingConditions(const Draft& draft, const Features& features) {
  return std::any_of(draft.slices.begin(), draft.slices.end(), [&](const ResourceSlice* slice) {
    if (!slice->may_have_binding_conditions || !OffersDevices(*slice, features)) return false;
    return std::any_of(slice->devices.begin(), slice->devices.end(), [](const Device& d) { return d.binding_conditions.has_value(); });
  });
}

}  // namespace

Result<Inventory> Inventory::Gather(const Node& node, std::span<const ResourceSlice* const> slices, const Features& features,
                                    const Quirks& quirks) {
  std::byte buffer[4 << 10];
  std::pmr::monotonic_buffer_resource arena(buffer, sizeof buffer);
  Drafts drafts(arena);
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
      drafts.Add(slice);
    }
  }

  for (Draft& draft : drafts.all()) {
    Pool& pool = draft.pool;
    pool.hash = HashPool(pool.driver, pool.name);
    const int64_t count = draft.slices.front()->pool_slice_count;
    if (static_cast<int64_t>(draft.slices.size()) == count) {
      Complete(draft, nullptr, features, arena);
    } else {
      // Slices that were passed over because they are for other nodes make the pool complete too, or obsolete.
      const int64_t generation = draft.slices.front()->pool_generation;
      Slices all(&arena);
      for (const ResourceSlice* slice : slices) {
        if (slice->pool != pool.name || slice->driver != pool.driver) continue;
        if (slice->pool_generation == generation) all.push_back(slice);
        draft.obsolete = draft.obsolete || slice->pool_generation > generation;
      }
      if (draft.obsolete) continue;
      pool.incomplete = static_cast<int64_t>(all.size()) != count;
      if (!pool.incomplete) Complete(draft, &all, features, arena);
    }
    pool.binds = pool.usable() && HasBindingConditions(draft, features);
  }
  std::erase_if(drafts.all(), [](const Draft& draft) { return draft.obsolete; });
  const auto before = [](const Draft& a, const Draft& b) {
    if (a.pool.binds != b.pool.binds) return b.pool.binds;
    return std::tie(a.pool.driver, a.pool.name) < std::tie(b.pool.driver, b.pool.name);
  };
  if (!std::is_sorted(drafts.all().begin(), drafts.all().end(), before)) std::sort(drafts.all().begin(), drafts.all().end(), before);

  Inventory inventory(node);
  size_t count = 0;
  for (const Draft& draft : drafts.all()) {
    for (const ResourceSlice* slice : draft.slices) count += slice->devices.size();
  }
  inventory.pools_.reserve(drafts.all().size());
  inventory.devices_.reserve(count);
  for (Draft& draft : drafts.all()) {
    const auto index = static_cast<uint32_t>(inventory.pools_.size());
    Pool& pool = inventory.pools_.emplace_back(std::move(draft.pool));
    pool.first_device = static_cast<uint32_t>(inventory.devices_.size());
    for (const ResourceSlice* slice : draft.slices) {
      if (!pool.usable() || !OffersDevices(*slice, features)) continue;
      for (const Device& device : slice->devices) inventory.devices_.push_back({&device, slice, index});
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

#include "alloc/checked_claims.h"

#include <algorithm>

#include "alloc/capacity.h"

namespace allot::alloc {
namespace {

using model::DeviceRequest;
using model::ResourceClaim;

// No node has so many devices; keeps sums far from overflow.
constexpr int64_t kManyDevices = int64_t{1} << 40;

bool SameCapacity(const DeviceRequest& a, const DeviceRequest& b) {
  return std::equal(a.capacity.begin(), a.capacity.end(), b.capacity.begin(), b.capacity.end(),
                    [](const auto& x, const auto& y) { return x.name == y.name && x.amount.Identical(y.amount); });
}

class Checker {
 public:
  Checker(const Classes& classes, const Inventory& inventory, const Ledger& ledger, const Features& features, Matcher& matcher,
          std::pmr::memory_resource& arena)
      : classes_(classes), inventory_(inventory), ledger_(ledger), features_(features), matcher_(matcher), checked_(arena) {}

  void Reserve(std::span<const ResourceClaim* const> claims) {
    size_t requests = 0, asks = 0;
    for (const ResourceClaim* claim : claims) {
      requests += claim->requests.size();
      for (const model::Request& request : claim->requests) asks += std::max<size_t>(request.first_available.size(), 1);
    }
    checked_.claims.reserve(claims.size());
    checked_.requests.reserve(requests);
    checked_.asks.reserve(asks);
  }

  Status AddClaim(const ResourceClaim& claim) {
    CheckedClaim& checked = checked_.claims.emplace_back();
    checked.claim = &claim;
    checked.first_request = static_cast<uint32_t>(checked_.requests.size());
    checked.end_request = static_cast<uint32_t>(checked.first_request + claim.requests.size());
    int64_t devices = 0;
    for (const model::Request& request : claim.requests) {
      TRY(CheckGates(claim, request));
      CheckedRequest& entry = checked_.requests.emplace_back();
      entry.first_ask = static_cast<uint32_t>(checked_.asks.size());
      entry.has_alternatives = !request.first_available.empty();
      int64_t least = kManyDevices;
      if (entry.has_alternatives) {
        for (const DeviceRequest& alternative : request.first_available) TRY(AddAsk(claim, request, alternative, &request));
      } else if (request.exactly) {
        TRY(AddAsk(claim, request, *request.exactly, nullptr));
      } else {
        return Invalid("claim ", claim.FullName(), ", request ", request.name, ": neither exactly nor firstAvailable is set");
      }
      entry.end_ask = static_cast<uint32_t>(checked_.asks.size());
      for (uint32_t i = entry.first_ask; i < entry.end_ask; ++i) least = std::min(least, checked_.asks[i].count);
      devices += least;
    }
    if (devices > static_cast<int64_t>(kMaxResults)) {
      return Invalid("claim ", claim.FullName(), ": number of requested devices ", devices, " exceeds the claim limit of ", kMaxResults);
    }
    return CheckConstraints(claim);
  }

  CheckedClaims Take() { return std::move(checked_); }

 private:
  Status CheckGates(const ResourceClaim& claim, const model::Request& request) const {
    if (!features_.prioritized_list && !request.first_available.empty()) {
      return Invalid("claim ", claim.FullName(), ", request ", request.name,
                     ": has subrequests, but the DRAPrioritizedList feature is disabled");
    }
    if (features_.consumable_capacity || features_.channel() == Channel::kStable) return Status();
    const auto refuse = [&](std::string_view kind, const DeviceRequest& r) {
      return Invalid("claim ", claim.FullName(), ", ", kind, " ", r.name,
                     ": has capacity requests, but the DRAConsumableCapacity feature is disabled");
    };
    if (request.exactly && request.exactly->has_capacity) return refuse("request", *request.exactly);
    for (const DeviceRequest& alternative : request.first_available) {
      if (alternative.has_capacity) return refuse("subrequest", alternative);
    }
    return Status();
  }

  Status AddAsk(const ResourceClaim& claim, const model::Request& request, const DeviceRequest& spec, const model::Request* parent) {
    const auto fail = [&](const auto&... parts) { return Invalid("claim ", claim.FullName(), ", request ", spec.name, parts...); };
    for (size_t i = 0; i < spec.selectors.size(); ++i) {
      if (!spec.selectors[i].expression) return fail(", selector #", i, ": CEL expression empty (unsupported selector type?)");
    }
    if (!features_.admin_access && spec.admin_access) return fail(": admin access is requested, but the feature is disabled");
    if (spec.class_name.empty()) return fail(": missing device class name (unsupported request type?)");

    Ask ask;
    ask.claim = static_cast<uint32_t>(checked_.claims.size() - 1);
    ask.position = static_cast<uint32_t>(checked_.requests.size() - 1);
    ask.request = static_cast<uint32_t>(
        std::find_if(claim.requests.begin(), claim.requests.end(), [&](const auto& r) { return r.name == request.name; }) -
        claim.requests.begin());
    ask.spec = &spec;
    ask.parent = parent;
    ask.device_class = classes_.Find(spec.class_name);
    if (ask.device_class == nullptr) {
      return fail(": could not retrieve device class ", spec.class_name, ": there is none of that name");
    }
    for (const model::Selector& selector : ask.device_class->selectors) {
      if (!selector.expression) return Invalid("class ", ask.device_class->name, ": selector without CEL expression");
    }
    ask.admin = spec.admin_access.value_or(false);
    ask.group = matcher_.GroupOf(claim, *ask.device_class, spec);
    ask.capacity_group = static_cast<uint32_t>(checked_.asks.size());
    for (const Ask& other : checked_.asks) {
      if (!SameCapacity(*other.spec, spec)) continue;
      ask.capacity_group = other.capacity_group;
      break;
    }
    if (spec.allocation_mode == "ExactCount") {
      ask.count = std::clamp(spec.count, -kManyDevices, kManyDevices);
    } else if (spec.allocation_mode == "All") {
      ask.all = true;
      TRY(FindAll(claim, ask));
    } else {
      return fail(": unsupported count mode ", spec.allocation_mode);
    }
    checked_.asks.push_back(std::move(ask));
    return Status();
  }

  Status FindAll(const ResourceClaim& claim, Ask& ask) {
    for (const Pool& pool : inventory_.pools()) {
      if (!pool.usable()) {
        return Unavailable("claim ", claim.FullName(), ", request ", ask.spec->name, ": asks for all devices, but resource pool ",
                           pool.driver, "/", pool.name, " is currently ", pool.incomplete ? "being updated" : "invalid");
      }
      for (uint32_t i = pool.first_device; i < pool.end_device; ++i) {
        const Match match = matcher_.Matches(ask.group, i);
        if (match == Match::kError) return matcher_.error();
        if (match == Match::kNo) continue;
        const model::Device& device = *inventory_.devices()[i].device;
        if (features_.consumable_capacity) {
          const Usage* usage = ledger_.Find(pool.hash, {pool.driver, pool.name, device.name});
          if (!CapacityFits(*ask.spec, device, usage, {})) continue;
        }
        ask.all_devices.push_back(i);
      }
    }
    ask.count = static_cast<int64_t>(ask.all_devices.size());
    return Status();
  }

  Status CheckConstraints(const ResourceClaim& claim) const {
    for (size_t i = 0; i < claim.constraints.size(); ++i) {
      const model::Constraint& constraint = claim.constraints[i];
      // The stable allocator does not know distinctAttribute yet.
      const bool distinct = constraint.distinct_attribute && features_.channel() != Channel::kStable;
      if (constraint.match_attribute || distinct) continue;
      return Invalid("claim ", claim.FullName(), ", constraint #", i, ": empty constraint (unsupported constraint type?)");
    }
    return Status();
  }

  const Classes& classes_;
  const Inventory& inventory_;
  const Ledger& ledger_;
  const Features& features_;
  Matcher& matcher_;
  CheckedClaims checked_;
};

}  // namespace

std::string Ask::FullName() const { return parent != nullptr ? StrCat(parent->name, "/", spec->name) : std::string(spec->name); }

Result<CheckedClaims> CheckClaims(std::span<const ResourceClaim* const> claims, const Classes& classes, const Inventory& inventory,
                                  const Ledger& ledger, const Features& features, Matcher& matcher, std::pmr::memory_resource& arena) {
  if (claims.size() > kMaxClaims) return Unsupported("a Pod with ", claims.size(), " claims: at most ", kMaxClaims, " are decided at once");
  size_t requests = 0;
  for (const ResourceClaim* claim : claims) {
    for (const model::Request& request : claim->requests) requests += std::max<size_t>(request.first_available.size(), 1);
  }
  if (requests > kMaxRequests)
    return Unsupported("a Pod whose claims have ", requests, " requests: at most ", kMaxRequests, " are decided at once");
  Checker checker(classes, inventory, ledger, features, matcher, arena);
  checker.Reserve(claims);
  for (const ResourceClaim* claim : claims) TRY(checker.AddClaim(*claim));
  return checker.Take();
}

}  // namespace allot::alloc

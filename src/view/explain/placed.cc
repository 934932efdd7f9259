// Where a Pod is, what it has there, and where it could be if it were placed today. What there was when it was placed is not recorded.

#include <algorithm>
#include <set>

#include "model/memory.h"
#include "sched/plan.h"
#include "view/explain/parts.h"

namespace allot::view {
namespace {

constexpr size_t kMaxDevices = 64;  // that are asked one by one

// The request without a node, and without the allocations of claims that only this Pod uses.
sched::PodWithClaims Today(const sched::PodWithClaims& request) {
  sched::PodWithClaims today = request;
  auto pod = std::make_shared<sched::Pod>(*request.pod);
  pod->pod.node_name = "";
  today.pod = std::move(pod);
  for (sched::ClaimPtr& claim : today.claims) {
    const auto& users = claim->claim.reserved_for;
    if (std::any_of(users.begin(), users.end(), [&](std::string_view user) { return user != request.pod->pod.name; })) continue;
    auto copy = std::make_shared<sched::Claim>(*claim);
    copy->claim.allocation.reset();
    claim = std::move(copy);
  }
  return today;
}

// Whether the Pod asks for exactly one device, once.
bool AsksForOne(const sched::PodWithClaims& request) {
  if (request.claims.size() != 1 || request.claims[0]->claim.requests.size() != 1 || request.claims[0]->claim.allocation) return false;
  const model::Request& one = request.claims[0]->claim.requests[0];
  return one.exactly && one.exactly->allocation_mode != "All" && one.exactly->count <= 1;
}

// The node with one of its devices alone.
sched::NodePtr OnlyDevice(const sched::Node& node, const alloc::InventoryDevice& wanted, const alloc::Features& features) {
  auto devices = std::make_shared<sched::Devices>();
  devices->node = node.devices->node;
  std::vector<const model::ResourceSlice*> views;
  for (const auto& slice : node.devices->slices) {
    sched::Slice copy = *slice;
    const bool has_it = slice->slice.name == wanted.slice->name;
    std::erase_if(copy.slice.devices, [&](const model::Device& device) { return !has_it || device.name != wanted.device->name; });
    devices->slices.push_back(std::make_shared<const sched::Slice>(std::move(copy)));
    views.push_back(&devices->slices.back()->slice);
  }
  Result<alloc::Inventory> inventory = alloc::Inventory::Gather(*devices->node, views, features, alloc::Quirks());
  devices->status = inventory.status();
  if (inventory.ok()) devices->inventory = *std::move(inventory);
  auto made = std::make_shared<sched::Node>(node);
  made->devices = std::move(devices);
  return made;
}

sched::Snapshot Only(const sched::Snapshot& snapshot, sched::NodePtr node) {
  sched::Snapshot only;
  only.nodes = {std::move(node)};
  only.classes = snapshot.classes;
  only.features = snapshot.features;
  only.namespaces = snapshot.namespaces;
  return only;
}

// What the allocations take of the only device, which has `whole`.
int64_t TakenMib(const std::vector<model::Allocation>& allocations, model::MiB whole) {
  model::MiB taken;
  for (const model::Allocation& allocation : allocations) {
    for (const model::DeviceResult& result : allocation.results) taken += model::MemoryTaken(result, whole);
  }
  return taken.count();
}

// Adds an option for each device of the node.
void AddDevices(const Inquiry& inquiry, const sched::Snapshot& snapshot, const sched::Node& node, const sched::PodWithClaims& request,
                std::vector<Option>& options) {
  for (const alloc::InventoryDevice& entry : node.devices->inventory->devices()) {
    const sched::NodePtr only = OnlyDevice(node, entry, snapshot.features);
    Option option{std::string(node.name()), std::string(entry.device->name)};
    const Result<sched::Decision> decision = inquiry.decider.Decide(Only(snapshot, only), request);
    const alloc::Reasons none;
    const bool refused = decision.ok() && decision->outcome != sched::Decision::Outcome::kPlaced && !decision->reasons.empty();
    const std::vector<DeviceRow> rows = RowsOf(*only, refused ? decision->reasons[0].devices : none, "");
    option.fits = decision.ok() && !refused;
    if (!decision.ok()) {
      option.error = decision.status().message();
    } else if (refused) {
      option.node_reason = decision->reasons[0];
      if (!rows.empty()) option.reason = rows[0].reason;
    } else if (!rows.empty() && rows[0].free) {
      option.left = *rows[0].free - TakenMib(decision->allocations, model::MiB(*rows[0].mib));
    }
    options.push_back(std::move(option));
  }
}

std::vector<Option> OptionsOf(const Inquiry& inquiry, const sched::Snapshot& snapshot, const sched::PodWithClaims& request,
                              bool by_device) {
  std::vector<Option> options;
  for (const sched::NodePtr& node : snapshot.nodes) {
    const Result<sched::Decision> decision = inquiry.decider.Decide(Only(snapshot, node), request);
    const bool refused = decision.ok() && decision->outcome == sched::Decision::Outcome::kWaits && !decision->reasons.empty();
    const bool about_devices = refused && !decision->reasons[0].devices.empty();
    const bool has_devices = node->devices->inventory && !node->devices->inventory->devices().empty();
    if (by_device && has_devices && decision.ok() && (!refused || about_devices)) {
      AddDevices(inquiry, snapshot, *node, request, options);
      continue;
    }
    Option option{std::string(node->name()), ""};
    option.fits = decision.ok() && !refused;
    if (!decision.ok()) option.error = decision.status().message();
    if (refused) option.node_reason = decision->reasons[0];
    options.push_back(std::move(option));
  }
  return options;
}

// Where the Pod would be placed today: `best`, or nowhere where that is empty.
Detail TodayDetail(const Inquiry& inquiry, const sched::Pod& pod, const std::vector<Option>& options, const std::string& best) {
  const auto at = std::find_if(options.begin(), options.end(), [&](const Option& option) { return option.Place() == best; });
  if (at == options.end()) return {.kind = Detail::Kind::kNowhereToday};
  return {.kind = at->here ? Detail::Kind::kHereToday : Detail::Kind::kElsewhereToday,
          .name = best,
          .ours = inquiry.world.IsOurs(pod),
          .left = at->left,
          .fits = static_cast<size_t>(std::count_if(options.begin(), options.end(), [](const Option& option) { return option.fits; }))};
}

}  // namespace

void ExplainPlaced(const Inquiry& inquiry, const sched::PodPtr& pod, Answer& answer) {
  answer.state = Answer::State::kPlaced;
  answer.node = pod->pod.node_name;
  answer.phase = pod->pod.phase;
  answer.headline = {.kind = Headline::Kind::kPlaced, .node = answer.node};
  sched::Cluster cluster = inquiry.cluster;
  const std::shared_ptr<const sched::Snapshot> snapshot = cluster.Take();
  const sched::Node* const node = snapshot->Find(answer.node);
  if (node == nullptr) {
    answer.details.push_back({.kind = Detail::Kind::kNodeGone, .node = answer.node});
    return;
  }
  std::vector<std::string> own;
  std::set<std::string, std::less<>> offered;
  for (DeviceRow& row : RowsOf(*node, {}, pod->key)) {
    offered.insert(row.name);
    if (std::none_of(row.held.begin(), row.held.end(), [](const auto& part) { return part.own; })) continue;
    own.push_back(row.name);
    answer.devices.push_back(std::move(row));
  }
  const sched::PodWithClaims request = inquiry.cluster.WithClaims(pod);
  for (const sched::ClaimPtr& claim : request.claims) {
    if (!claim->claim.allocation) answer.details.push_back({.kind = Detail::Kind::kClaimNotAllocated, .claim = claim->key});
    if (!claim->claim.allocation || !inquiry.world.SeesDevices()) continue;
    for (const model::DeviceResult& result : claim->claim.allocation->results) {
      if (result.pool != answer.node || offered.contains(result.device)) continue;
      answer.details.push_back({.kind = Detail::Kind::kDeviceGone, .name = std::string(result.device), .claim = claim->key});
    }
  }
  if (!request.obstacle.empty()) {
    answer.details.push_back({.kind = Detail::Kind::kOptionsUnknown, .obstacle = request.obstacle});
    return;
  }
  if (!request.claims.empty() && !inquiry.world.SeesDevices()) return;
  const sched::PodWithClaims today = Today(request);
  const sched::Snapshot without = snapshot->Without({pod->key});
  size_t devices = 0;
  for (const sched::NodePtr& one : without.nodes) devices += one->devices->inventory ? one->devices->inventory->devices().size() : 0;
  const bool by_device = AsksForOne(today) && devices <= kMaxDevices;
  answer.options = OptionsOf(inquiry, without, today, by_device);
  for (Option& option : answer.options) {
    option.here = option.node == answer.node && (by_device && own.size() == 1 ? option.device == own[0] : option.device.empty());
  }
  std::string best;
  const Result<sched::Decision> decision = inquiry.decider.DecideOnce(without, today);
  if (decision.ok() && decision->outcome == sched::Decision::Outcome::kPlaced) {
    best = decision->node;
    if (by_device && !decision->allocations.empty() && !decision->allocations[0].results.empty()) {
      best = Option{best, std::string(decision->allocations[0].results[0].device)}.Place();
    }
  }
  answer.details.push_back(TodayDetail(inquiry, *pod, answer.options, best));
  std::stable_sort(answer.options.begin(), answer.options.end(), [](const Option& a, const Option& b) {
    if (a.fits != b.fits) return a.fits;
    return a.left.value_or(0) < b.left.value_or(0);
  });
}

}  // namespace allot::view

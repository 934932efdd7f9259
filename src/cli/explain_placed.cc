// Where a Pod is, what it has there, and where it could be: asked as if it were placed today, since the past is not known.

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "cli/description.h"
#include "cli/explain_parts.h"
#include "sched/plan.h"

namespace allot::cli {
namespace {

constexpr int64_t kMiB = 1 << 20;
constexpr size_t kMaxDevices = 64;  // that are asked one by one

// The Pod as it would be asked for today: nowhere, and its own claims without an allocation.
sched::Request Today(const sched::Request& request) {
  sched::Request today = request;
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
bool AsksForOne(const sched::Request& request) {
  if (request.claims.size() != 1 || request.claims[0]->claim.requests.size() != 1 || request.claims[0]->claim.allocation) return false;
  const model::Request& one = request.claims[0]->claim.requests[0];
  return one.exactly && one.exactly->allocation_mode != "All" && one.exactly->count <= 1;
}

// The node with one of its devices alone.
sched::NodePtr OnlyDevice(const sched::Node& node, const alloc::InventoryDevice& wanted) {
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
  Result<alloc::Inventory> inventory = alloc::Inventory::Gather(*devices->node, views, alloc::Features::Defaults(), alloc::Quirks());
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
  only.namespaces = snapshot.namespaces;
  return only;
}

int64_t TakenMib(const std::vector<model::Allocation>& allocations) {
  int64_t mib = 0;
  for (const model::Allocation& allocation : allocations) {
    for (const model::DeviceResult& result : allocation.results) {
      for (const model::NamedQuantity& consumed : result.consumed_capacity) {
        if (consumed.name == "memory" || consumed.name.ends_with("/memory")) mib += (consumed.amount.Value().value_or(0) + kMiB - 1) / kMiB;
      }
    }
  }
  return mib;
}

std::string NodeName(const sched::Node& node) { return std::string(node.name()); }

// One option for each device of the node.
void AddDevices(const Inquiry& inquiry, const sched::Snapshot& snapshot, const sched::Node& node, const sched::Request& request,
                std::vector<Option>& options) {
  for (const alloc::InventoryDevice& entry : node.devices->inventory->devices()) {
    const sched::NodePtr only = OnlyDevice(node, entry);
    Option option{StrCat(node.name(), "/", entry.device->name), std::nullopt, "", false};
    const Result<sched::Decision> decision = inquiry.decider.Decide(Only(snapshot, only), request);
    const alloc::Reasons none;
    const bool refused = decision.ok() && decision->outcome != sched::Decision::Outcome::kPlaced && !decision->refusals.empty();
    const std::vector<DeviceRow> rows = RowsOf(*only, refused ? decision->refusals[0].devices : none, "");
    if (!decision.ok()) {
      option.why_not = decision.status().message();
    } else if (refused) {
      option.why_not = rows.empty() || rows[0].why.empty() ? decision->refusals[0].text : rows[0].why;
    } else if (!rows.empty() && rows[0].free) {
      // A device that is not shared is gone with whoever has it.
      const int64_t taken = entry.device->allow_multiple_allocations ? TakenMib(decision->allocations) : *rows[0].free;
      option.left = *rows[0].free - taken;
    }
    options.push_back(std::move(option));
  }
}

std::vector<Option> OptionsOf(const Inquiry& inquiry, const sched::Snapshot& snapshot, const sched::Request& request, bool by_device) {
  std::vector<Option> options;
  for (const sched::NodePtr& node : snapshot.nodes) {
    const Result<sched::Decision> decision = inquiry.decider.Decide(Only(snapshot, node), request);
    Option option{NodeName(*node), std::nullopt, "", false};
    if (!decision.ok()) option.why_not = decision.status().message();
    const bool refused = decision.ok() && decision->outcome == sched::Decision::Outcome::kWaits && !decision->refusals.empty();
    if (refused) option.why_not = decision->refusals[0].text;
    const bool about_devices = refused && !decision->refusals[0].devices.empty();
    const bool has_devices = node->devices->inventory && !node->devices->inventory->devices().empty();
    if (by_device && has_devices && decision.ok() && (!refused || about_devices)) {
      AddDevices(inquiry, snapshot, *node, request, options);
    } else {
      options.push_back(std::move(option));
    }
  }
  return options;
}

std::string WhyThere(const Inquiry& inquiry, const sched::Pod& pod, const std::vector<Option>& options, const std::string& today) {
  const auto fits = std::count_if(options.begin(), options.end(), [](const Option& option) { return option.why_not.empty(); });
  const auto find = [&](const auto& matches) { return std::find_if(options.begin(), options.end(), matches); };
  const auto here = find([](const Option& option) { return option.here; });
  const auto best = find([&](const Option& option) { return option.place == today; });
  const std::string_view who = IsOurs(inquiry.world, pod) ? "" : "by allot's order ";
  const std::string_view past = "What there was when it was placed is not recorded.";
  if (best == options.end()) return StrCat(past, " Today it would not be placed at all.");
  const auto left = [](const Option& option) { return option.left ? StrCat(", which leaves ", *option.left, " MiB over") : ""; };
  if (best == here) {
    if (fits == 1) return StrCat(past, " Today it would be placed there, too: nothing else fits.");
    return StrCat(past, " Today it would ", who, "be placed there, too: ", here->place, left(*here),
                  here->left ? ", the least of " : ", the best of ", fits, " that fit.");
  }
  return StrCat(past, " Today it would ", who, "be placed on ", best->place, left(*best), best->left ? ", the least of " : ", of ", fits,
                " that fit.");
}

}  // namespace

void ExplainPlaced(const Inquiry& inquiry, const sched::PodPtr& pod, ExplainAnswer& answer) {
  answer.state = ExplainAnswer::State::kPlaced;
  answer.node = pod->pod.node_name;
  answer.phase = pod->pod.phase;
  answer.headline = StrCat("on ", answer.node);
  sched::Cluster cluster = inquiry.cluster;
  const std::shared_ptr<const sched::Snapshot> snapshot = cluster.Take();
  const sched::Node* const node = snapshot->Find(answer.node);
  if (node == nullptr) {
    answer.details.push_back(StrCat("Node ", answer.node, " cannot be seen, or is gone."));
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
  const sched::Request request = inquiry.cluster.RequestOf(pod);
  for (const sched::ClaimPtr& claim : request.claims) {
    if (!claim->claim.allocation)
      answer.details.push_back(StrCat("Claim ", claim->key, " is not allocated: it has no devices for the Pod."));
    if (!claim->claim.allocation || !inquiry.world.SeesDevices()) continue;
    for (const model::DeviceResult& result : claim->claim.allocation->results) {
      if (result.pool != answer.node || offered.contains(result.device)) continue;
      answer.details.push_back(StrCat("Its device ", result.device, ", of claim ", claim->key,
                                      ", is not offered any more: it is gone, or was taken out. What is free counts without it."));
    }
  }
  if (!request.obstacle.empty()) {
    answer.details.push_back(StrCat("Where else it could be is not known: ", request.obstacle, "."));
    return;
  }
  if (!request.claims.empty() && !inquiry.world.SeesDevices()) return;
  const sched::Request today = Today(request);
  const sched::Snapshot without = snapshot->Without({pod->key});
  size_t devices = 0;
  for (const sched::NodePtr& one : without.nodes) devices += one->devices->inventory ? one->devices->inventory->devices().size() : 0;
  const bool by_device = AsksForOne(today) && devices <= kMaxDevices;
  answer.options = OptionsOf(inquiry, without, today, by_device);
  for (Option& option : answer.options) {
    option.here = by_device && own.size() == 1 ? option.place == StrCat(answer.node, "/", own[0]) : option.place == answer.node;
  }
  std::string best;
  const Result<sched::Decision> decision = inquiry.decider.DecideOnce(without, today);
  if (decision.ok() && decision->outcome == sched::Decision::Outcome::kPlaced) {
    best = decision->node;
    if (by_device && !decision->allocations.empty() && !decision->allocations[0].results.empty()) {
      best += StrCat("/", decision->allocations[0].results[0].device);
    }
  }
  answer.details.push_back(WhyThere(inquiry, *pod, answer.options, best));
  std::stable_sort(answer.options.begin(), answer.options.end(), [](const Option& a, const Option& b) {
    if (a.why_not.empty() != b.why_not.empty()) return a.why_not.empty();
    return a.left.value_or(0) < b.left.value_or(0);
  });
}

}  // namespace allot::cli

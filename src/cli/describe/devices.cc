// The devices of a node and the claims that hold them, as text.

#include <algorithm>
#include <map>
#include <optional>

#include "cli/describe/description.h"
#include "cli/listing.h"
#include "view/cluster.h"
#include "view/devices.h"

namespace allot::cli {
namespace {

// Whether claims could be read, and whether the scheduler allocates from the pool.
struct DeviceState {
  bool known = true, allocatable = true;
};

// "lab/train 6Gi (train-0)"
std::vector<std::string> HolderTexts(const view::Device& device) {
  std::vector<std::string> texts;
  for (const view::Holder& holder : device.holders) {
    std::string amounts;
    for (const view::Amount& amount : holder.consumed) amounts += StrCat(" ", amount.value.ToString());
    texts.push_back(StrCat(holder.namespace_name, holder.namespace_name.empty() ? "" : "/", holder.claim, amounts,
                           holder.pods.empty() ? "" : StrCat(" (", Join(holder.pods, ", "), ")")));
  }
  return texts;
}

// "memory 18Gi of 24Gi, 6Gi free"
std::string ShareText(const view::DeviceCapacity& capacity, const DeviceState& state, bool tainted) {
  const std::string whole = capacity.whole.Canonical();
  if (!state.known) return StrCat(capacity.name, " <unknown> of ", whole);
  model::Quantity free = capacity.whole;
  free.Sub(capacity.held);
  const std::string part = StrCat(capacity.name, " ", capacity.held.Canonical(), " of ", whole, ", ");
  if (free.Sign() <= 0) return part + "nothing free";
  if (!state.allocatable) return part + "the rest cannot be allocated";
  return StrCat(part, Amount(free), " free", tainted ? " for claims that tolerate its taints" : "");
}

std::string WholeText(const view::Device& device, const DeviceState& state) {
  if (!state.known) return "<unknown>";
  if (!device.holders.empty()) return "yes, all of it";
  if (!state.allocatable) return "no, but it cannot be allocated";
  return StrCat("no, all of it is free", device.IsTainted() ? " for claims that tolerate its taints" : "");
}

// `trouble`: why the scheduler does not allocate from the pool; empty: it does.
void DescribeOne(const view::Device& device, bool claims_are_known, const std::string& trouble, Description& description) {
  const DeviceState state{claims_are_known, trouble.empty()};
  description.Line(1, device.FullName(), ":");
  if (device.shared) {
    std::vector<std::string> lines;
    for (const view::DeviceCapacity& capacity : device.capacity) lines.push_back(ShareText(capacity, state, device.IsTainted()));
    description.Lines(2, "Held", lines);
  } else {
    description.Field(2, "Held", WholeText(device, state));
  }
  if (!trouble.empty()) description.Field(2, "Pool", trouble);
  std::vector<std::string> taints;
  for (const view::DeviceTaint& taint : device.taints) {
    taints.push_back(StrCat(taint.key, taint.value.empty() ? "" : "=", taint.value, ":", taint.effect));
  }
  if (!taints.empty()) description.Lines(2, "Taints", taints);
  if (claims_are_known) {
    description.Lines(2, "Holders", HolderTexts(device));
  } else {
    description.Field(2, "Holders", "<unknown>");
  }
}

// kubectl's table: a line for each pool.
void DescribePools(const std::vector<view::Pool>& pools, Description& description) {
  description.Line(0, "Node-Local ResourceSlices:");
  description.Line(1, "Driver\tPool\tSlices\tDevices");
  description.Line(1, "------\t----\t------\t-------");
  for (const view::Pool& pool : pools) {
    description.Line(1, pool.driver, "\t", pool.name, "\t", pool.slices.size(), "\t", pool.DeviceCount());
  }
}

// All slices of a driver, on whatever nodes. Each driver is asked for once, and only when needed.
class Drivers {
 public:
  explicit Drivers(Session& session) : session_(session) {}

  // nullptr: its slices could not be listed.
  const sched::Cluster* SlicesOf(const std::string& driver) {
    const auto [found, is_new] = clusters_.try_emplace(driver);
    if (is_new) {
      kube::ListOptions options;
      options.field_selector = StrCat("spec.driver=", driver);
      view::Lists lists;
      lists.slices = ListAll(session_, kube::types::kResourceSlices, "", options);
      std::vector<view::LeftOut> left_out;
      if (lists.slices.ok()) found->second = view::ClusterOf(lists, left_out);
    }
    return found->second ? &*found->second : nullptr;
  }

 private:
  Session& session_;
  std::map<std::string, std::optional<sched::Cluster>> clusters_;
};

// Why the scheduler does not allocate from the pool; empty: it does. `pool` has the node's own slices, others may be on other nodes.
std::string TroubleOf(const view::Pool& pool, Drivers& drivers) {
  if (pool.complete()) return "";
  const sched::Cluster* const slices = drivers.SlicesOf(pool.driver);
  const std::vector<view::Pool> pools = slices == nullptr ? std::vector<view::Pool>() : view::PoolsOf(*slices);
  const view::Pool* const whole = view::FindPool(pools, pool.driver, pool.name);
  if (whole != nullptr && whole->generation > pool.generation) return "there is a newer generation of it, without these devices";
  if (whole != nullptr && whole->complete()) return "";
  return StrCat("incomplete: ", (whole == nullptr ? pool : *whole).slices.size(), " of its ", pool.wanted, " slices are there");
}

// Whether no slice of the driver offers the device. False where these slices cannot be listed: the device may be of another node.
bool IsGone(const view::Device& device, Drivers& drivers) {
  const sched::Cluster* const slices = drivers.SlicesOf(device.driver);
  if (slices == nullptr) return false;
  const std::vector<view::Device> offered = view::DevicesOf(*slices, {}, {});
  return std::none_of(offered.begin(), offered.end(), [&](const view::Device& one) { return one.FullName() == device.FullName(); });
}

}  // namespace

Status DescribeDevices(Session& session, std::string_view node, Description& description) {
  kube::ListOptions options;
  options.field_selector = StrCat("spec.nodeName=", node);
  view::Lists lists;
  lists.slices = ListAll(session, kube::types::kResourceSlices, "", options);
  if (!lists.slices.ok()) {
    // A server without the kind, or one that refuses the list: the rest of the node is worth showing.
    const Status& status = lists.slices.status;
    if (!kube::HasReason(status, "NotFound")) description.Line(0, "Devices: <unknown>, ", status.message());
    return Status();
  }
  lists.claims = ListAll(session, kube::types::kResourceClaims);
  std::vector<view::LeftOut> left_out;
  const sched::Cluster cluster = view::ClusterOf(lists, left_out);
  std::vector<view::Device> devices = view::DevicesOf(cluster, {}, {true, lists.claims.ok()});
  std::erase_if(devices, [&](const view::Device& device) { return device.gone && device.node != node; });
  if (lists.slices.objects.empty() && devices.empty()) return Status();

  const std::vector<view::Pool> pools = view::PoolsOf(cluster);
  if (!pools.empty()) DescribePools(pools, description);
  description.Line(0, "Devices:");
  if (!lists.claims.ok()) description.Line(1, "holders unknown: ", lists.claims.status.message());
  for (const view::LeftOut& one : left_out)
    description.Line(1, one.kind, " ", one.key, " is left out, because it cannot be read: ", one.why);
  Drivers drivers(session);
  for (const view::Device& device : devices) {
    if (device.gone) continue;
    DescribeOne(device, lists.claims.ok(), TroubleOf(*view::FindPool(pools, device.driver, device.pool), drivers), description);
  }
  for (const view::Device& device : devices) {
    if (!device.gone || !IsGone(device, drivers)) continue;
    description.Line(1, device.FullName(), ":");
    description.Field(2, "Held", "yes, but it is gone: no slice has it any more");
    description.Lines(2, "Holders", HolderTexts(device));
  }
  return Status();
}

}  // namespace allot::cli

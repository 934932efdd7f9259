#include "node/metrics.h"

#include <charconv>

#include "model/memory.h"

namespace allot::node {

namespace {

constexpr std::array<std::string_view, 2> kOperations = {"PrepareResourceClaims", "UnprepareResourceClaims"};
constexpr std::array<std::string_view, 2> kErrors = {"node_prepare_errors_total", "node_unprepare_errors_total"};
constexpr std::array<std::string_view, 2> kErrorTypes = {"prepare_devices", "unprepare_devices"};

const auto Label = MetricsText::Label;

std::string Number(double value) {
  char digits[64];
  return {digits, std::to_chars(digits, digits + sizeof digits, value, std::chars_format::fixed).ptr};
}

std::string Bytes(int64_t mib) { return std::to_string(model::MiB(mib).bytes()); }

std::string DeviceLabels(const DeviceMetricsInput& input, std::string_view uuid, std::string_view device) {
  return StrCat(Label("driver", input.driver), ",", Label("node", input.node_name), ",", Label("device", device), ",", Label("uuid", uuid));
}

}  // namespace

void CallMetrics::Begin(Operation operation) {
  const std::lock_guard lock(mutex_);
  ++counts_[operation].inflight;
}

void CallMetrics::End(Operation operation, std::chrono::nanoseconds took, const Status& status) {
  const std::lock_guard lock(mutex_);
  Counts& counts = counts_[operation];
  --counts.inflight;
  ++counts.requests;
  if (!status.ok()) {
    ++counts.errors;
    return;
  }
  const double seconds = std::chrono::duration<double>(took).count();
  size_t bucket = 0;
  while (bucket < kBuckets.size() && seconds > kBuckets[bucket]) ++bucket;
  ++counts.by_time[bucket];
  counts.seconds += seconds;
}

void CallMetrics::AddTo(MetricsText& text) const {
  const std::lock_guard lock(mutex_);
  auto& requests = text.Get(prefix_ + "requests_total", "counter", "Claims that kubelet asked to prepare or unprepare.");
  auto& inflight = text.Get(prefix_ + "requests_inflight", "gauge", "Claims that are being prepared or unprepared.");
  auto& durations = text.Get(prefix_ + "request_duration_seconds", "histogram", "Duration of the requests that succeeded.");
  for (size_t i = 0; i < counts_.size(); ++i) {
    const Counts& counts = counts_[i];
    const std::string labels = StrCat(Label("driver", driver_), ",", Label("operation", kOperations[i]));
    requests.Add(labels, std::to_string(counts.requests));
    inflight.Add(labels, std::to_string(counts.inflight));
    uint64_t sum = 0;
    for (size_t b = 0; b <= kBuckets.size(); ++b) {
      sum += counts.by_time[b];
      const std::string limit = b < kBuckets.size() ? Number(kBuckets[b]) : "+Inf";
      durations.Add(StrCat(labels, ",", Label("le", limit)), std::to_string(sum), "_bucket");
    }
    durations.Add(labels, Number(counts.seconds), "_sum");
    durations.Add(labels, std::to_string(sum), "_count");
    text.Get(StrCat(prefix_, kErrors[i]), "counter", "Requests that failed.")
        .Add(StrCat(Label("driver", driver_), ",", Label("error_type", kErrorTypes[i])), std::to_string(counts.errors));
  }
}

void AddDeviceMetrics(const DeviceMetricsInput& input, MetricsText& text) {
  auto& memory = text.Get("allot_gpu_memory_bytes", "gauge", "Memory of the device.");
  auto& memory_used = text.Get("allot_gpu_memory_used_bytes", "gauge", "Memory of the device that any process uses.");
  auto& healthy = text.Get("allot_gpu_healthy", "gauge", "1 while nothing is wrong with the device.");
  for (const DeviceReport& device : input.devices) {
    const std::string labels = DeviceLabels(input, device.uuid, device.device);
    if (device.memory_mib) memory.Add(StrCat(labels, ",", Label("model", device.model)), Bytes(*device.memory_mib));
    if (const auto used = input.used_mib.find(device.uuid); used != input.used_mib.end()) memory_used.Add(labels, Bytes(used->second));
    if (device.health != DeviceReport::Health::kUnknown) healthy.Add(labels, device.health == DeviceReport::Health::kHealthy ? "1" : "0");
  }

  auto& granted = text.Get("allot_claim_memory_granted_bytes", "gauge", "Memory of the device that the claim may use.");
  auto& claim_used = text.Get("allot_claim_memory_used_bytes", "gauge", "Memory of the device that processes of the claim's Pods use.");
  size_t whole = 0, parts = 0;
  for (const auto& [uid, holding] : input.holdings) {
    const auto use = input.claims.find(uid);
    const std::vector<std::string> no_pods = {""};
    const std::vector<std::string>& pods = use == input.claims.end() || use->second.pods.empty() ? no_pods : use->second.pods;
    std::map<std::string, std::pair<std::string, int64_t>> held;  // by UUID: the device, MiB
    for (const Share& share : holding->shares) {
      ++(share.is_part() ? parts : whole);
      if (share.admin) continue;
      auto& [device, mib] = held[share.uuid];
      device = share.device;
      mib += share.memory_mib;
    }
    for (const auto& [uuid, share] : held) {
      for (const std::string& pod : pods) {
        const std::string labels = StrCat(DeviceLabels(input, uuid, share.first), ",", Label("namespace", holding->name_space), ",",
                                          Label("claim", holding->name), ",", Label("pod", pod));
        granted.Add(labels, Bytes(share.second));
        if (use == input.claims.end()) continue;
        const auto used = use->second.used_mib.find(uuid);
        if (used != use->second.used_mib.end()) claim_used.Add(labels, Bytes(used->second));
      }
    }
  }
  auto& prepared = text.Get(StrCat(input.names.prefix, "prepared_devices"), "gauge", "Devices, or shares of devices, that claims hold.");
  const std::string labels = StrCat(Label("node", input.node_name), ",", Label("driver", input.driver), ",");
  prepared.Add(labels + Label("device_type", input.names.whole), std::to_string(whole));
  prepared.Add(labels + Label("device_type", input.names.part), std::to_string(parts));
}

}  // namespace allot::node

#include "node/metrics.h"

#include <charconv>

#include "node/devices.h"

namespace allot::node {

namespace {

constexpr int64_t kMiB = 1 << 20;
constexpr std::array<std::string_view, 2> kOperations = {"PrepareResourceClaims", "UnprepareResourceClaims"};
constexpr std::array<std::string_view, 2> kErrors = {"nvidia_dra_node_prepare_errors_total", "nvidia_dra_node_unprepare_errors_total"};
constexpr std::array<std::string_view, 2> kErrorTypes = {"prepare_devices", "unprepare_devices"};

std::string Number(double value) {
  char digits[64];
  return {digits, std::to_chars(digits, digits + sizeof digits, value, std::chars_format::fixed).ptr};
}

void Header(std::string& text, std::string_view name, std::string_view type, std::string_view help) {
  text += StrCat("# HELP ", name, " ", help, "\n# TYPE ", name, " ", type, "\n");
}

// key="value" with Prometheus' escapes, which are those of Quoted as far as names of Kubernetes go.
std::string Label(std::string_view key, std::string_view value) { return StrCat(key, "=", Quoted(value, std::string::npos)); }

std::string DeviceLabels(std::string_view uuid, std::string_view device, std::string_view node) {
  return StrCat(Label("node", node), ",", Label("device", device), ",", Label("uuid", uuid));
}

// Calls with the UUID, name and memory of every device that is offered.
template <typename Function>
void EachDevice(const std::vector<device::Gpu>& gpus, Function function) {
  for (const device::Gpu& gpu : gpus) {
    if (!gpu.mig_enabled) function(gpu.uuid, DeviceName(gpu), gpu.memory_mib, gpu);
    for (const device::MigDevice& mig : gpu.mig) function(mig.uuid, DeviceName(gpu, mig), std::optional(mig.memory_mib), gpu);
  }
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

void CallMetrics::AppendTo(std::string& text) const {
  const std::lock_guard lock(mutex_);
  const auto labels = [](size_t i) { return StrCat(Label("driver", kDriver), ",", Label("operation", kOperations[i])); };
  Header(text, "nvidia_dra_requests_total", "counter", "Claims that kubelet asked to prepare or unprepare.");
  for (size_t i = 0; i < counts_.size(); ++i) text += StrCat("nvidia_dra_requests_total{", labels(i), "} ", counts_[i].requests, "\n");
  Header(text, "nvidia_dra_requests_inflight", "gauge", "Those under way.");
  for (size_t i = 0; i < counts_.size(); ++i) text += StrCat("nvidia_dra_requests_inflight{", labels(i), "} ", counts_[i].inflight, "\n");
  Header(text, "nvidia_dra_request_duration_seconds", "histogram", "How long those that succeeded took.");
  for (size_t i = 0; i < counts_.size(); ++i) {
    uint64_t sum = 0;
    for (size_t b = 0; b <= kBuckets.size(); ++b) {
      sum += counts_[i].by_time[b];
      text += StrCat("nvidia_dra_request_duration_seconds_bucket{", labels(i), ",",
                     Label("le", b < kBuckets.size() ? Number(kBuckets[b]) : "+Inf"), "} ", sum, "\n");
    }
    text += StrCat("nvidia_dra_request_duration_seconds_sum{", labels(i), "} ", Number(counts_[i].seconds), "\n");
    text += StrCat("nvidia_dra_request_duration_seconds_count{", labels(i), "} ", sum, "\n");
  }
  for (size_t i = 0; i < counts_.size(); ++i) {
    Header(text, kErrors[i], "counter", "Those that failed.");
    text += StrCat(kErrors[i], "{", Label("driver", kDriver), ",", Label("error_type", kErrorTypes[i]), "} ", counts_[i].errors, "\n");
  }
}

void AppendGpuMetrics(const GpuMetricsInput& input, std::string& text) {
  Header(text, "allot_gpu_memory_bytes", "gauge", "Memory of the device.");
  EachDevice(input.gpus, [&](const std::string& uuid, const std::string& name, std::optional<int64_t> memory, const device::Gpu& gpu) {
    if (!memory) return;
    text += StrCat("allot_gpu_memory_bytes{", DeviceLabels(uuid, name, input.node_name), ",", Label("model", gpu.product_name), "} ",
                   *memory * kMiB, "\n");
  });
  // All samples of a metric stand together.
  std::string used_text, healthy_text, granted_text, claim_used_text;
  EachDevice(input.gpus, [&](const std::string& uuid, const std::string& name, std::optional<int64_t>, const device::Gpu&) {
    const std::string labels = DeviceLabels(uuid, name, input.node_name);
    if (const auto used = input.used_mib.find(uuid); used != input.used_mib.end()) {
      used_text += StrCat("allot_gpu_memory_used_bytes{", labels, "} ", used->second * kMiB, "\n");
    }
    if (const auto healthy = input.healthy.find(uuid); healthy != input.healthy.end()) {
      healthy_text += StrCat("allot_gpu_healthy{", labels, "} ", healthy->second ? 1 : 0, "\n");
    }
  });

  size_t gpus = 0, migs = 0;
  for (const auto& [uid, holding] : input.holdings) {
    const auto use = input.claims.find(uid);
    const std::vector<std::string> no_pods = {""};
    const std::vector<std::string>& pods = use == input.claims.end() || use->second.pods.empty() ? no_pods : use->second.pods;
    std::map<std::string, std::pair<std::string, int64_t>> granted;  // by UUID: the device, MiB
    for (const HeldShare& share : holding->shares) {
      ++(share.is_mig() ? migs : gpus);
      if (share.admin) continue;
      auto& [device, mib] = granted[share.uuid];
      device = share.device;
      mib += share.memory_mib;
    }
    for (const auto& [uuid, share] : granted) {
      for (const std::string& pod : pods) {
        const std::string labels = StrCat(DeviceLabels(uuid, share.first, input.node_name), ",", Label("namespace", holding->name_space),
                                          ",", Label("claim", holding->name), ",", Label("pod", pod));
        granted_text += StrCat("allot_claim_memory_granted_bytes{", labels, "} ", share.second * kMiB, "\n");
        if (use == input.claims.end()) continue;
        const auto used = use->second.used_mib.find(uuid);
        if (used != use->second.used_mib.end())
          claim_used_text += StrCat("allot_claim_memory_used_bytes{", labels, "} ", used->second * kMiB, "\n");
      }
    }
  }
  const auto add = [&](std::string_view name, std::string_view help, const std::string& samples) {
    Header(text, name, "gauge", help);
    text += samples;
  };
  add("allot_gpu_memory_used_bytes", "Memory of the device that is in use, whoever uses it.", used_text);
  add("allot_gpu_healthy", "1 while nothing is wrong with the device.", healthy_text);
  add("allot_claim_memory_granted_bytes", "Memory of the device that the claim may use.", granted_text);
  add("allot_claim_memory_used_bytes", "Memory of the device that processes of the claim's Pods use.", claim_used_text);
  Header(text, "nvidia_dra_prepared_devices", "gauge", "Devices, or shares of them, that claims hold.");
  const auto prepared = [&](std::string_view type, size_t count) {
    text += StrCat("nvidia_dra_prepared_devices{", Label("node", input.node_name), ",", Label("driver", kDriver), ",",
                   Label("device_type", type), "} ", count, "\n");
  };
  prepared("gpu", gpus);
  prepared("mig", migs);
}

}  // namespace allot::node

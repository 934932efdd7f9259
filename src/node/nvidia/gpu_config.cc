#include "node/nvidia/gpu_config.h"

#include <algorithm>
#include <charconv>
#include <initializer_list>

#include "model/memory.h"
#include "model/reader.h"

namespace allot::node::nvidia {

namespace {

using model::Reader;

constexpr std::string_view kApiVersion = "resource.nvidia.com/v1beta1";

bool IsOneOf(std::string_view text, std::initializer_list<std::string_view> known) {
  return std::find(known.begin(), known.end(), text) != known.end();
}

std::string Listed(std::initializer_list<std::string_view> known) {
  std::string text;
  for (const std::string_view one : known) text += StrCat(text.empty() ? "" : ", ", one);
  return text;
}

void OnlyFields(const Reader& object, std::initializer_list<std::string_view> known) {
  if (!object.IsPresent() || !object.value().IsObject()) return;
  for (const json::Member& member : object.value().Members()) {
    if (!IsOneOf(member.key, known)) object.Fail(member.key, StrCat("is not a known field; there are ", Listed(known)));
  }
}

std::string_view OneOf(const Reader& object, std::string_view key, std::initializer_list<std::string_view> known) {
  const std::string_view text = object.Text(key);
  if (object.status().ok() && !text.empty() && !IsOneOf(text, known)) {
    object.Fail(key, StrCat("expected one of ", Listed(known), ", not ", Quoted(text)));
  }
  return text;
}

// Returns whole MiB, rounded down. 0: the field is absent.
int64_t MemoryLimit(const Reader& object, std::string_view key, const std::optional<model::Quantity>& amount) {
  if (!amount) return 0;
  const int64_t mib = model::MiB::Offered(*amount).count();
  if (mib < 1) object.Fail(key, StrCat("expected at least 1Mi, not ", amount->ToString()));
  return mib;
}

// Returns the entry for this device in a map from "<UUID or index>" to a quantity.
int64_t DeviceLimit(const Reader& mps, std::string_view uuid, std::span<const std::string> uuids, int64_t otherwise) {
  constexpr std::string_view kField = "defaultPerDevicePinnedMemoryLimit";
  const Reader limits = mps[kField];
  if (!limits.IsPresent()) return otherwise;
  int64_t limit = otherwise;
  mps.EachQuantity(kField, [&](std::string_view key, const model::Quantity& amount) {
    size_t index = uuids.size();
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), index);
    const bool is_index = error == std::errc() && end == key.data() + key.size() && index < uuids.size();
    const bool is_uuid = std::find(uuids.begin(), uuids.end(), key) != uuids.end();
    if (!is_index && !is_uuid) return limits.Fail(key, "is neither the UUID of a device of this claim nor its index among them");
    const int64_t mib = MemoryLimit(limits, key, amount);
    if ((is_uuid ? key : std::string_view(uuids[index])) == uuid) limit = mib;
  });
  return limit;
}

void ReadMps(const Reader& mps, std::string_view uuid, std::span<const std::string> uuids, Sharing& sharing) {
  OnlyFields(mps, {"defaultActiveThreadPercentage", "defaultPinnedDeviceMemoryLimit", "defaultPerDevicePinnedMemoryLimit", "multiUser"});
  const int64_t threads = mps.OptionalInt("defaultActiveThreadPercentage").value_or(0);
  if (threads < 0 || threads > 100) mps.Fail("defaultActiveThreadPercentage", StrCat("expected 0 to 100, not ", threads));
  sharing.thread_percentage = static_cast<int>(threads);
  mps.OptionalBool("multiUser");
  const int64_t limit = MemoryLimit(mps, "defaultPinnedDeviceMemoryLimit", mps.OptionalQuantity("defaultPinnedDeviceMemoryLimit"));
  sharing.pinned_memory_mib = DeviceLimit(mps, uuid, uuids, limit);
  if (sharing.pinned_memory_mib > 0 && uuids.size() > 1) {
    // The daemon wants the device's number as CUDA counts inside the container, which is unknown before the container runs.
    mps.Fail("", "a limit of pinned memory needs a claim with one device; this one has several");
  }
}

Result<Sharing> ReadConfig(const json::Value& parameters, bool is_mig, std::string_view uuid, std::span<const std::string> uuids) {
  const Reader config(parameters);
  OnlyFields(config, {"apiVersion", "kind", "sharing"});
  const Reader from = config["sharing"];
  Sharing sharing;
  if (from.IsPresent()) {
    OnlyFields(from, {"strategy", "timeSlicingConfig", "mpsConfig"});
    sharing.strategy = OneOf(from, "strategy", {"TimeSlicing", "MPS"});
    if (from.status().ok() && sharing.strategy.empty()) from.Fail("strategy", "is missing; there are TimeSlicing and MPS");
    const Reader slicing = from["timeSlicingConfig"], mps = from["mpsConfig"];
    if (slicing.IsPresent() && (is_mig || sharing.strategy != "TimeSlicing")) {
      from.Fail("timeSlicingConfig", is_mig ? "a MIG device has no time slices" : "belongs to the strategy TimeSlicing");
    }
    if (mps.IsPresent() && sharing.strategy != "MPS") from.Fail("mpsConfig", "belongs to the strategy MPS");
    OnlyFields(slicing, {"interval"});
    const std::string_view interval = OneOf(slicing, "interval", {"Default", "Short", "Medium", "Long"});
    if (sharing.strategy == "TimeSlicing") sharing.interval = interval.empty() ? "Default" : interval;
    ReadMps(mps, uuid, uuids, sharing);
  }
  TRY(Status(config.status()));
  return sharing;
}

enum class Meant { kNot, kAll, kNamed };

// Whether an entry for `requests` applies to a result of `request`, which may be "request/subrequest".
Meant IsMeant(const std::vector<std::string>& requests, std::string_view request) {
  if (requests.empty()) return Meant::kAll;
  const std::string_view base = request.substr(0, request.find('/'));
  const bool named = std::any_of(requests.begin(), requests.end(), [&](const std::string& one) { return one == request || one == base; });
  return named ? Meant::kNamed : Meant::kNot;
}

}  // namespace

Result<Sharing> SharingOf(const model::Allocation& allocation, std::string_view driver, const model::DeviceResult& result, bool is_mig,
                          std::string_view uuid, std::span<const std::string> uuids) {
  // The API lists the entries of classes before those of claims. The last one wins.
  for (size_t i = allocation.config.size(); i-- > 0;) {
    const model::AllocatedConfig& entry = allocation.config[i];
    const std::string place = StrCat("status.allocation.devices.config[", i, "]");
    if (!entry.opaque.value().IsObject()) return Invalid(place, ": expected opaque, the only kind of config that there is");
    const Reader opaque(entry.opaque.value());
    if (opaque.Text("driver") != driver) continue;
    const Meant meant = IsMeant(entry.requests, result.request);
    if (meant == Meant::kNot) continue;

    const json::Value& parameters = entry.opaque.value()["parameters"];
    const std::string within = StrCat(place, ".opaque.parameters");
    const Reader header(parameters);
    const std::string_view kind = header.Text("kind"), version = header.Text("apiVersion");
    TRY(Status(header.status()).Context(within));
    if (version != kApiVersion) return Invalid(within, ".apiVersion: expected ", kApiVersion, ", not ", Quoted(version));
    if (kind != "GpuConfig" && kind != "MigDeviceConfig") {
      return Invalid(within, ".kind: expected GpuConfig or MigDeviceConfig, not ", Quoted(kind));
    }
    const bool fits = (kind == "MigDeviceConfig") == is_mig;
    if (!fits && meant == Meant::kAll) continue;
    if (!fits) {
      return Invalid(within, ".kind: ", kind, " is for ", is_mig ? "GPUs" : "MIG devices", ", but request ", Quoted(result.request),
                     " got ", result.device, ", which is ", is_mig ? "a MIG device" : "a GPU");
    }
    return ReadConfig(parameters, is_mig, uuid, uuids).Context(within);
  }
  return Sharing();
}

Status Compatible(const Sharing& a, const Sharing& b) {
  if (a.strategy.empty() || b.strategy.empty()) {
    // The MPS server takes the whole GPU, so processes without MPS cannot run beside it. A time slice does not disturb other processes.
    return a.strategy == "MPS" || b.strategy == "MPS" ? Unavailable("one uses MPS, the other does not") : Status();
  }
  if (a.strategy != b.strategy) return Unavailable("one wants ", a.strategy, ", the other ", b.strategy);
  if (a.interval != b.interval) return Unavailable("one wants time slices of interval ", a.interval, ", the other ", b.interval);
  return {};
}

}  // namespace allot::node::nvidia

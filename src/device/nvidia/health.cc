#include "device/nvidia/health.h"

#include <algorithm>

#include "base/strings.h"

namespace allot::device::nvidia {
namespace {

// The XIDs that admins look up most often. NVIDIA's list has all of them.
std::string_view XidText(uint64_t xid) {
  switch (xid) {
    case 48: return " (memory error that ECC could not correct)";
    case 63: return " (memory row remapped)";
    case 64: return " (memory row could not be remapped)";
    case 74: return " (NVLink error)";
    case 79: return " (GPU has fallen off the bus)";
    case 94: return " (contained memory error)";
    case 95: return " (uncontained memory error)";
    case 119:
    case 120: return " (GPU system processor does not answer)";
    default: return "";
  }
}

// Whether an error at `error` counts for `device`.
bool Covers(const Place& error, const Place& device) {
  return error.gpu == device.gpu && (error.gpu_instance == Place::kAll || error.gpu_instance == device.gpu_instance) &&
         (error.compute_instance == Place::kAll || error.compute_instance == device.compute_instance);
}

}  // namespace

bool HealthBook::OnXid(const Place& place, uint64_t xid) {
  const bool program = options_.program_xids.contains(xid);
  Error& error = errors_[place];
  // An error of a program does not hide one of the device.
  if (program && error.health.state == Health::State::kUnhealthy) return false;
  error.last = clock_.MonotonicNow();
  const std::string value = StrCat(xid);
  if (error.health.value == value) return false;
  error.health = {program ? Health::State::kNoted : Health::State::kUnhealthy, "xid", value,
                  program ? StrCat("a program failed with XID ", xid, XidText(xid))
                          : StrCat("critical error XID ", xid, XidText(xid), "; look it up in NVIDIA's list of XIDs"),
                  clock_.Now()};
  return true;
}

void HealthBook::OnLost(const std::string& gpu, const std::string& why) {
  lost_.try_emplace(gpu, Health{Health::State::kUnhealthy, "gpu-lost", "", why, clock_.Now()});
}

void HealthBook::OnAnswer(const std::string& gpu) {
  const bool was_reset = lost_.erase(gpu) > 0;
  const MonotonicTime now = clock_.MonotonicNow();
  std::erase_if(errors_,
                [&](const auto& entry) { return entry.first.gpu == gpu && (was_reset || now - entry.second.last >= options_.settle); });
}

void HealthBook::SetMonitored(const std::string& gpu, const std::string& why) {
  if (why.empty()) {
    unmonitored_.erase(gpu);
  } else {
    unmonitored_.try_emplace(gpu, Health{Health::State::kNoted, "unmonitored", "", StrCat("errors are not heard of: ", why), clock_.Now()});
  }
}

void HealthBook::KeepOnly(const std::vector<Gpu>& gpus) {
  const auto gone = [&](const std::string& uuid) { return std::ranges::find(gpus, uuid, &Gpu::uuid) == gpus.end(); };
  std::erase_if(errors_, [&](const auto& entry) { return gone(entry.first.gpu); });
  std::erase_if(lost_, [&](const auto& entry) { return gone(entry.first); });
  std::erase_if(unmonitored_, [&](const auto& entry) { return gone(entry.first); });
}

Health HealthBook::Of(const Place& place) const {
  if (const auto lost = lost_.find(place.gpu); lost != lost_.end()) return lost->second;
  Health worst;
  for (const auto& [at, error] : errors_) {
    if (Covers(at, place) && error.health.state > worst.state) worst = error.health;
  }
  if (worst.state != Health::State::kHealthy) return worst;
  const auto unmonitored = unmonitored_.find(place.gpu);
  return unmonitored == unmonitored_.end() ? worst : unmonitored->second;
}

std::map<std::string, Health> HealthBook::All(const std::vector<Gpu>& gpus) const {
  std::map<std::string, Health> all;
  for (const Gpu& gpu : gpus) {
    all[gpu.uuid] = Of({gpu.uuid});
    for (const MigDevice& mig : gpu.mig) all[mig.uuid] = Of({gpu.uuid, mig.gpu_instance, mig.compute_instance});
  }
  return all;
}

}  // namespace allot::device::nvidia

#pragma once
// A driver for tests. Its devices have to be made before a container can use them, and making one can fail.
//
// The hardware is a folder. A device is the file DEVICE in it, with the claim that it was made for and a serial number that is known only
// once the device is made. Making a device takes two writes, so that a crash can leave half of it. A card runs in a mode while claims have
// devices of it: the file mode-CARD. Devices are named "CARD-N" and have 1024 MiB each.

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "base/file_system.h"
#include "node/driver.h"
#include "node/slices.h"

namespace allot::node {

class MadeDeviceDriver final : public Driver, public ClaimDriver {
 public:
  static constexpr std::string_view kName = "made.example.com";

  // Survives restarts of the driver.
  struct Hardware {
    std::string folder;
    int serial = 0;                         // of the device that was made last
    std::string refuses;                    // the kind of steps that cannot be made; empty: none
    std::string stuck;                      // the kind of steps that cannot be unmade now; empty: none
    std::vector<std::string> log = {};      // "make KIND DEVICE", "unmake KIND DEVICE"
    std::vector<std::string> devices = {};  // that are offered; with a driver that runs, set by Plug
    std::string broken = {};                // not empty: why no device can be seen; with a driver that runs, set by Break
  };

  // Both must outlive it.
  MadeDeviceDriver(FileSystem& files, Hardware& hardware) : files_(files), hardware_(hardware) {}

  // Changes the hardware while the driver runs.
  void Plug(std::vector<std::string> devices) {
    const std::lock_guard lock(mutex_);
    hardware_.devices = std::move(devices);
    ++changes_;
  }
  void Break(std::string why) {
    const std::lock_guard lock(mutex_);
    hardware_.broken = std::move(why);
    ++changes_;
  }

  std::string_view name() const override { return kName; }
  std::vector<DeviceClass> classes() const override { return {{std::string(kName), StrCat("device.driver == '", kName, "'"), ""}}; }
  MetricNames metric_names() const override { return {"allot_dra_", "card", "part"}; }
  std::string_view take_over() const override { return "end the other driver"; }
  ClaimDriver& claims() override { return *this; }

  void Start() override { ++changes_; }
  void Stop() override {}
  void Refresh() override {}
  uint64_t changes() const override { return changes_; }
  Status state() override { return Present(); }
  Status CheckNode(const json::Value&) const override { return {}; }
  void Recall(std::span<const json::Value>) override {}

  std::optional<json::Document> Offer(const Holdings&) override {
    const std::vector<DeviceReport> devices = Devices();
    return WriteSlices(devices.size(), [&](size_t i, json::Builder& b) {
      b.StartObject();
      b.Key("name"), b.String(devices[i].device);
      b.Key("capacity"), b.StartObject();
      b.Key("memory"), b.StartObject();
      b.Key("value"), b.String("1Gi");
      b.EndObject();
      b.EndObject();
      b.EndObject();
    });
  }
  std::vector<DeviceReport> Devices() const override {
    const std::lock_guard lock(mutex_);
    std::vector<DeviceReport> devices;
    for (const std::string& device : hardware_.devices) {
      devices.push_back({StrCat("uuid-", device), device, "Maker", 1024, DeviceReport::Health::kHealthy, ""});
      if (!hardware_.broken.empty()) devices.back().health = DeviceReport::Health::kUnhealthy, devices.back().message = hardware_.broken;
    }
    return devices;
  }
  DeviceUse Use() const override { return {}; }

  Status Present() override {
    const std::lock_guard lock(mutex_);
    return hardware_.broken.empty() ? Status() : Unavailable(hardware_.broken);
  }

  Result<std::vector<HeldDevice>> Hold(const model::Allocation&, std::span<const model::DeviceResult* const> results) override {
    std::vector<HeldDevice> devices;
    for (const model::DeviceResult* result : results) {
      const std::string device(result->device);
      devices.push_back({StrCat("uuid-", device), CardOf(device), 1024, R"({"size":"small"})"});
    }
    return devices;
  }
  Status CheckTogether(const Share& theirs, const Share& ours) const override {
    return theirs.state == ours.state ? Status() : Unavailable("their sizes differ");
  }

  std::vector<Step> Steps(const Holding& holding) const override {
    std::vector<Step> steps;
    for (const Share& share : holding.shares) {
      steps.push_back({"mode", CardOf(share.device), ""});
      steps.push_back({"device", share.device, ""});
    }
    return steps;
  }

  Result<std::string> Make(const StepCall& call) override {
    hardware_.log.push_back(StrCat("make ", call.step.kind, " ", call.step.device));
    if (call.step.kind == hardware_.refuses) return Invalid(call.step.kind, " ", call.step.device, " cannot be made");
    if (!files_.Exists(hardware_.folder)) TRY(files_.MakeDirs(hardware_.folder));
    const std::string path = PathOf(call.step);
    if (call.step.kind == "mode") {
      if (!files_.Exists(path)) TRY(files_.ReplaceFile(path, "fast"));
      return std::string();
    }
    const std::string owner = StrCat(call.holding.uid, " ");
    if (const Result<std::string> made = files_.ReadFile(path, 1 << 10); made.ok() && made->starts_with(owner)) {
      if (files_.Exists(path + ".half")) TRY(files_.Remove(path + ".half"));
      return made->substr(owner.size());
    }
    const std::string serial = StrCat("serial-", ++hardware_.serial);
    TRY(files_.ReplaceFile(path + ".half", serial));
    TRY(files_.ReplaceFile(path, owner + serial));
    TRY(files_.Remove(path + ".half"));
    return serial;
  }

  Status Unmake(const StepCall& call) override {
    hardware_.log.push_back(StrCat("unmake ", call.step.kind, " ", call.step.device));
    if (call.step.kind == hardware_.stuck) return Unavailable(call.step.kind, " ", call.step.device, " is busy");
    const std::string path = PathOf(call.step);
    if (call.step.kind == "device") {
      TRY(files_.Remove(path));
      return files_.Remove(path + ".half");
    }
    ASSIGN_OR_RETURN(const Holdings others, call.others());
    for (const auto& [uid, other] : others) {
      for (const Share& share : other->shares) {
        if (CardOf(share.device) == call.step.device) return {};
      }
    }
    return files_.Remove(path);
  }

  std::vector<std::string> OtherCdiDevices(const Share&) const override { return {}; }

  Result<ClaimEdits> Edits(const Holding& holding, const std::string&) override {
    ClaimEdits edits;
    for (const Share& share : holding.shares) {
      for (const Step& step : holding.steps) {
        if (step.kind == "device" && step.device == share.device) edits.shares.emplace_back().env = {StrCat("SERIAL=", step.record)};
      }
    }
    return edits;
  }

  static std::string CardOf(std::string_view device) { return std::string(device.substr(0, device.find_last_of('-'))); }

 private:
  std::string PathOf(const Step& step) const { return StrCat(hardware_.folder, "/", step.kind == "mode" ? "mode-" : "", step.device); }

  FileSystem& files_;
  mutable std::mutex mutex_;  // of what Plug and Break change
  Hardware& hardware_;
  std::atomic<uint64_t> changes_{0};
};

}  // namespace allot::node

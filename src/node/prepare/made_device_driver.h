#pragma once
// A driver for tests. Its devices have to be made before a container can use them, and making one can fail.
//
// The hardware is a folder. A device is the file DEVICE.SERIAL in it, with the UID of the claim that it was made for. The serial number is
// known only once the device is made. Making a device takes two writes, so that a crash can leave half of it: the file DEVICE.half. A card
// runs in a mode while claims have devices of it: the file mode-CARD. Devices are named "CARD-N" and have 1024 MiB each.

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/file_system.h"
#include "node/driver.h"
#include "node/publish/slices.h"

namespace allot::node {

class MadeDeviceDriver final : public Driver, public ClaimDriver {
 public:
  static constexpr std::string_view kName = "made.example.com";

  // Survives restarts of the driver.
  struct Hardware {
    std::string folder;
    int serial = 0;                     // of the device that was made last
    std::string refuses;                // the kind of steps that cannot be made; empty: none
    std::string stuck;                  // the kind of steps that cannot be unmade now; empty: none; with a driver that runs, set by Stick
    std::vector<std::string> log = {};  // "make KIND DEVICE", "unmake KIND DEVICE"
    std::vector<std::string> devices = {};  // that are offered; with a driver that runs, set by Plug
    bool asleep = false;                    // the driver does not get to look at it
    std::function<void()> unmade = {};      // called after the mode of a card was unmade; empty: nothing
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

  void Stick(std::string kind) {
    const std::lock_guard lock(mutex_);
    hardware_.stuck = std::move(kind);
  }

  std::string_view name() const override { return kName; }
  std::vector<DeviceClass> classes() const override { return {{std::string(kName), StrCat("device.driver == '", kName, "'"), ""}}; }
  MetricNames metric_names() const override { return {"allot_dra_", "card", "part"}; }
  std::string_view take_over() const override { return "end the other driver"; }
  std::string_view offer_whole() const override { return ""; }
  ClaimDriver& claims() override { return *this; }

  void Start() override { changes_ += hardware_.asleep ? 0 : 1; }
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
    const std::lock_guard lock(steps_);
    TRY(Begin("make", call.step, hardware_.refuses, Code::kInvalid, "cannot be made"));
    if (!files_.Exists(hardware_.folder)) TRY(files_.MakeDirs(hardware_.folder));
    if (call.step.kind == "mode") {
      if (!files_.Exists(ModePath(call.step))) TRY(files_.ReplaceFile(ModePath(call.step), "fast"));
      return std::string();
    }
    const std::string half = DevicePath(call.step, "half");
    std::string serial = SerialOf(call);
    if (serial.empty()) {
      serial = StrCat("serial-", ++hardware_.serial);
      TRY(files_.ReplaceFile(half, serial));
      TRY(files_.ReplaceFile(DevicePath(call.step, serial), call.holding.uid));
    }
    if (files_.Exists(half)) TRY(files_.Remove(half));
    return serial;
  }

  Status Unmake(const StepCall& call) override {
    TRY(UnmakeNow(call));
    if (call.step.kind == "mode" && hardware_.unmade) std::exchange(hardware_.unmade, nullptr)();
    return {};
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

  Environment VisibleDevices(std::span<const std::string> uuids) const override {
    return {{"MADE_DEVICES", Join({uuids.begin(), uuids.end()}, ",")}};
  }

  static std::string CardOf(std::string_view device) { return std::string(device.substr(0, device.find_last_of('-'))); }

 private:
  std::string ModePath(const Step& step) const { return StrCat(hardware_.folder, "/mode-", step.device); }
  std::string DevicePath(const Step& step, std::string_view serial) const {
    return StrCat(hardware_.folder, "/", step.device, ".", serial);
  }

  // Fails if steps of this kind fail now.
  Status Begin(std::string_view verb, const Step& step, const std::string& failing, Code code, std::string_view why) {
    const std::lock_guard lock(mutex_);
    hardware_.log.push_back(StrCat(verb, " ", step.kind, " ", step.device));
    return step.kind == failing ? Status(code, StrCat(step.kind, " ", step.device, " ", why)) : Status();
  }
  Status UnmakeNow(const StepCall& call) {
    const std::lock_guard lock(steps_);
    TRY(Begin("unmake", call.step, hardware_.stuck, Code::kUnavailable, "is busy"));
    if (call.step.kind == "device") {
      // A crash between Make and the journal leaves a device that no record names.
      const bool recorded = !call.step.record.empty() && files_.Exists(DevicePath(call.step, call.step.record));
      const std::string serial = recorded ? call.step.record : SerialOf(call);
      if (!serial.empty()) TRY(files_.Remove(DevicePath(call.step, serial)));
      return files_.Remove(DevicePath(call.step, "half"));
    }
    ASSIGN_OR_RETURN(const Holdings others, call.others());
    for (const auto& [uid, other] : others) {
      for (const Share& share : other->shares) {
        if (CardOf(share.device) == call.step.device) return {};
      }
    }
    return files_.Remove(ModePath(call.step));
  }
  // Returns the serial number of the device that was made for the claim; empty: there is none.
  std::string SerialOf(const StepCall& call) const {
    const Result<std::vector<std::string>> names = files_.List(hardware_.folder);
    const std::string prefix = StrCat(call.step.device, ".serial-");
    for (const std::string& name : names.ok() ? *names : std::vector<std::string>()) {
      if (!name.starts_with(prefix)) continue;
      const Result<std::string> owner = files_.ReadFile(StrCat(hardware_.folder, "/", name), 1 << 10);
      if (owner.ok() && *owner == call.holding.uid) return name.substr(call.step.device.size() + 1);
    }
    return {};
  }

  FileSystem& files_;
  std::mutex steps_;          // locked while a step is made or unmade, since claims share the mode of a card
  mutable std::mutex mutex_;  // of the hardware's members that a test may change while the driver runs
  Hardware& hardware_;
  std::atomic<uint64_t> changes_{0};
};

}  // namespace allot::node

#pragma once
// For tests: a node in a temporary folder, with real files and made-up GPUs and claims.

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "base/clock.h"
#include "base/test_util.h"
#include "json/json.h"
#include "kube/object.h"
#include "node/nvidia/claims.h"
#include "node/prepare/prepare.h"

namespace allot::node {

inline device::nvidia::Gpu Rtx3090(int minor = 0) {
  device::nvidia::Gpu gpu;
  gpu.minor = minor;
  gpu.uuid = StrCat("GPU-0000000", minor, "-aaaa-bbbb-cccc-dddddddddddd");
  gpu.product_name = "NVIDIA GeForce RTX 3090";
  gpu.raw_driver_version = "580.105.08";
  gpu.memory_mib = 24576;
  return gpu;
}

class FakeWorld final : public World {
 public:
  Result<kube::ObjectPtr> Claim(const std::string& name_space, const std::string& name, const Patience&) override {
    const std::lock_guard lock(mutex_);
    if (down) return Unavailable("connection refused");
    ++reads;
    const auto found = claims_.find(StrCat(name_space, "/", name));
    if (found == claims_.end()) return NotFound("resourceclaims \"", name, "\" not found");
    return found->second;
  }
  PodsOfClaims Pods() const override { return {}; }
  Result<std::vector<device::nvidia::Gpu>> Gpus() {
    const std::lock_guard lock(mutex_);
    if (!broken.empty()) return Unavailable(broken);
    return gpus;
  }

  void Put(const std::string& name_space, const std::string& name, const std::string& uid, const std::string& status) {
    const std::lock_guard lock(mutex_);
    const std::string text = StrCat(R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"namespace":")", name_space,
                                    R"(","name":")", name, R"(","uid":")", uid, R"("},"spec":{"devices":{}},"status":)", status, "}");
    json::Document document = *json::Parse(text);
    const json::Value root = document.root();
    claims_[StrCat(name_space, "/", name)] = std::make_shared<const kube::Object>(std::move(document), root);
  }
  void Remove(const std::string& name_space, const std::string& name) {
    const std::lock_guard lock(mutex_);
    claims_.erase(StrCat(name_space, "/", name));
  }

  std::vector<device::nvidia::Gpu> gpus = {Rtx3090()};
  std::string broken;  // not empty: why no GPU can be seen
  bool down = false;   // the API server does not answer
  int reads = 0;

 private:
  std::mutex mutex_;
  std::map<std::string, kube::ObjectPtr> claims_;
};

class FakeTimeSlice final : public nvidia::TimeSlice {
 public:
  Status Set(const std::string& uuid, const std::string& interval, const Patience&) override {
    if (fail) return Unavailable("nvidia-smi failed");
    set[uuid] = interval;
    return {};
  }
  std::map<std::string, std::string> set;
  bool fail = false;
};

// Returns one result of an allocation as JSON. If `memory` is empty, it has no consumedCapacity.
inline std::string ResultJson(std::string_view request, std::string_view device, std::string_view memory, std::string_view share = "",
                              std::string_view driver = "gpu.nvidia.com") {
  return StrCat(R"({"request":")", request, R"(","driver":")", driver, R"(","pool":"n1","device":")", device, "\"",
                share.empty() ? "" : StrCat(R"(,"shareID":")", share, "\""),
                memory.empty() ? "" : StrCat(R"(,"consumedCapacity":{"memory":")", memory, "\"}"), "}");
}
inline std::string Allocated(std::string_view results, std::string_view config = "") {
  return StrCat(R"({"allocation":{"devices":{"results":[)", results, R"(],"config":[)", config, "]}}}");
}

class PrepareFixture : public testing::Test {
 protected:
  PrepareFixture() { Reset(); }
  ~PrepareFixture() override { std::filesystem::remove_all(folder_); }

  // Makes the node empty.
  void Reset() {
    std::filesystem::remove_all(folder_);
    for (const std::string path : {"/state", "/root/dev", "/root/usr/bin", "/root/usr/lib/x86_64-linux-gnu"}) {
      std::filesystem::create_directories(folder_ + path);
    }
    for (const std::string path : {"/root/dev/nvidiactl", "/root/dev/nvidia-uvm", "/root/dev/nvidia0", "/root/dev/nvidia1",
                                   "/root/usr/bin/nvidia-smi", "/root/usr/lib/x86_64-linux-gnu/libcuda.so.580.105.08"}) {
      std::ofstream(folder_ + path) << "";
    }
  }

  // What a process of the agent has for one driver.
  struct Process {
    Process(PrepareFixture& test, FileSystem& files, ClaimDriver& driver)
        : journal(*Journal::Open(files, test.folder_ + "/state")),
          cdi(files, test.folder_ + "/cdi", driver.name()),
          preparer({driver, *journal, cdi, test.world_, test.clock_, "n1", "/opt/allot", [&test](std::string_view line) { test.Log(line); },
                    [&test](const std::string& uid) { return test.in_use_.contains(uid); }}) {}
    virtual ~Process() = default;

    std::unique_ptr<Journal> journal;
    Cdi cdi;
    Preparer preparer;
  };

  struct Nvidia {
    Nvidia(PrepareFixture& test, FileSystem& files, nvidia::TimeSlice& time_slice)
        : toolkit(files, {test.folder_ + "/etc-cdi"}),
          claims({.files = files,
                  .toolkit = toolkit,
                  .time_slice = time_slice,
                  .gpus = [&test] { return test.world_.Gpus(); },
                  .root = {"/drv", test.folder_ + "/root"},
                  .proc = test.folder_ + "/proc",
                  .mps_pipes_here = test.folder_ + "/mps",
                  .log = [&test](std::string_view line) { test.Log(line); }}) {}

    nvidia::ToolkitSpec toolkit;
    nvidia::Claims claims;
  };

  // With the driver of NVIDIA's GPUs.
  struct Agent : Nvidia, Process {
    Agent(PrepareFixture& test, FileSystem& files) : Agent(test, files, test.slices_) {}
    Agent(PrepareFixture& test, FileSystem& files, nvidia::TimeSlice& time_slice)
        : Nvidia(test, files, time_slice), Process(test, files, claims) {}
  };

  void Log(std::string_view line) {
    const std::lock_guard lock(log_mutex_);
    log_.emplace_back(line);
  }
  std::string CdiPath(const std::string& uid) const { return StrCat(folder_, "/cdi/k8s.gpu.nvidia.com-claim_", uid, ".yaml"); }
  // Enough for one try.
  Patience Short() const { return {.deadline = clock_.MonotonicNow() + std::chrono::seconds(3)}; }
  Patience Long() const { return {.deadline = clock_.MonotonicNow() + std::chrono::seconds(45)}; }

  const std::string folder_ = StrCat(testing::TempDir(), "allot-prepare-", ::getpid());
  PosixFileSystem files_;
  std::set<std::string> in_use_;  // UIDs of claims
  SystemClock clock_;
  FakeWorld world_;
  FakeTimeSlice slices_;
  std::mutex log_mutex_;
  std::vector<std::string> log_;
};

}  // namespace allot::node

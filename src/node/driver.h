#pragma once
// The seam between the agent and a vendor.
//
// The agent publishes ResourceSlices, answers kubelet, keeps the journal, checks that claims fit, writes CDI files and serves metrics. It
// knows devices, amounts and holders. A driver knows its vendor: which devices the machine has, how they are, and how claims for them are
// prepared. One agent serves several drivers, each with its own slices, sockets, journal and CDI files.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "json/value.h"
#include "node/claim_driver.h"
#include "node/prepare/holding.h"

namespace allot::node {

// A DeviceClass that users of the driver's devices expect.
struct DeviceClass {
  std::string name;               // "gpu.nvidia.com"
  std::string selector;           // CEL
  std::string extended_resource;  // "nvidia.com/gpu"; empty: none
};

// The names that dashboards of the vendor's own driver use.
struct MetricNames {
  std::string_view prefix;  // of the metrics about kubelet's calls: "nvidia_dra_"
  std::string_view whole;   // device_type of a whole device
  std::string_view part;    // device_type of a part of one
};

// One device that the driver offers.
struct DeviceReport {
  enum class Health { kUnknown, kHealthy, kUnhealthy };

  std::string uuid, device, model;
  std::optional<int64_t> memory_mib;  // absent: unknown
  Health health = Health::kUnknown;
  std::string message;  // about its health, for people
};

// How much of the devices is in use at the moment.
struct DeviceUse {
  struct Process {
    std::string uuid;  // of the device
    int64_t pid = 0;   // in the PID namespace of the machine
    int64_t used_mib = 0;
  };

  std::map<std::string, int64_t> used_mib;  // by the device's UUID; absent: unknown
  std::vector<Process> processes;
};

// The agent calls Start, Refresh, Recall, Offer and Stop one at a time; all other functions are thread-safe.
class Driver {
 public:
  virtual ~Driver() = default;

  std::string_view name() { return claims().name(); }
  virtual std::vector<DeviceClass> classes() const = 0;
  virtual MetricNames metric_names() const = 0;
  // Says what an admin does so that allot takes over from another DRA driver of this name.
  virtual std::string_view take_over() const = 0;
  // Says what an admin does to offer whole devices where the API server cannot store shared ones. Empty: nothing helps.
  virtual std::string_view offer_whole() const = 0;

  virtual ClaimDriver& claims() = 0;

  // Start and Stop begin and end watching the devices. Start waits for no other program; missing hardware is not an error.
  virtual void Start() = 0;
  virtual void Stop() = 0;
  // Called about once a second: reads configuration that changed and logs what is new about the devices.
  virtual void Refresh() = 0;

  // Counts changes of the devices and of their health. 0: the driver has not looked at them yet.
  virtual uint64_t changes() const = 0;
  // Ok if nothing keeps the driver from offering what the machine has. A machine without hardware of the vendor is ok.
  virtual Status state() = 0;

  // Ok if no other program hands out the devices of this node. `node` is the Node object. The agent publishes nothing before this is ok.
  virtual Status CheckNode(const json::Value& node) const = 0;
  // Hears once, before the first Offer, what an agent before this one published: the spec.devices of each slice.
  virtual void Recall(std::span<const json::Value> slices) = 0;
  // Returns the slices document (slices.h) to publish. Nothing: what is published stays as it is for now.
  virtual std::optional<json::Document> Offer(const Holdings& holdings) = 0;

  // Returns the devices that are offered.
  virtual std::vector<DeviceReport> Devices() const = 0;
  // May take long where hardware has to be asked.
  virtual DeviceUse Use() const = 0;
};

}  // namespace allot::node

#pragma once
// Pods that wait for devices, as values: Pods that have no node yet, and Pods whose devices could not be prepared on their node.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "view/listing.h"

namespace allot::view {

struct DeviceAsk {
  std::string class_name;
  int64_t count = 1;
  bool all = false;                 // all devices of the class on a node
  std::optional<int64_t> mib = {};  // memory of each; nullopt: the request names none
};

// One thing that a Pod asks for.
struct Ask {
  enum class Source {
    kRequest,   // a request of a claim; several alternatives are tried in order
    kResource,  // an amount of the extended resource `name`, or of the class itself where `name` is empty
    kClaim,     // the claim `name`, whose requests are not known
    kTemplate,  // the claim template `name`, whose requests are not known
  };
  Source source = Source::kRequest;
  std::vector<DeviceAsk> alternatives = {};  // of kRequest and kResource; the class is empty where no class stands for the resource now
  std::string name = {};
  bool exists = true;  // of kClaim and kTemplate: false where the server says that there is none, true where it cannot be seen
};

struct WaitingPod {
  enum class Cause {
    kRefused,      // the scheduler found no node, or holds the Pod back: `reason` and `message` of its condition
    kNoClaim,      // a claim of the Pod is not made yet, and schedulers look at the Pod only then
    kNotLookedAt,  // `scheduler` has not looked at the Pod yet
    kNotPrepared,  // kubelet could not prepare the devices: `reason` and `message` of its event
    kNoCdiDevice,  // the container runtime does not find the CDI devices: `reason` and `message` of the container
  };
  std::string namespace_name, name;
  std::string node;   // empty: no node yet
  std::string since;  // when the Pod was created; RFC 3339
  std::string scheduler;
  size_t place = 0;  // in the queue of Pods without a node; 0: it is not in the queue
  std::vector<Ask> asks;
  Cause cause = Cause::kNotLookedAt;
  std::string reason, message;
  bool for_gpus = false;  // the Pod asks for, or holds, devices of kGpuDriver; where claims cannot be seen, the message names the driver

  // The claim template that the Pod needs and that does not exist. Empty: there is no such.
  std::string MissingTemplate() const;
};

// The lists that tell which Pods wait.
struct WaitingLists {
  Listing pods;     // in phase Pending
  Listing claims;   // of all namespaces
  Listing classes;  // for extended resources
  Listing events;   // of failed preparations; needed only where a pending Pod has a node
};
Listing PendingPods(kube::Client& client);
Listing FailedPreparations(kube::Client& client, const Listing& pending_pods);

// Gets a claim template. It is called for Pods whose claims are not made yet.
using GetTemplate = std::function<Result<kube::ObjectPtr>(std::string_view namespace_name, std::string_view name)>;

// The Pods that wait for devices: Pods with a node first, then the others in the order of the queue (sched/order.h).
std::vector<WaitingPod> WaitingPods(const WaitingLists& lists, const GetTemplate& get_template);

}  // namespace allot::view

#pragma once
// What `allot status` shows, as values: the devices that have memory, with their shares and holders, and the Pods that wait for devices.

#include <optional>
#include <string>
#include <vector>

#include "alloc/compat.h"
#include "base/status.h"
#include "kube/client.h"
#include "view/devices.h"
#include "view/explain/answer.h"
#include "view/listing.h"
#include "view/note.h"
#include "view/waiting.h"

namespace allot::view {

struct StatusLists {
  Listing slices, nodes;
  WaitingLists waiting;
  alloc::Features features = alloc::Features::Defaults();  // of the API server
};

// Reads all lists, and asks for the features. Stops after slices and claims if both are forbidden.
StatusLists ListForStatus(kube::Client& client);

// A Pod that waits, and why it finds no room. nullopt: claims and nodes alone do not tell.
struct WaitingEntry {
  WaitingPod pod;
  std::optional<Brief> brief;
};

struct Overview {
  // Why there are no devices.
  enum class Missing {
    kNone,       // there are some
    kNotServed,  // the server does not have resource.k8s.io/v1
    kNoSlices,   // no driver offers devices
    kNoMemory,   // drivers: their devices have no memory to share
  };
  std::vector<Device> devices;
  std::vector<WaitingEntry> waiting;
  std::vector<Note> notes;
  Missing missing = Missing::kNone;
  std::vector<std::string> drivers{};
};

// A list that is forbidden or not served becomes a note; any other failure is an error, as is a list of slices that is forbidden together
// with claims. If `nodes` is not empty, only these nodes are kept; kNotFound: one of them has no devices. Asks the API for templates of
// claims that are not made yet.
Result<Overview> OverviewOf(kube::Client& client, const StatusLists& lists, const std::vector<std::string>& nodes);

}  // namespace allot::view

#pragma once
// Troubles of a node that an admin has to fix, with their codes.
//
// The agent ends the message of such an error with the code: "... [NotFree]". Logs and kubelet's events keep the code, so `allot doctor`
// finds its advice by the code, whatever the sentence says. The codes are stable; docs/node.md lists them.

#include <string>
#include <string_view>

namespace allot::model {

enum class Trouble {
  kOther,         // a trouble without a code
  kNoDriver,      // the library of the GPU driver is not found
  kOtherDriver,   // another DRA driver serves the node
  kDevicePlugin,  // a device plugin serves the node's devices
  kNoDeviceNode,  // a device node is missing: the kernel module is not loaded
  kNotFree,       // two schedulers have allocated the same memory
  kNodeConfig,    // the node config is wrong
  kNoSharing,     // the feature gate DRAConsumableCapacity is off
  kNoTaints,      // the feature gate DRADeviceTaints is off
  // These have no code: doctor recognizes them by words of Kubernetes and the system.
  kForbidden,  // the agent lacks a right
  kDiskFull,
};

// Returns the end of the message, "[NotFree]", or "" for a trouble without a code.
std::string CodeOf(Trouble trouble);
// Returns the trouble whose code is in the text, or kOther.
Trouble CodedTrouble(std::string_view text);

}  // namespace allot::model

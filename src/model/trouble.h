#pragma once
// Troubles of a node that an admin has to mend, with their codes.
//
// The agent ends the message of such an error with the code: "... [NotFree]". The code passes unchanged through logs and through kubelet's
// events, so `allot doctor` finds its advice by the code and never by the sentence. The codes are stable; docs/node.md lists them.

#include <string>
#include <string_view>

namespace allot::model {

enum class Trouble {
  kOther,         // it has no code
  kNoDriver,      // the library of the GPU driver is not found
  kOtherDriver,   // another DRA driver serves the node
  kDevicePlugin,  // a device plugin serves the node's devices
  kNoDeviceNode,  // a device node is missing: the kernel module is not loaded
  kNotFree,       // two schedulers have allocated the same memory
  kNodeConfig,    // the node config is wrong
  kNoSharing,     // the feature gate DRAConsumableCapacity is off
  kNoTaints,      // the feature gate DRADeviceTaints is off
  // The agent does not give a code to these: they are recognized by words of Kubernetes and the system.
  kForbidden,  // the agent lacks a right
  kDiskFull,
};

// Returns "[NotFree]", to end a message with; empty for a trouble without a code.
std::string CodeOf(Trouble trouble);
// Returns the trouble whose code stands in the text, or kOther.
Trouble CodedTrouble(std::string_view text);

}  // namespace allot::model

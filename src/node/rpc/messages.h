#pragma once
// Kubelet's messages as values. Only this file knows the generated code of proto/.
//
// A message that does not parse is kInvalid. If two versions of an interface have the same bytes, one function serves both.

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "node/prepare/prepare.h"

namespace allot::node::rpc {

// Registration.

struct PluginInfo {
  std::string type;
  std::string name;
  std::string endpoint;
  std::vector<std::string> versions;  // services, the preferred one first
};
std::string EncodePluginInfo(const PluginInfo& info);

struct RegistrationStatus {
  bool registered = false;
  std::string error;
};
Result<RegistrationStatus> DecodeRegistrationStatus(std::string_view bytes);

// DRAPlugin.

enum class DraVersion { kV1, kV1beta1 };

// "/k8s.io.kubelet.pkg.apis.dra.v1.DRAPlugin/NodePrepareResources"
std::string DraPath(DraVersion version, std::string_view method);

// Returns the claims of a prepare or unprepare request of any version.
Result<std::vector<ClaimRef>> DecodeClaims(std::string_view bytes);

struct ClaimAnswer {
  std::string uid;
  std::vector<PreparedDevice> devices;  // for prepare
  std::string error;                    // not empty: it failed
};
// v1beta1 has no field for shares.
std::string EncodePrepared(DraVersion version, const std::vector<ClaimAnswer>& answers);
std::string EncodeUnprepared(const std::vector<ClaimAnswer>& answers);

// DRAResourceHealth, v1alpha1 and v1.

struct DeviceHealth {
  enum class State { kUnknown, kHealthy, kUnhealthy };
  std::string pool, device;
  State state = State::kUnknown;
  WallTime updated;
  std::chrono::seconds timeout{0};  // after which kubelet takes the device for unknown; 0: kubelet's default
  std::string message;              // for people
};
std::string EncodeHealth(const std::vector<DeviceHealth>& devices);

// grpc.health.v1.

enum class Serving { kServing, kNotServing };
// Returns the service that the caller asks about. Empty: the server as a whole.
Result<std::string> DecodeHealthCheck(std::string_view bytes);
std::string EncodeHealthCheck(Serving serving);

}  // namespace allot::node::rpc

#pragma once
// The calls that kubelet makes, for tests. Included by tests only.

#include <string>
#include <vector>

#include "base/status.h"
#include "node/prepare/holding.h"
#include "node/rpc/messages.h"
#include "node/rpc/test_client.h"
#include "proto/dra/v1.pb.h"
#include "proto/dra_health/v1.pb.h"
#include "proto/pluginregistration/v1.pb.h"

namespace allot::node::rpc::test {

namespace dra = ::k8s::io::kubelet::pkg::apis::dra::v1;

// Does what kubelet does when it finds the registration socket at `path`.
inline PluginInfo Register(const std::string& path) {
  Client kubelet(path);
  ::pluginregistration::PluginInfo info;
  CHECK(info.ParseFromString(kubelet.Do("/pluginregistration.Registration/GetInfo", "").messages().at(0)));
  ::pluginregistration::RegistrationStatus status;
  status.set_plugin_registered(true);
  kubelet.Do("/pluginregistration.Registration/NotifyRegistrationStatus", status.SerializeAsString());
  return {info.type(), info.name(), info.endpoint(), {info.supported_versions().begin(), info.supported_versions().end()}};
}

// Returns the body of the answer. The agent has four seconds.
template <typename Request>
std::string CallWithClaim(const std::string& socket, std::string_view method, const ClaimRef& claim) {
  Request request;
  auto& wanted = *request.add_claims();
  wanted.set_namespace_(claim.name_space);
  wanted.set_name(claim.name);
  wanted.set_uid(claim.uid);
  Client kubelet(socket);
  CallSpec spec{.path = DraPath(DraVersion::kV1, method), .body = Framed(request.SerializeAsString())};
  spec.headers = {{"grpc-timeout", "4S"}};
  return kubelet.Do(spec).messages().at(0);
}

// Returns the IDs of the CDI devices. kUnavailable: the claim's error.
inline Result<std::vector<std::string>> Prepare(const std::string& socket, const ClaimRef& claim) {
  dra::NodePrepareResourcesResponse response;
  CHECK(response.ParseFromString(CallWithClaim<dra::NodePrepareResourcesRequest>(socket, "NodePrepareResources", claim)));
  const auto& prepared = response.claims().at(claim.uid);
  if (!prepared.error().empty()) return Unavailable(prepared.error());
  std::vector<std::string> ids;
  for (const auto& device : prepared.devices()) ids.insert(ids.end(), device.cdi_device_ids().begin(), device.cdi_device_ids().end());
  return ids;
}

inline Status Unprepare(const std::string& socket, const ClaimRef& claim) {
  dra::NodeUnprepareResourcesResponse response;
  CHECK(response.ParseFromString(CallWithClaim<dra::NodeUnprepareResourcesRequest>(socket, "NodeUnprepareResources", claim)));
  const std::string error = response.claims().at(claim.uid).error();
  return error.empty() ? Status() : Unavailable(error);
}

// Returns "DEVICE=STATE " for each device, where STATE is the number of DeviceHealth's state in the protocol: 1 is healthy, 2 is not.
inline std::string Health(const std::string& socket) {
  Client kubelet(socket);
  const int32_t watch = kubelet.Start("/v1.DRAResourceHealth/NodeWatchResources", "");
  CHECK(kubelet.Until([&] { return !kubelet.reply(watch).messages().empty(); }));
  ::v1::NodeWatchResourcesResponse health;
  CHECK(health.ParseFromString(kubelet.reply(watch).messages().at(0)));
  std::string text;
  for (const auto& device : health.devices()) text += StrCat(device.device().device_name(), "=", static_cast<int>(device.health()), " ");
  return text;
}

}  // namespace allot::node::rpc::test

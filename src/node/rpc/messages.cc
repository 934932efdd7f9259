#include "node/rpc/messages.h"

#include <climits>

#include "proto/dra/v1.pb.h"
#include "proto/dra/v1beta1.pb.h"
#include "proto/dra_health/v1alpha1.pb.h"
#include "proto/health/v1.pb.h"
#include "proto/pluginregistration/v1.pb.h"

namespace allot::node::rpc {
namespace {

namespace dra = ::k8s::io::kubelet::pkg::apis::dra;
namespace health = ::grpc::health::v1;

template <typename Message>
Result<Message> Parse(std::string_view bytes) {
  Message message;
  if (bytes.size() > INT_MAX || !message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return Invalid("the bytes are not a valid ", message.GetTypeName());
  }
  return message;
}

template <typename Response>
Response PreparedMessage(const std::vector<ClaimAnswer>& answers) {
  Response response;
  for (const ClaimAnswer& answer : answers) {
    auto& claim = (*response.mutable_claims())[answer.uid];
    claim.set_error(answer.error);
    for (const PreparedDevice& from : answer.devices) {
      auto& device = *claim.add_devices();
      for (const std::string& request : from.requests) device.add_request_names(request);
      device.set_pool_name(from.pool);
      device.set_device_name(from.device);
      for (const std::string& id : from.cdi_ids) device.add_cdi_device_ids(id);
      if constexpr (requires { device.set_share_id(from.share_id); }) {
        if (!from.share_id.empty()) device.set_share_id(from.share_id);
      }
    }
  }
  return response;
}

}  // namespace

std::string EncodePluginInfo(const PluginInfo& info) {
  pluginregistration::PluginInfo message;
  message.set_type(info.type);
  message.set_name(info.name);
  message.set_endpoint(info.endpoint);
  for (const std::string& version : info.versions) message.add_supported_versions(version);
  return message.SerializeAsString();
}

Result<RegistrationStatus> DecodeRegistrationStatus(std::string_view bytes) {
  ASSIGN_OR_RETURN(const auto message, Parse<pluginregistration::RegistrationStatus>(bytes));
  return RegistrationStatus{.registered = message.plugin_registered(), .error = message.error()};
}

std::string DraPath(DraVersion version, std::string_view method) {
  return StrCat("/k8s.io.kubelet.pkg.apis.dra.", version == DraVersion::kV1 ? "v1" : "v1beta1", ".DRAPlugin/", method);
}

Result<std::vector<ClaimRef>> DecodeClaims(std::string_view bytes) {
  // The unprepare request and both requests of v1beta1 have the same fields.
  ASSIGN_OR_RETURN(const auto message, Parse<dra::v1::NodePrepareResourcesRequest>(bytes));
  std::vector<ClaimRef> claims;
  claims.reserve(static_cast<size_t>(message.claims_size()));
  for (const auto& claim : message.claims()) {
    claims.push_back({.name_space = claim.namespace_(), .name = claim.name(), .uid = claim.uid()});
  }
  return claims;
}

std::string EncodePrepared(DraVersion version, const std::vector<ClaimAnswer>& answers) {
  if (version == DraVersion::kV1beta1) return PreparedMessage<dra::v1beta1::NodePrepareResourcesResponse>(answers).SerializeAsString();
  return PreparedMessage<dra::v1::NodePrepareResourcesResponse>(answers).SerializeAsString();
}

std::string EncodeUnprepared(const std::vector<ClaimAnswer>& answers) {
  dra::v1::NodeUnprepareResourcesResponse response;
  for (const ClaimAnswer& answer : answers) (*response.mutable_claims())[answer.uid].set_error(answer.error);
  return response.SerializeAsString();
}

std::string EncodeHealth(const std::vector<DeviceHealth>& devices) {
  v1alpha1::NodeWatchResourcesResponse response;
  for (const DeviceHealth& from : devices) {
    auto& device = *response.add_devices();
    device.mutable_device()->set_pool_name(from.pool);
    device.mutable_device()->set_device_name(from.device);
    switch (from.state) {
      case DeviceHealth::State::kUnknown: device.set_health(v1alpha1::UNKNOWN); break;
      case DeviceHealth::State::kHealthy: device.set_health(v1alpha1::HEALTHY); break;
      case DeviceHealth::State::kUnhealthy: device.set_health(v1alpha1::UNHEALTHY); break;
    }
    device.set_last_updated_time(std::chrono::duration_cast<std::chrono::seconds>(from.updated.time_since_epoch()).count());
    device.set_health_check_timeout_seconds(from.timeout.count());
    device.set_message(from.message);
  }
  return response.SerializeAsString();
}

Result<std::string> DecodeHealthCheck(std::string_view bytes) {
  ASSIGN_OR_RETURN(auto message, Parse<health::HealthCheckRequest>(bytes));
  return std::move(*message.mutable_service());
}

std::string EncodeHealthCheck(Serving serving) {
  health::HealthCheckResponse response;
  response.set_status(serving == Serving::kServing ? health::HealthCheckResponse::SERVING : health::HealthCheckResponse::NOT_SERVING);
  return response.SerializeAsString();
}

}  // namespace allot::node::rpc

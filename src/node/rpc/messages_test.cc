#include "node/rpc/messages.h"

#include <string>

#include "base/test_util.h"
#include "proto/dra/v1.pb.h"
#include "proto/dra/v1beta1.pb.h"
#include "proto/dra_health/v1.pb.h"
#include "proto/dra_health/v1alpha1.pb.h"
#include "proto/health/v1.pb.h"

namespace allot::node::rpc {
namespace {

namespace dra = ::k8s::io::kubelet::pkg::apis::dra;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <typename Request>
std::string RequestFor(const std::string& uid) {
  Request request;
  auto& claim = *request.add_claims();
  claim.set_namespace_("lab");
  claim.set_name("train");
  claim.set_uid(uid);
  return request.SerializeAsString();
}

TEST(Messages, ClaimsAreReadFromEveryRequest) {
  for (const std::string& bytes :
       {RequestFor<dra::v1::NodePrepareResourcesRequest>("u"), RequestFor<dra::v1::NodeUnprepareResourcesRequest>("u"),
        RequestFor<dra::v1beta1::NodePrepareResourcesRequest>("u"), RequestFor<dra::v1beta1::NodeUnprepareResourcesRequest>("u")}) {
    ASSERT_OK_AND_ASSIGN(const auto claims, DecodeClaims(bytes));
    ASSERT_EQ(claims.size(), 1U);
    EXPECT_EQ(claims[0].name_space, "lab");
    EXPECT_EQ(claims[0].name, "train");
    EXPECT_EQ(claims[0].uid, "u");
  }
}

TEST(Messages, WhatDoesNotParseIsInvalid) {
  EXPECT_THAT(DecodeClaims("\xff\xff"), IsStatus(Code::kInvalid, HasSubstr("NodePrepareResourcesRequest")));
  EXPECT_THAT(DecodeHealthCheck("\x0a\x7f"), IsStatus(Code::kInvalid));
}

TEST(Messages, PreparedDevicesAreToldInBothVersions) {
  const std::vector<ClaimAnswer> answers = {
      {.uid = "a",
       .devices = {{.requests = {"gpu", "more"}, .pool = "n1", .device = "gpu-0", .share_id = "s", .cdi_ids = {"x/y=z"}},
                   {.requests = {}, .pool = "n1", .device = "gpu-1", .share_id = "", .cdi_ids = {}}},
       .error = {}},
      {.uid = "b", .devices = {}, .error = "not today"}};
  dra::v1::NodePrepareResourcesResponse now;
  ASSERT_TRUE(now.ParseFromString(EncodePrepared(DraVersion::kV1, answers)));
  const auto& devices = now.claims().at("a").devices();
  ASSERT_EQ(devices.size(), 2);
  EXPECT_THAT(devices[0].request_names(), ElementsAre("gpu", "more"));
  EXPECT_EQ(devices[0].pool_name(), "n1");
  EXPECT_EQ(devices[0].device_name(), "gpu-0");
  EXPECT_THAT(devices[0].cdi_device_ids(), ElementsAre("x/y=z"));
  EXPECT_EQ(devices[0].share_id(), "s");
  EXPECT_FALSE(devices[1].has_share_id());
  EXPECT_EQ(now.claims().at("b").error(), "not today");

  dra::v1beta1::NodePrepareResourcesResponse before;
  ASSERT_TRUE(before.ParseFromString(EncodePrepared(DraVersion::kV1beta1, answers)));
  EXPECT_EQ(before.claims().at("a").devices(0).device_name(), "gpu-0");
  EXPECT_EQ(before.ByteSizeLong(), EncodePrepared(DraVersion::kV1beta1, answers).size());
}

TEST(Messages, EveryClaimHasAnEntryWhenUnprepared) {
  dra::v1beta1::NodeUnprepareResourcesResponse response;
  ASSERT_TRUE(
      response.ParseFromString(EncodeUnprepared({{.uid = "a", .devices = {}, .error = {}}, {.uid = "b", .devices = {}, .error = "busy"}})));
  EXPECT_EQ(response.claims().at("a").error(), "");
  EXPECT_EQ(response.claims().at("b").error(), "busy");
}

TEST(Messages, HealthHasTheSameBytesInBothVersions) {
  const std::string bytes = EncodeHealth({{.pool = "n1",
                                           .device = "gpu-0",
                                           .state = DeviceHealth::State::kUnhealthy,
                                           .updated = WallTime(std::chrono::seconds(1'767'225'600)),
                                           .timeout = std::chrono::seconds(60),
                                           .message = "Xid 79"}});
  ::v1alpha1::NodeWatchResourcesResponse alpha;
  ::v1::NodeWatchResourcesResponse stable;
  ASSERT_TRUE(alpha.ParseFromString(bytes));
  ASSERT_TRUE(stable.ParseFromString(bytes));
  EXPECT_EQ(stable.SerializeAsString(), alpha.SerializeAsString());
  EXPECT_EQ(stable.devices(0).device().device_name(), "gpu-0");
  EXPECT_EQ(stable.devices(0).health(), ::v1::UNHEALTHY);
  EXPECT_EQ(stable.devices(0).last_updated_time(), 1'767'225'600);
  EXPECT_EQ(stable.devices(0).health_check_timeout_seconds(), 60);
  EXPECT_EQ(stable.devices(0).message(), "Xid 79");
}

TEST(Messages, HealthChecksNameTheirService) {
  ::grpc::health::v1::HealthCheckRequest request;
  request.set_service("liveness");
  EXPECT_THAT(DecodeHealthCheck(request.SerializeAsString()), IsOkAndHolds("liveness"));
  ::grpc::health::v1::HealthCheckResponse response;
  ASSERT_TRUE(response.ParseFromString(EncodeHealthCheck(Serving::kNotServing)));
  EXPECT_EQ(response.status(), ::grpc::health::v1::HealthCheckResponse::NOT_SERVING);
}

TEST(Messages, PathsAreKubelets) {
  EXPECT_EQ(DraPath(DraVersion::kV1, "NodePrepareResources"), "/k8s.io.kubelet.pkg.apis.dra.v1.DRAPlugin/NodePrepareResources");
  EXPECT_EQ(DraPath(DraVersion::kV1beta1, "NodePrepareResources"), "/k8s.io.kubelet.pkg.apis.dra.v1beta1.DRAPlugin/NodePrepareResources");
}

}  // namespace
}  // namespace allot::node::rpc

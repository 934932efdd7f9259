#include "node/kubelet/registration.h"

#include <string>
#include <vector>

#include "base/test_util.h"

namespace allot::node {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kGetInfo[] = "/pluginregistration.Registration/GetInfo";
constexpr char kNotify[] = "/pluginregistration.Registration/NotifyRegistrationStatus";

Result<std::string> Ask(const rpc::Services& services, const char* path, std::string_view request) {
  return services.Find(path)->unary({.path = path, .patience = {}, .peer = {}}, request);
}

TEST(Registration, AnswersOnTheServersOwnThread) {
  Registration registration(Registration::DraPlugin("gpu.allot", "/p/dra.sock"), nullptr);
  rpc::Services services;
  registration.AddTo(services);
  EXPECT_EQ(services.Find(kGetInfo)->kind, rpc::Method::Kind::kQuick);
  EXPECT_EQ(services.Find(kNotify)->kind, rpc::Method::Kind::kQuick);
}

TEST(Registration, TellsWhoWeAreWithTheNewestServiceFirst) {
  const rpc::PluginInfo info = Registration::DraPlugin("gpu.allot", "/p/dra.sock");
  EXPECT_THAT(info.versions, ElementsAre("v1.DRAPlugin", "v1beta1.DRAPlugin", "v1.DRAResourceHealth", "v1alpha1.DRAResourceHealth"));
  Registration registration(info, nullptr);
  rpc::Services services;
  registration.AddTo(services);
  ASSERT_OK_AND_ASSIGN(const std::string answer, Ask(services, kGetInfo, ""));
  EXPECT_THAT(answer, HasSubstr("\n\tDRAPlugin\x12\tgpu.allot\x1a\v/p/dra.sock\"\fv1.DRAPlugin"));
}

TEST(Registration, RemembersKubeletsVerdict) {
  std::vector<std::string> heard;
  Registration registration(Registration::DraPlugin("gpu.allot", "/p/dra.sock"),
                            [&](const rpc::RegistrationStatus& status) { heard.push_back(StrCat(status.registered, " ", status.error)); });
  rpc::Services services;
  registration.AddTo(services);
  EXPECT_THAT(registration.state(), IsStatus(Code::kUnavailable, HasSubstr("has not registered gpu.allot yet")));
  EXPECT_OK(Ask(services, kNotify,
                "\x12\x03"
                "why"));
  EXPECT_THAT(registration.state(), IsStatus(Code::kUnavailable, HasSubstr("did not register gpu.allot: why")));
  EXPECT_THAT(Ask(services, kNotify, "\x08\x01"), IsOkAndHolds(""));
  EXPECT_OK(registration.state());
  EXPECT_THAT(heard, ElementsAre("false why", "true "));
}

TEST(Registration, RefusesWhatIsNoVerdict) {
  Registration registration(Registration::DraPlugin("gpu.allot", "/p/dra.sock"), nullptr);
  rpc::Services services;
  registration.AddTo(services);
  EXPECT_THAT(Ask(services, kNotify, "\xff"), IsStatus(Code::kInvalid));
}

}  // namespace
}  // namespace allot::node

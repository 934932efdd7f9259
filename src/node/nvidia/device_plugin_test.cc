#include "node/nvidia/device_plugin.h"

#include "base/test_util.h"
#include "json/json.h"

namespace allot::node::nvidia {
namespace {

using testing::HasSubstr;

TEST(DevicePlugin, IsSeenInTheNodesCapacity) {
  const auto check = [](std::string_view capacity) {
    return CheckDevicePlugin(json::Parse(StrCat(R"({"status":{"capacity":)", capacity, "}}"))->root());
  };
  EXPECT_OK(check("{}"));
  EXPECT_OK(check(R"({"nvidia.com/gpu":"0"})"));
  EXPECT_OK(check(R"({"cpu":"8"})"));
  EXPECT_THAT(check(R"({"nvidia.com/gpu":"8"})"), IsStatus(Code::kUnavailable, HasSubstr("nvidia.com/gpu: 8")));
  EXPECT_THAT(check(R"({"nvidia.com/gpu":"0","nvidia.com/gpu.shared":"4"})"), IsStatus(Code::kUnavailable, HasSubstr("gpu.shared: 4")));
  EXPECT_THAT(check(R"({"nvidia.com/mig-1g.10gb":"7"})"), IsStatus(Code::kUnavailable));
}

}  // namespace
}  // namespace allot::node::nvidia

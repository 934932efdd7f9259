#include "node/kubelet/kubelet_side.h"

#include <filesystem>

#include "base/test_util.h"
#include "http/test_client.h"
#include "node/prepare/made_device_driver.h"
#include "node/prepare/prepare_fixture.h"

namespace allot::node {
namespace {

using testing::HasSubstr;

class KubeletSideTest : public PrepareFixture {
 protected:
  SocketPlaces Places() const { return {folder_ + "/p", folder_ + "/r", std::string(MadeDeviceDriver::kName), ""}; }

  ::allot::Log kubelet_log_{clock_, ::allot::Log::Format::kText, [](std::string_view) {}};
  MadeDeviceDriver::Hardware hardware_{.folder = folder_ + "/hardware"};
  MadeDeviceDriver driver_{files_, hardware_};
  Process agent_{*this, files_, driver_};
};

// Bug: each try gave the server one more socket.
TEST_F(KubeletSideTest, FailedTriesLeaveNoSocket) {
  KubeletSide side(Places(), folder_ + "/marks", driver_, files_, kubelet_log_);
  ASSERT_OK(side.CheckPaths());
  auto server = *rpc::Server::Start({});
  const auto count = [&] { return server->stats().sockets; };
  ASSERT_OK(side.Serve(agent_.preparer, *server));
  for (int i = 0; i < 3; ++i) side.Keep();
  EXPECT_THAT(side.state(), IsStatus(Code::kNotFound, HasSubstr("marks")));
  EXPECT_EQ(count(), 0u);
  EXPECT_FALSE(files_.Exists(side.socket()));

  std::filesystem::create_directories(folder_ + "/marks");
  side.Keep();
  EXPECT_TRUE(http::test::Eventually([&] { return count() == 2; }));
  // Bug: a service socket that was deleted alone was never made again, since the registration socket still answered.
  for (int i = 0; i < 3; ++i) {
    std::filesystem::remove(side.socket());
    side.Keep();
    EXPECT_TRUE(files_.Exists(side.socket()));
  }
  EXPECT_TRUE(http::test::Eventually([&] { return count() == 2; }));
  server.reset();
  side.Stop();
}

}  // namespace
}  // namespace allot::node

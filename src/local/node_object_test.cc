#include "local/node_object.h"

#include "base/fake_clock.h"
#include "base/test_util.h"
#include "json/editor.h"
#include "kube/timestamp.h"
#include "local/api_home.h"
#include "local/device_classes.h"
#include "local/test_folder.h"
#include "node/nvidia/driver.h"

namespace allot::local {
namespace {

using kube::types::kDeviceClasses;
using kube::types::kLeases;
using kube::types::kNodes;

class NodeObjectTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK_AND_ASSIGN(const apiserver::DataFolder data, apiserver::OpenDataFolder(place_.path()));
    ASSERT_OK_AND_ASSIGN(home_, ApiHome::Start({}, data, files_, system_, random_, log_));
    ASSERT_OK_AND_ASSIGN(client_, kube::Client::Make(home_->ClientConfig()));
    node_.emplace(NodeObject::Facts{"n1", ReadMachine(files_, "/"), true, "allot://processes"}, *client_, clock_);
  }
  kube::ObjectPtr Get(const kube::ResourceType& type, const std::string& space, const std::string& name) {
    Result<kube::ObjectPtr> object = client_->Get(type, space, name);
    EXPECT_OK(object);
    return object.ok() ? *object : nullptr;
  }
  // A field of the condition that says whether the node is ready.
  std::string Ready(std::string_view field) {
    const kube::ObjectPtr node = Get(kNodes, "", "n1");
    for (const json::Value& condition : json::ItemsOf(node->json()["status"]["conditions"])) {
      if (json::TextOf(condition["type"]) == "Ready") return std::string(json::TextOf(condition[field]));
    }
    return "";
  }
  std::string Renewed() { return std::string(json::TextOf(Get(kLeases, "kube-node-lease", "n1")->json()["spec"]["renewTime"])); }

  TestFolder place_;
  PosixFileSystem files_;
  SystemClock system_;
  FakeClock clock_;
  SystemRandom random_;
  Log log_{system_, Log::Format::kText, [](std::string_view) {}};
  std::unique_ptr<ApiHome> home_;
  std::unique_ptr<kube::Client> client_;
  std::optional<NodeObject> node_;
};

TEST_F(NodeObjectTest, AHeartbeatRenewsTheLeaseAndNowAndThenTheConditions) {
  ASSERT_OK(node_->Write({}));
  const std::string begun = Ready("lastHeartbeatTime"), lease = Renewed();
  clock_.Advance(kHeartbeatEvery);
  ASSERT_OK(node_->RenewHeartbeat({}));
  EXPECT_NE(Renewed(), lease);
  EXPECT_EQ(Ready("lastHeartbeatTime"), begun);
  clock_.Advance(std::chrono::minutes(1));
  ASSERT_OK(node_->RenewHeartbeat({}));
  EXPECT_EQ(Ready("lastHeartbeatTime"), kube::WriteTime(clock_.Now()));
  EXPECT_EQ(Ready("lastTransitionTime"), begun);
}

TEST_F(NodeObjectTest, ADeletedNodeIsCreatedAgain) {
  ASSERT_OK(node_->Write({}));
  ASSERT_OK(client_->Delete(kNodes, "", "n1"));
  ASSERT_OK(client_->Delete(kLeases, "kube-node-lease", "n1"));
  clock_.Advance(kHeartbeatEvery);
  ASSERT_OK(node_->RenewHeartbeat({}));
  EXPECT_EQ(Ready("status"), "True");
  EXPECT_FALSE(Renewed().empty());
}

TEST_F(NodeObjectTest, ANodeThatWasNotReadyIsReadyFromTheStartOn) {
  ASSERT_OK(node_->Write({}));
  clock_.Advance(std::chrono::hours(1));
  ASSERT_OK(MarkNotReady(*client_, "n1", "not started", clock_.Now(), {}));
  EXPECT_EQ(Ready("status"), "False");
  clock_.Advance(std::chrono::hours(1));
  ASSERT_OK(node_->Write({}));
  EXPECT_EQ(Ready("status"), "True");
  EXPECT_EQ(Ready("lastTransitionTime"), kube::WriteTime(clock_.Now()));
}

TEST_F(NodeObjectTest, LabelsAndTaintsOfTheAdminStay) {
  ASSERT_OK(node_->Write({}));
  ASSERT_OK(client_->Patch(kNodes, "", "n1", kube::PatchType::kMerge,
                           R"({"metadata": {"labels": {"rack": "7"}}, "spec": {"unschedulable": true}})"));
  ASSERT_OK(node_->Write({}));
  const kube::ObjectPtr node = Get(kNodes, "", "n1");
  EXPECT_EQ(node->Label("rack"), "7");
  EXPECT_EQ(node->Label("allot.dev/local"), "true");
  EXPECT_TRUE(node->json()["spec"]["unschedulable"].AsBool());
}

TEST_F(NodeObjectTest, AClassOfTheAdminStaysAsItIs) {
  ASSERT_OK(client_->Create(kDeviceClasses, "",
                            R"({"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "gpu.nvidia.com"},
      "spec": {"selectors": [{"cel": {"expression": "device.driver == 'x'"}}]}})"));
  ASSERT_OK(MakeDeviceClasses(*client_, node::nvidia::Classes(), {}));
  ASSERT_OK(MakeDeviceClasses(*client_, node::nvidia::Classes(), {}));
  const auto expression = [&](const std::string& name) {
    return std::string(json::TextOf(Get(kDeviceClasses, "", name)->json()["spec"]["selectors"].Items()[0]["cel"]["expression"]));
  };
  EXPECT_EQ(expression("gpu.nvidia.com"), "device.driver == 'x'");
  EXPECT_EQ(expression("mig.nvidia.com"), "device.driver == 'gpu.nvidia.com' && device.attributes['gpu.nvidia.com'].type == 'mig'");
}

}  // namespace
}  // namespace allot::local

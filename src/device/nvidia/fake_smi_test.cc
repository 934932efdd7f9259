// The nvidia-smi of test images, run as they do.

#include "base/process.h"
#include "base/test_util.h"
#include "device/nvidia/fake_machine.h"

namespace allot::device::nvidia {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class FakeSmi : public ::testing::Test {
 protected:
  FakeSmi() { environment_["ALLOT_FAKE_SMI_DEV"] = dev_; }

  void AddNode(const std::string& name) const { std::ofstream(dev_ + "/" + name) << ""; }
  ProcessOutput Run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), device::nvidia::FakeSmi());
    Result<ProcessOutput> output = RunProcess({.argv = std::move(arguments), .environment = environment_});
    EXPECT_OK(output);
    return output.ok() ? *std::move(output) : ProcessOutput{.exit_code = -1};
  }
  std::string Print(const std::vector<std::string>& arguments) const { return Run(arguments).stdout_text; }

  const FakeMachine machine_{""};
  const std::string dev_ = machine_.sysfs();  // any folder without device nodes
  Environment environment_;
};

TEST_F(FakeSmi, FindsNoDevicesWithoutNodes) {
  environment_["NVIDIA_VISIBLE_DEVICES"] = "GPU-1";
  AddNode("nvidiactl");
  AddNode("nvidia-uvm");
  const ProcessOutput output = Run({"-L"});
  EXPECT_EQ(output.exit_code, 6);
  EXPECT_EQ(output.stdout_text, "No devices were found\n");
}

TEST_F(FakeSmi, ListsOneLineForEachNode) {
  for (const char* name : {"nvidia10", "nvidia2", "nvidiactl", "nvidia-modeset"}) AddNode(name);
  environment_["NVIDIA_VISIBLE_DEVICES"] = "GPU-b,GPU-a";
  EXPECT_EQ(Print({"-L"}), "GPU 0: NVIDIA GPU (UUID: GPU-b)\nGPU 1: NVIDIA GPU (UUID: GPU-a)\n");
  environment_["NVIDIA_VISIBLE_DEVICES"] = "all";
  EXPECT_EQ(Print({"-L"}), "GPU 0: NVIDIA GPU (UUID: [N/A])\nGPU 1: NVIDIA GPU (UUID: [N/A])\n");
}

TEST_F(FakeSmi, AddsUpTheMemoryOfShares) {
  AddNode("nvidia0");
  environment_["ALLOT_GPU_MEMORY_GPU_8d3a_01"] = "1024";
  environment_["ALLOT_GPU_MEMORY_GPU_8d3a_01__a"] = "2048";
  environment_["ALLOT_GPU_MEMORY_GPU_8d3a_01__b"] = "1";
  environment_["ALLOT_GPU_MEMORY_GPU_8d3a_01__c"] = "much";
  EXPECT_EQ(Print({"--query-gpu=index,uuid,memory.total", "--format=csv,noheader,nounits"}), "0, GPU-8d3a-01, 3073\n");
  EXPECT_EQ(Print({"--query-gpu=memory.total", "--format=csv"}), "memory.total [MiB]\n3073 MiB\n");
  EXPECT_THAT(Print({}), AllOf(HasSubstr("| /dev/nvidia0  | GPU-8d3a-01 "), HasSubstr("|  3073 MiB |")));
}

TEST_F(FakeSmi, OutsideOfContainersItShowsWhatTheEnvironmentNamesOfAList) {
  environment_["ALLOT_FAKE_SMI_GPUS"] = dev_ + "/gpus";
  std::ofstream(dev_ + "/gpus")
      << "0 GPU-a 24576 NVIDIA GeForce RTX 3090\n1 GPU-b 24576 NVIDIA GeForce RTX 3090\n2 GPU-c 12288 NVIDIA L4\n";
  const std::vector<std::string> query = {"--query-gpu=uuid,name,memory.total", "--format=csv,noheader,nounits"};
  EXPECT_EQ(Print({"-L"}),
            "GPU 0: NVIDIA GeForce RTX 3090 (UUID: GPU-a)\nGPU 1: NVIDIA GeForce RTX 3090 (UUID: GPU-b)\nGPU 2: NVIDIA L4 (UUID: GPU-c)\n");
  environment_["CUDA_VISIBLE_DEVICES"] = "GPU-c,GPU-b";
  environment_["ALLOT_GPU_MEMORY_GPU_b__s"] = "6144";
  EXPECT_EQ(Print(query), "GPU-c, NVIDIA L4, 12288\nGPU-b, NVIDIA GeForce RTX 3090, 6144\n");
  environment_["NVIDIA_VISIBLE_DEVICES"] = "GPU-b,GPU-gone";
  EXPECT_EQ(Print(query), "GPU-b, NVIDIA GeForce RTX 3090, 6144\n");
  environment_["NVIDIA_VISIBLE_DEVICES"] = "void";
  EXPECT_EQ(Run({"-L"}).exit_code, 6);
}

TEST_F(FakeSmi, RefusesWhatItCannotKnow) {
  AddNode("nvidia0");
  EXPECT_EQ(Run({"--query-gpu=temperature.gpu", "--format=csv"}).exit_code, 2);
  EXPECT_EQ(Run({"--gpu-reset"}).exit_code, 2);
}

TEST_F(FakeSmi, WritesSettingsDown) {
  environment_["ALLOT_FAKE_SMI_LOG"] = dev_ + "/log";
  EXPECT_TRUE(Run({"compute-policy", "-i", "GPU-1", "--set-timeslice", "2"}).succeeded());
  EXPECT_TRUE(Run({"-i", "GPU-1", "-c", "DEFAULT"}).succeeded());
  EXPECT_THAT(PosixFileSystem().ReadFile(dev_ + "/log", 1000),
              IsOkAndHolds(std::string("compute-policy -i GPU-1 --set-timeslice 2\n-i GPU-1 -c DEFAULT\n")));
  environment_["ALLOT_FAKE_SMI_LOG"] = dev_ + "/no/such/folder";
  EXPECT_FALSE(Run({"-i", "GPU-1", "-c", "DEFAULT"}).succeeded());
}

}  // namespace
}  // namespace allot::device::nvidia

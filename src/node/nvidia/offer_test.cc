#include "node/nvidia/offer.h"

#include <algorithm>

#include "base/test_util.h"
#include "json/json.h"
#include "model/device.h"

namespace allot::node::nvidia {
namespace {

using device::nvidia::Gpu;
using device::nvidia::MigDevice;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

Gpu Geforce(int minor, std::string product, int64_t memory_mib) {
  Gpu gpu;
  gpu.minor = minor;
  gpu.uuid = StrCat("GPU-", minor);
  gpu.product_name = std::move(product);
  gpu.brand = "GeForce";
  gpu.architecture = "Ampere";
  gpu.cuda_compute_capability = "8.6.0";
  gpu.driver_version = "580.105.8";
  gpu.raw_driver_version = "580.105.08";
  gpu.cuda_driver_version = "13.0.0";
  gpu.addressing_mode = "HMM";
  gpu.pci_bus_id = StrCat("0000:0", minor + 1, ":00.0");
  gpu.pcie_root = "pci0000:00";
  gpu.numa_node = 0;
  gpu.memory_mib = memory_mib;
  return gpu;
}

Gpu A100WithMig() {
  Gpu gpu = Geforce(2, "NVIDIA A100-SXM4-40GB", 40960);
  gpu.brand = "Nvidia";
  gpu.addressing_mode = "";
  gpu.numa_node.reset();
  gpu.mig_enabled = true;
  MigDevice small;
  small.uuid = "MIG-small";
  small.profile = "1g.5gb";
  small.profile_id = 19;
  small.gpu_instance = 7;
  small.placement_start = 4;
  small.placement_size = 1;
  small.memory_mib = 4864;
  small.multiprocessors = 14;
  small.copy_engines = 1;
  MigDevice big = small;
  big.uuid = "MIG-big";
  big.profile = "3g.20gb";
  big.profile_id = 9;
  big.gpu_instance = 1;
  big.placement_start = 0;
  big.placement_size = 4;
  big.memory_mib = 19968;
  big.multiprocessors = 42;
  big.copy_engines = 3;
  big.decoders = 2;
  gpu.mig = {small, big};
  return gpu;
}

// A node with the settings of a test; everything else is as in a new cluster.
struct Node {
  std::vector<Gpu> gpus;
  std::string config;
  std::set<std::string, std::less<>> held = {};
  Policies offered = {};
  DeviceTaints taints = {};

  Offer Make() const {
    NodeConfig parsed;
    if (!config.empty()) parsed = *NodeConfig::Parse(StrCat("apiVersion: allot/v1\nkind: NodeConfig\n", config));
    return MakeOffer({gpus, "n1", parsed, held, offered, taints});
  }
};

void ExpectJson(const json::Value& value, std::string_view expected) {
  const auto document = json::Parse(expected);
  ASSERT_OK(document);
  EXPECT_TRUE(json::Equal(value, document->root())) << json::Write(value, {2});
}

std::vector<std::string> Names(const json::Value& slices) {
  std::vector<std::string> names;
  for (const json::Value& slice : slices.Items()) {
    for (const json::Value& device : slice.Items()) names.emplace_back(device["name"].AsString());
  }
  return names;
}

const json::Value& Device(const Offer& offer, size_t index) { return offer.slices.root().Items()[0].Items()[index]; }

TEST(Offer, AGpuIsSharedByItsMemory) {
  const Offer offer = Node{{Geforce(0, "NVIDIA GeForce RTX 3090", 24576)}, ""}.Make();
  ExpectJson(offer.slices.root(), R"([[{
    "name": "gpu-0",
    "attributes": {
      "addressingMode": {"string": "HMM"}, "architecture": {"string": "Ampere"}, "brand": {"string": "GeForce"},
      "cudaComputeCapability": {"version": "8.6.0"}, "cudaDriverVersion": {"version": "13.0.0"}, "driverVersion": {"version": "580.105.8"},
      "productName": {"string": "NVIDIA GeForce RTX 3090"}, "resource.kubernetes.io/numaNode": {"int": 0},
      "resource.kubernetes.io/pciBusID": {"string": "0000:01:00.0"}, "resource.kubernetes.io/pcieRoot": {"string": "pci0000:00"},
      "type": {"string": "gpu"}, "uuid": {"string": "GPU-0"}},
    "capacity": {"memory": {"value": "24576Mi",
      "requestPolicy": {"default": "24576Mi", "validRange": {"min": "1Mi", "max": "24576Mi", "step": "1Mi"}}}},
    "allowMultipleAllocations": true}]])");
  EXPECT_THAT(offer.policies, ElementsAre(Pair("GPU-0", Policy())));
  EXPECT_THAT(offer.problems, IsEmpty());
}

TEST(Offer, AtMostNSharersTakeOneShareEach) {
  const Offer offer = Node{{Geforce(0, "NVIDIA GeForce RTX 3060", 12288)}, "default: {mode: shared, maxSharers: 4}"}.Make();
  ExpectJson(Device(offer, 0)["capacity"], R"({
    "memory": {"value": "12288Mi",
      "requestPolicy": {"default": "12288Mi", "validRange": {"min": "1Mi", "max": "12288Mi", "step": "1Mi"}}},
    "shares": {"value": "4", "requestPolicy": {"default": "1", "validRange": {"min": "1", "max": "1"}}}})");
}

TEST(Offer, ExclusiveGpusAndThoseThatDoNotTellTheirMemoryHaveNoPolicy) {
  Gpu unknown = Geforce(1, "NVIDIA GB10", 0);
  unknown.memory_mib.reset();
  const Offer offer = Node{{Geforce(0, "NVIDIA GeForce RTX 3060", 12288), unknown},
                           "gpus: [{minor: 0, mode: exclusive}]\ndefault: {mode: shared, maxSharers: 2}"}
                          .Make();
  ExpectJson(Device(offer, 0)["capacity"], R"({"memory": {"value": "12288Mi"}})");
  EXPECT_TRUE(Device(offer, 1)["capacity"].IsNull());
  for (size_t i = 0; i < 2; ++i) EXPECT_TRUE(Device(offer, i)["allowMultipleAllocations"].IsNull());
}

TEST(Offer, MigDevicesAreSharedByMemoryAndTheirEnginesAreInNobodysWay) {
  const Offer offer = Node{{A100WithMig()}, ""}.Make();
  EXPECT_THAT(Names(offer.slices.root()), ElementsAre("gpu-2-mig-3g20gb-9-0", "gpu-2-mig-1g5gb-19-4")) << "not whole, by placement";
  ExpectJson(Device(offer, 1), R"({
    "name": "gpu-2-mig-1g5gb-19-4",
    "attributes": {
      "architecture": {"string": "Ampere"}, "brand": {"string": "Nvidia"}, "cudaComputeCapability": {"version": "8.6.0"},
      "cudaDriverVersion": {"version": "13.0.0"}, "driverVersion": {"version": "580.105.8"}, "parentUUID": {"string": "GPU-2"},
      "productName": {"string": "NVIDIA A100-SXM4-40GB"}, "profile": {"string": "1g.5gb"},
      "resource.kubernetes.io/pciBusID": {"string": "0000:03:00.0"}, "resource.kubernetes.io/pcieRoot": {"string": "pci0000:00"},
      "type": {"string": "mig"}, "uuid": {"string": "MIG-small"}},
    "capacity": {
      "copyEngines": {"value": "1", "requestPolicy": {"default": "0", "validRange": {"min": "0", "max": "1"}}},
      "decoders": {"value": "0", "requestPolicy": {"default": "0", "validRange": {"min": "0", "max": "0"}}},
      "encoders": {"value": "0", "requestPolicy": {"default": "0", "validRange": {"min": "0", "max": "0"}}},
      "jpegEngines": {"value": "0", "requestPolicy": {"default": "0", "validRange": {"min": "0", "max": "0"}}},
      "memory": {"value": "4864Mi",
        "requestPolicy": {"default": "4864Mi", "validRange": {"min": "1Mi", "max": "4864Mi", "step": "1Mi"}}},
      "memorySlice4": {"value": "1", "requestPolicy": {"default": "0", "validRange": {"min": "0", "max": "1"}}},
      "multiprocessors": {"value": "14", "requestPolicy": {"default": "0", "validRange": {"min": "0", "max": "14"}}},
      "ofaEngines": {"value": "0", "requestPolicy": {"default": "0", "validRange": {"min": "0", "max": "0"}}}},
    "allowMultipleAllocations": true})");
  const Offer exclusive = Node{{A100WithMig()}, "default: {mode: exclusive}"}.Make();
  ExpectJson(Device(exclusive, 1)["capacity"]["multiprocessors"], R"({"value": "14"})");
}

TEST(Offer, KeepsTheApisLimits) {
  Gpu gpu = A100WithMig();
  gpu.numa_node = 1;
  gpu.addressing_mode = "HMM";
  gpu.product_name = std::string(80, 'x');
  gpu.driver_version = "not a version";
  gpu.mig[1].placement_size = 16;
  DeviceTaints taints;
  for (int i = 0; i < 30; ++i) taints["MIG-big"].push_back({StrCat("example.com/", i), "", "None"});
  const Offer offer = Node{{gpu}, "default: {mode: shared, maxSharers: 3}", {}, {}, taints}.Make();
  const json::Value& device = Device(offer, 0);
  EXPECT_EQ(device["attributes"].Members().size() + device["capacity"].Members().size(), 32u);
  EXPECT_FALSE(device["capacity"]["shares"].IsNull());
  EXPECT_EQ(device["attributes"]["productName"]["string"].AsString().size(), 64u);
  EXPECT_TRUE(device["attributes"]["driverVersion"].IsNull());
  EXPECT_EQ(device["taints"].Items().size(), 16u);
}

TEST(Offer, DevicesAreInOneOrderAndSixtyFourToASlice) {
  std::vector<Gpu> gpus;
  for (int minor = 129; minor >= 0; --minor) gpus.push_back(Geforce(minor, "NVIDIA GeForce RTX 3090", 24576));
  const Offer offer = Node{gpus, ""}.Make();
  const auto slices = offer.slices.root().Items();
  ASSERT_EQ(slices.size(), 3u);
  EXPECT_EQ(slices[0].Items().size(), 64u);
  EXPECT_EQ(slices[2].Items().size(), 2u);
  EXPECT_EQ(Names(offer.slices.root())[2], "gpu-2");
  EXPECT_EQ(Names(offer.slices.root())[129], "gpu-129");
}

TEST(Offer, WithoutDevicesIsOneEmptySlice) { ExpectJson(Node{{}, ""}.Make().slices.root(), "[[]]"); }

TEST(Offer, OneNameIsOfferedOnce) {
  Gpu gpu = A100WithMig();
  gpu.mig[0] = gpu.mig[1];
  gpu.mig[0].uuid = "MIG-second";
  gpu.mig[0].compute_instance = 1;
  const Offer offer = Node{{gpu}, ""}.Make();
  EXPECT_THAT(Names(offer.slices.root()), ElementsAre("gpu-2-mig-3g20gb-9-0"));
  EXPECT_THAT(offer.problems, ElementsAre("MIG-second is not offered: another device has its name, gpu-2-mig-3g20gb-9-0"));
}

TEST(Offer, ACordonAndTheHealthOfAGpuAndOfItsMigDevicesAreTaints) {
  Node node{{Geforce(0, "NVIDIA GeForce RTX 3090", 24576), A100WithMig()}, "gpus: [{minor: 0, mode: cordoned}]"};
  node.taints = {{"GPU-2", {{"gpu.nvidia.com/gpu-lost", "", "NoSchedule"}}}, {"MIG-big", {{"gpu.nvidia.com/xid", "79", "None"}}}};
  const Offer offer = node.Make();
  ExpectJson(Device(offer, 0)["taints"], R"([{"key": "gpu.nvidia.com/cordoned", "effect": "NoSchedule"}])");
  ExpectJson(Device(offer, 1)["taints"], R"([{"key": "gpu.nvidia.com/gpu-lost", "effect": "NoSchedule"},
                                             {"key": "gpu.nvidia.com/xid", "value": "79", "effect": "None"}])");
  ExpectJson(Device(offer, 2)["taints"], R"([{"key": "gpu.nvidia.com/gpu-lost", "effect": "NoSchedule"}])");
  EXPECT_FALSE(Device(offer, 0)["allowMultipleAllocations"].IsNull()) << "a cordon leaves the mode as it was";
}

TEST(Offer, AChangeWaitsUntilNoClaimHoldsTheGpuOrAMigDeviceOfIt) {
  Node node{{Geforce(0, "NVIDIA GeForce RTX 3090", 24576), A100WithMig()}, "default: {mode: exclusive}"};
  node.offered = {{"GPU-0", Policy()}, {"GPU-2", Policy()}};
  node.held = {"GPU-0", "MIG-small"};
  Offer offer = node.Make();
  EXPECT_THAT(offer.policies, ElementsAre(Pair("GPU-0", Policy()), Pair("GPU-2", Policy())));
  EXPECT_FALSE(Device(offer, 2)["allowMultipleAllocations"].IsNull());
  node.held = {};
  node.offered = offer.policies;
  offer = node.Make();
  EXPECT_THAT(offer.policies, ElementsAre(Pair("GPU-0", Policy{Mode::kExclusive}), Pair("GPU-2", Policy{Mode::kExclusive})));
}

TEST(Offer, PoliciesCanBeReadFromWhatIsPublished) {
  const Node node{{Geforce(0, "NVIDIA GeForce RTX 3090", 24576), Geforce(1, "NVIDIA GeForce RTX 3060", 12288), A100WithMig()},
                  "gpus: [{minor: 0, mode: shared, maxSharers: 4}, {minor: 1, mode: exclusive}, {minor: 2, mode: cordoned}]"};
  const Offer offer = node.Make();
  Policies read;
  ReadPolicies(offer.slices.root().Items()[0], read);
  EXPECT_EQ(read, offer.policies);
  const auto strange = json::Parse(R"([{"name":"x"}, {"attributes":{"uuid":{"int":1}}}])");
  ReadPolicies(strange->root(), read);
  ReadPolicies(json::Value(), read);
  EXPECT_EQ(read, offer.policies);
}

TEST(Offer, WhatAServerCannotStoreIsLeftOut) {
  Node node{{Geforce(0, "NVIDIA GeForce RTX 3090", 24576), Geforce(1, "NVIDIA GeForce RTX 3060", 12288),
             Geforce(2, "NVIDIA GeForce RTX 3060", 12288)},
            "gpus: [{minor: 0, mode: shared}]\ndefault: {mode: exclusive}"};
  node.taints = {{"GPU-1", {{"gpu.nvidia.com/xid", "79", "NoSchedule"}}}, {"GPU-2", {{"gpu.nvidia.com/xid", "13", "None"}}}};
  const Offer offer = node.Make();
  const Reduced no_sharing = Reduce(offer.slices.root(), {.sharing = false, .taints = true});
  EXPECT_THAT(Names(no_sharing.slices.root()), ElementsAre("gpu-1", "gpu-2"));
  EXPECT_EQ(no_sharing.shared, 1u);
  const Reduced no_taints = Reduce(offer.slices.root(), {.sharing = true, .taints = false});
  EXPECT_THAT(Names(no_taints.slices.root()), ElementsAre("gpu-0", "gpu-2"));
  EXPECT_EQ(no_taints.tainted, 1u);
  EXPECT_TRUE(no_taints.slices.root().Items()[0].Items()[1]["taints"].IsNull());
  const Offer shared = Node{{Geforce(0, "NVIDIA GeForce RTX 3090", 24576)}, ""}.Make();
  ExpectJson(Reduce(shared.slices.root(), {.sharing = false}).slices.root(), "[[]]");
}

TEST(Offer, OurOwnReaderUnderstandsIt) {
  const Offer offer = Node{{Geforce(0, "NVIDIA GeForce RTX 3090", 24576)}, ""}.Make();
  const std::string slice =
      StrCat(R"({"metadata":{"name":"s"},"spec":{"driver":"gpu.nvidia.com","nodeName":"n1","pool":{"name":"n1",)",
             R"("generation":1,"resourceSliceCount":1},"devices":)", json::Write(offer.slices.root().Items()[0]), "}}");
  const auto document = json::Parse(slice);
  ASSERT_OK(document);
  const auto read = model::ResourceSlice::Read(document->root());
  ASSERT_OK(read);
  EXPECT_EQ(read->devices[0].capacity[0].policy->step->ToString(), "1Mi");
  EXPECT_EQ(read->devices[0].capacity[0].value.Value(), int64_t{24576} << 20);
}

}  // namespace
}  // namespace allot::node::nvidia

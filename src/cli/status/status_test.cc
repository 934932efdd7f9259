#include "base/test_util.h"
#include "cli/fake_cluster.h"
#include "cli/status/screen.h"
#include "json/json.h"

namespace allot::cli {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

std::string StatusOf(FakeCluster& cluster, std::vector<std::string> words = {"status"}) {
  const FakeApi::Outcome outcome = cluster.Run(std::move(words));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return outcome.out;
}

std::string PendingPod(std::string_view spec, std::string_view status) {
  return StrCat(R"({"metadata":{"name":"late","namespace":"lab","uid":"u1","creationTimestamp":"2020-01-01T00:00:00Z"},"spec":{)", spec,
                R"(},"status":{"phase":"Pending",)", status, "}}");
}

TEST(Status, EachDeviceHasALineAndEachHolderOneBelow) {
  FakeCluster cluster = HealthyCluster();
  const std::string text = StatusOf(cluster);
  EXPECT_THAT(text, HasSubstr("n1/gpu-0  RTX 3090, healthy\n  ##########=====.....  18432 of 24576 MiB used, 6144 free\n"));
  EXPECT_THAT(text, HasSubstr("    # 12288 MiB  lab/train  claim c1  "));
  EXPECT_THAT(text, HasSubstr("    =  6144 MiB  lab/eval   claim c2  "));
  EXPECT_THAT(text, HasSubstr("n2/gpu-0  RTX 3090, healthy\n  ....................  0 of 24576 MiB used, 24576 free\n"));
}

TEST(Status, LinesFitEightyColumns) {
  FakeCluster cluster = HealthyCluster();
  cluster.pending =
      PendingPod(R"("resourceClaims":[{"name":"gpu","resourceClaimName":"c1"}])",
                 StrCat(R"("conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable","message":")",
                        "0/2 nodes are available: 2 cannot allocate all claims. still not schedulable, preemption: 0/2", R"("}])"));
  const std::string text = StatusOf(cluster);
  for (const std::string_view line : Split(text, '\n')) EXPECT_LE(line.size(), 80u) << line;
}

TEST(Status, ANarrowTerminalKeepsAmountsWithTheirUnits) {
  view::Overview overview;
  view::Device device;
  device.node = "workstation", device.name = "gpu-0", device.product = "NVIDIA GeForce RTX 3090", device.shared = true;
  device.mib = 24576, device.used = 18432;
  device.holders = {{12288, "lab", "train-gpu", {"train"}, ""}, {6144, "lab", "c", {"eval-of-the-last-model"}, ""}};
  overview.devices.push_back(device);
  view::WaitingPod late;
  late.namespace_name = "lab", late.name = "late";
  late.asks = {{view::Ask::Source::kRequest, {{"gpu.nvidia.com", 1, false, 20480}}}};
  overview.waiting.push_back({late, view::Brief{false, {.kind = view::Headline::Kind::kTooLittle, .asked = 20480, .most = 6144}}});
  EXPECT_EQ(StatusText(overview, {40, false, false}, {}), R"(workstation/gpu-0  NVIDIA GeForce RTX
          3090, healthy
  ##########=====.....
  18432 of 24576 MiB used, 6144 free
    # 12288 MiB  lab/train
        claim train-gpu  <unknown>
    =  6144 MiB  lab/eval-of-the-last-model
        claim c  <unknown>

Waiting:
  lab/late, for <unknown>: asks for 1 x
      gpu.nvidia.com, 20480 MiB
    no GPU has 20480 MiB free (the most
      is 6144)
  why, and what would help: allot
    explain pod/late -n lab
)");
}

TEST(Status, AWideTerminalHasADeviceInOneLine) {
  view::Overview overview;
  view::Device device;
  device.node = "n1", device.name = "gpu-0", device.product = "RTX 3090", device.mib = 1024, device.used = 0, device.shared = true;
  overview.devices.push_back(device);
  EXPECT_EQ(StatusText(overview, {120, false, false}, {}),
            "n1/gpu-0  RTX 3090  ....................  0 of 1024 MiB used, 1024 free  healthy\n");
}

TEST(Status, BarsShowEachHolderAndNeverGrow) {
  view::Device device;
  device.mib = 1000, device.used = 501, device.holders = {{1, "", "", {}, ""}, {500, "", "", {}, ""}};
  EXPECT_EQ(Bar(device, {80, false, false}), "#=========..........");
  EXPECT_EQ(Bar(device, {80, true, false}), "█▓▓▓▓▓▓▓▓▓░░░░░░░░░░");
  EXPECT_THAT(Bar(device, {80, true, true}), HasSubstr("\x1b[32m█\x1b[0m\x1b[36m▓"));
  device.holders = {{900, "", "", {}, ""}, {900, "", "", {}, ""}}, device.used = 1800;
  EXPECT_EQ(Bar(device, {80, false, false}), "##########==========");
  device.used.reset();
  EXPECT_EQ(Bar(device, {80, false, false}), "????????????????????");
}

TEST(Status, SeveralPodsOfAClaimAndNobodyAreNamed) {
  FakeCluster cluster = HealthyCluster();
  cluster.claims = StrCat(FakeClaim("both", "gpu-0", "1Gi", "a,b"), ",", FakeClaim("left", "gpu-0", "1Gi", ""));
  EXPECT_THAT(StatusOf(cluster), AllOf(HasSubstr("1024 MiB  lab/a, b"), HasSubstr("1024 MiB  no Pod (claim lab/left)")));
}

TEST(Status, TaintsAreSaidInWords) {
  FakeCluster cluster = HealthyCluster();
  cluster.claims = "";
  const auto tainted = [](std::string_view name, std::string_view taint) {
    return FakeGpu(name, StrCat(R"("allowMultipleAllocations":true,"taints":[{"key":"gpu.nvidia.com/)", taint, R"("}])"));
  };
  cluster.slices = FakeSlice(
      "n1", StrCat(tainted("gpu-0", R"(xid","value":"48","effect":"NoSchedule)"), ",",
                   tainted("gpu-1", R"(gpu-lost","effect":"NoSchedule)"), ",", tainted("gpu-2", R"(cordoned","effect":"NoSchedule)"), ",",
                   tainted("gpu-3", R"(unmonitored","effect":"None)"), ",", FakeGpu("gpu-10", "")));
  const std::string text = StatusOf(cluster);
  EXPECT_THAT(text, AllOf(HasSubstr("n1/gpu-0   RTX 3090, error XID 48\n"), HasSubstr("RTX 3090, does not answer (gpu-lost)\n"),
                          HasSubstr("n1/gpu-2   RTX 3090, cordoned\n"), HasSubstr("RTX 3090, not watched for errors, healthy\n"),
                          HasSubstr("n1/gpu-10  RTX 3090, healthy, exclusive\n"), HasSubstr("24576 left, but tainted\n")));
  EXPECT_LT(text.find("gpu-3"), text.find("gpu-10"));
}

TEST(Status, AHeldExclusiveDeviceIsUsedAsAWhole) {
  FakeCluster cluster = HealthyCluster();
  cluster.slices = FakeSlice("n1", FakeGpu("gpu-0", ""));
  cluster.claims =
      R"({"metadata":{"name":"c","namespace":"lab","uid":"u"},"status":{"allocation":{"devices":{"results":[{"driver":"gpu.nvidia.com",
    "pool":"n1","device":"gpu-0"}]}}}})";
  EXPECT_THAT(StatusOf(cluster), HasSubstr("24576 of 24576 MiB used, 0 free"));
}

TEST(Status, OvercommitmentIsSaidLoudly) {
  FakeCluster cluster = HealthyCluster();
  cluster.claims += StrCat(",", FakeClaim("c3", "gpu-0", "12Gi", "x"));
  EXPECT_THAT(StatusOf(cluster), AllOf(HasSubstr("OVER-COMMITTED: n1/gpu-0 has 24576 MiB, and its claims hold 30720 MiB\n"),
                                       HasSubstr("RTX 3090, OVER-COMMITTED by 6144 MiB"), HasSubstr("30720 of 24576 MiB used, 0 free")));
}

TEST(Status, AnIncompletePoolHasNothingFree) {
  FakeCluster cluster = HealthyCluster();
  cluster.slices = FakeSlice("n1", FakeGpu("gpu-0"), 2);
  EXPECT_THAT(StatusOf(cluster), AllOf(HasSubstr("pool incomplete: 1 of 2 slices"), Not(HasSubstr("free"))));
}

TEST(Status, ADeviceThatIsGoneIsListedWithItsHolders) {
  FakeCluster cluster = HealthyCluster();
  cluster.slices = FakeSlice("n2", FakeGpu("gpu-0"));
  EXPECT_THAT(StatusOf(cluster), AllOf(HasSubstr("n1/gpu-0  gpu.nvidia.com, GONE: no slice offers it any more\n"), HasSubstr("lab/train")));
}

TEST(Status, NothingIsCalledFreeWhereClaimsAreNotSeen) {
  FakeCluster cluster = HealthyCluster();
  cluster.forbidden = "/resourceclaims";
  const std::string text = StatusOf(cluster);
  EXPECT_THAT(text, AllOf(HasSubstr("24576 MiB, what is used cannot be seen"), HasSubstr("Not seen:\n  claims"),
                          HasSubstr("because you may not list them"), Not(HasSubstr(" free\n"))));
  const std::string json = StatusOf(cluster, {"status", "-o", "json"});
  EXPECT_THAT(json, AllOf(Not(HasSubstr("freeMiB")), Not(HasSubstr("usedMiB")), HasSubstr("\"notSeen\"")));
}

TEST(Status, WhatIsHeldIsShownWhereSlicesAreNotSeen) {
  FakeCluster cluster = HealthyCluster();
  cluster.forbidden = "/resourceslices";
  EXPECT_THAT(StatusOf(cluster), AllOf(HasSubstr("18432 MiB used, its size cannot be seen"), HasSubstr("lab/train"),
                                       HasSubstr("slices, because you may not list them"), Not(HasSubstr("GONE"))));
}

TEST(Status, WhoMaySeeNothingGetsAnError) {
  FakeCluster cluster = HealthyCluster();
  cluster.forbidden = "/resource";
  const FakeApi::Outcome outcome = cluster.Run({"status"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("Error from server (Forbidden)"));
}

TEST(Status, AnEmptyClusterSaysWhatIsMissing) {
  FakeCluster cluster;
  FakeApi::Outcome outcome = cluster.Run({"status"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err, "No GPUs found: no driver offers devices: there are no ResourceSlices. `allot doctor` says what to do.\n");
  cluster.slices = R"({"metadata":{"name":"s"},"spec":{"driver":"nic.example","nodeName":"n1","pool":{"name":"n1","generation":1,
    "resourceSliceCount":1},"devices":[{"name":"eth"}]}})";
  EXPECT_THAT(cluster.Run({"status"}).err, HasSubstr("there are devices of nic.example, but none with memory"));
  cluster.has_resource_api = false;
  outcome = cluster.Run({"status"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("does not serve resource.k8s.io/v1"));
}

TEST(Status, ThoseThatWaitAreInTheOrderOfTheQueue) {
  FakeCluster cluster = HealthyCluster();
  const auto pod = [](std::string_view name, std::string_view uid, int priority) {
    return StrCat(R"({"metadata":{"name":")", name, R"(","namespace":"lab","uid":")", uid,
                  R"(","creationTimestamp":"2020-01-01T00:00:00Z"},"spec":{"priority":)", priority,
                  R"(,"resourceClaims":[{"name":"gpu","resourceClaimName":"c2"}]},"status":{"phase":"Pending"}})");
  };
  cluster.pending = StrCat(pod("a", "019a7c5e-0003-7001-8000-000000000001", 0), ",", pod("b", "019a7c5e-0002-7001-8000-000000000002", 0),
                           ",", pod("c", "019a7c5e-0004-7001-8000-000000000003", 9));
  const std::string text = StatusOf(cluster);
  EXPECT_LT(text.find("lab/c, for"), text.find("lab/b, for"));
  EXPECT_LT(text.find("lab/b, for"), text.find("lab/a, for"));
}

TEST(Status, APodThatWaitsSaysWhatItAsksForAndWhy) {
  FakeCluster cluster = HealthyCluster();
  const std::string unschedulable =
      R"("conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable","message":"no room"}])";
  cluster.pending = PendingPod(R"("resourceClaims":[{"name":"gpu","resourceClaimName":"c2"}])", unschedulable);
  EXPECT_THAT(StatusOf(cluster), HasSubstr(": asks for 1 x gpu.nvidia.com, 6144 MiB\n    Unschedulable: no room\n"));
  cluster.pending = PendingPod(R"("resourceClaims":[{"name":"gpu","resourceClaimTemplateName":"t"}])", unschedulable);
  EXPECT_THAT(StatusOf(cluster), AllOf(HasSubstr("asks for claim template t, which does not exist\n"),
                                       HasSubstr("    template t does not exist in namespace lab: make it, or correct the name\n")));
  cluster.pending = PendingPod(R"("containers":[{"resources":{"limits":{"nvidia.com/gpu":"2"}}}])", unschedulable);
  EXPECT_THAT(StatusOf(cluster), HasSubstr("asks for 2 x gpu.nvidia.com (nvidia.com/gpu)"));
  // What runs one after the other shares.
  cluster.pending = PendingPod(R"("initContainers":[{"resources":{"limits":{"nvidia.com/gpu":"2"}}}],
    "containers":[{"resources":{"limits":{"nvidia.com/gpu":"1k"}}}])",
                               unschedulable);
  EXPECT_THAT(StatusOf(cluster), HasSubstr("asks for 1000 x gpu.nvidia.com (nvidia.com/gpu)"));
  // The class stands for it no more, but did when its claim was made.
  cluster.pending = PendingPod(R"("containers":[{"resources":{"limits":{"example.com/gpu":"2"}}}])",
                               StrCat(R"("extendedResourceClaimStatus":{"resourceClaimName":"c2","requestMappings":[{"resourceName":)",
                                      R"("example.com/gpu"}]},)", unschedulable));
  EXPECT_THAT(StatusOf(cluster), HasSubstr("asks for 2 x example.com/gpu\n"));
  cluster.pending = PendingPod(R"("containers":[{"resources":{"limits":{"cpu":"2"}}}])", unschedulable);
  EXPECT_THAT(StatusOf(cluster), Not(HasSubstr("Waiting:")));
}

TEST(Status, APodThatWaitsSaysInShortWhatExplainSaysFirst) {
  FakeCluster cluster = HealthyCluster();
  const auto said = [](std::string_view message) {
    return StrCat(R"("conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable","message":")", message, R"("}])");
  };
  const auto gpus = [](int count) {
    std::string requests;
    for (int i = 0; i < count; ++i) {
      requests += StrCat(i > 0 ? "," : "", R"({"name":"gpu-)", i, R"(","exactly":{"deviceClassName":"gpu.nvidia.com","allocationMode":)",
                         R"("ExactCount","count":1,"capacity":{"requests":{"memory":"30Gi"}}}})");
    }
    return StrCat(R"(,{"metadata":{"name":"new","namespace":"lab","uid":"c9"},"spec":{"devices":{"requests":[)", requests, "]}}}");
  };
  const std::string claims = cluster.claims;
  cluster.pending = PendingPod(R"("resourceClaims":[{"name":"gpu","resourceClaimName":"new"}])", said("something long"));
  cluster.claims = claims + gpus(1);
  EXPECT_THAT(StatusOf(cluster),
              AllOf(HasSubstr(": asks for 1 x gpu.nvidia.com, 30720 MiB\n    can never start here: it asks for 30720 MiB of "
                              "one GPU, and the largest has\n      24576 MiB\n"),
                    HasSubstr("allot explain pod/late -n lab\n"), Not(HasSubstr("something long"))));
  cluster.claims = claims + gpus(2);
  EXPECT_THAT(StatusOf(cluster), HasSubstr(": asks for 2 x gpu.nvidia.com, 30720 MiB each\n"));
  cluster.pending =
      PendingPod(R"("resourceClaims":[{"name":"gpu","resourceClaimName":"c2"}])",
                 said("0/2 nodes fit: n2: is cordoned (unschedulable); n1: has room, but is kept for lab/a, which is ahead of it"));
  EXPECT_THAT(StatusOf(cluster), HasSubstr("n1: has room,\n      but is kept for lab/a, which is ahead of it\n"));
}

TEST(Status, APodWhoseDevicesAreNotPreparedIsShownWithTheNewestEvent) {
  FakeCluster cluster = HealthyCluster();
  cluster.pending = PendingPod(R"("nodeName":"n1","resourceClaims":[{"name":"gpu","resourceClaimName":"c2"}])", R"("conditions":[])");
  EXPECT_THAT(StatusOf(cluster), Not(HasSubstr("Placed")));  // it is just being started
  const auto event = [](std::string_view time, std::string_view message) {
    return StrCat(R"({"reason":"FailedPrepareDynamicResources","involvedObject":{"uid":"u1"},"lastTimestamp":")", time, R"(","message":")",
                  message, R"("})");
  };
  cluster.events = StrCat(event("2020-01-02T00:00:00Z", "the new one"), ",", event("2020-01-01T00:00:00Z", "the old one"));
  EXPECT_THAT(StatusOf(cluster), AllOf(HasSubstr("Placed, but their devices are not ready:\n  lab/late on n1"), HasSubstr("the new one"),
                                       Not(HasSubstr("the old one"))));
  EXPECT_THAT(cluster.requests, Contains(HasSubstr("reason%3DFailedPrepareDynamicResources")));
}

TEST(Status, APreparationThatFailedIsNotTakenForALackOfCdiDevices) {
  FakeCluster cluster = HealthyCluster();
  cluster.pending = PendingPod(R"("nodeName":"n1","resourceClaims":[{"name":"gpu","resourceClaimName":"c2"}])", R"("conditions":[])");
  cluster.events = R"({"reason":"FailedPrepareDynamicResources","involvedObject":{"uid":"u1"},
    "message":"claim lab/c2 has a CDI spec on this node and is not in its journal"})";
  EXPECT_THAT(StatusOf(cluster, {"status", "-o", "json"}), AllOf(HasSubstr("NotPrepared"), Not(HasSubstr("NoCdiDevice"))));
}

TEST(Status, ReasonsFollowTheFeaturesOfTheServer) {
  FakeCluster cluster = HealthyCluster();
  StatusOf(cluster);
  EXPECT_THAT(cluster.requests, Not(Contains(HasSubstr("dryRun=All"))));  // no Pod waits
  cluster.pending = PendingPod(R"("resourceClaims":[{"name":"gpu","resourceClaimName":"c2"}])", R"("conditions":[])");
  StatusOf(cluster);
  EXPECT_THAT(cluster.requests, Contains(HasSubstr("/resourceslices?dryRun=All")));
}

TEST(Status, WhyThereAreNoDevicesHasAKindForPrograms) {
  FakeCluster cluster;
  EXPECT_THAT(StatusOf(cluster, {"status", "-o", "json"}), HasSubstr("\"kind\": \"NoSlices\""));
}

TEST(Status, ATextFromTheClusterCannotControlTheTerminal) {
  FakeCluster cluster = HealthyCluster();
  cluster.pending =
      PendingPod(R"("resourceClaims":[{"name":"gpu","resourceClaimName":"c2"}])",
                 R"("conditions":[{"type":"PodScheduled","status":"False","reason":"No","message":"red \u001b[31m alert\nand more"}])");
  EXPECT_THAT(StatusOf(cluster), AllOf(Not(HasSubstr("\x1b")), HasSubstr("No: red [31m alert and more\n")));
}

TEST(Status, ADeviceInOneLineCannotControlTheTerminal) {
  view::Overview overview;
  view::Device device;
  device.node = "n\x1b", device.name = "gpu", device.product = "R\x1b[31mTX\x7f\xc2\x9b", device.mib = 1, device.used = 2;
  device.overcommitted = true, device.taints = {{"k\a", "", "None"}}, device.holders = {{2, "lab\x1b", "c\x1b", {"p\x1b"}, ""}};
  overview.devices.push_back(device);
  for (const size_t width : {80, 200}) {
    const std::string text = StatusText(overview, {width, false, false}, {});
    EXPECT_THAT(text, AllOf(HasSubstr("R [31mTX"), Not(HasSubstr("\x1b")), Not(HasSubstr("\a")), Not(HasSubstr("\x7f")),
                            Not(HasSubstr("\xc2\x9b"))));
  }
}

TEST(Status, AnOldEventOfAPodThatIsPreparedIsLeftOut) {
  FakeCluster cluster = HealthyCluster();
  cluster.pending = PendingPod(R"("nodeName":"n1","resourceClaims":[{"name":"gpu","resourceClaimName":"c2"}])",
                               R"("conditions":[{"type":"PodReadyToStartContainers","status":"True"}])");
  cluster.events = R"({"reason":"FailedPrepareDynamicResources","involvedObject":{"uid":"u1"},"message":"no luck"})";
  EXPECT_THAT(StatusOf(cluster), Not(HasSubstr("Placed")));
}

TEST(Status, NodesCanBeNamed) {
  FakeCluster cluster = HealthyCluster();
  const std::string text = StatusOf(cluster, {"status", "n2"});
  EXPECT_THAT(text, AllOf(HasSubstr("n2/gpu-0"), Not(HasSubstr("n1/gpu-0"))));
  const FakeApi::Outcome outcome = cluster.Run({"status", "n9"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("node \"n9\" has no devices with memory"));
}

TEST(Status, TheShellOffersNodesThatAreNotWrittenYet) {
  const FakeCluster cluster = HealthyCluster();
  FakeApi api([&](const http::Request& request) { return cluster.Answer(request); });
  const std::string config = StrCat("--kubeconfig=", api.config());
  const std::vector<std::string_view> words = {"__complete", "--", "status", config, "n1", ""};
  testing::internal::CaptureStdout();
  EXPECT_EQ(RunProgram(words), 0);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "n2\n");
}

TEST(Status, JsonHasTheSameFacts) {
  FakeCluster cluster = HealthyCluster();
  ASSERT_OK_AND_ASSIGN(const json::Document document, json::Parse(StatusOf(cluster, {"status", "-o", "json"})));
  const json::Value& device = document.root()["devices"].Items()[0];
  EXPECT_EQ(json::Write(device["name"]), R"("n1/gpu-0")");
  EXPECT_EQ(json::Write(device["memoryMiB"]), "24576");
  EXPECT_EQ(json::Write(device["usedMiB"]), "18432");
  EXPECT_EQ(json::Write(device["freeMiB"]), "6144");
  EXPECT_EQ(json::Write(device["state"]), R"(["healthy"])");
  EXPECT_EQ(json::Write(device["holders"].Items()[1]["pods"]), R"(["eval"])");
  EXPECT_THAT(StatusOf(cluster, {"status", "-o", "yaml"}), HasSubstr("    memoryMiB: 12288\n"));
}

}  // namespace
}  // namespace allot::cli

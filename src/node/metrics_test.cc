#include "node/metrics.h"

#include "base/test_util.h"

namespace allot::node {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(Metrics, CallsAreCountedByTimeAndOutcome) {
  CallMetrics calls;
  for (const auto took : {std::chrono::milliseconds(2), std::chrono::milliseconds(300)}) {
    calls.Begin(CallMetrics::kPrepare);
    calls.End(CallMetrics::kPrepare, took, Status());
  }
  calls.Begin(CallMetrics::kPrepare);
  calls.End(CallMetrics::kPrepare, std::chrono::seconds(1), Unavailable("no"));
  calls.Begin(CallMetrics::kUnprepare);
  std::string text;
  calls.AppendTo(text);
  const std::string prepare = R"({driver="gpu.nvidia.com",operation="PrepareResourceClaims")";
  EXPECT_THAT(text, AllOf(HasSubstr(StrCat("nvidia_dra_requests_total", prepare, "} 3\n")),
                          HasSubstr(StrCat("duration_seconds_bucket", prepare, R"(,le="0.001"} 0)")),
                          HasSubstr(StrCat("duration_seconds_bucket", prepare, R"(,le="0.0025"} 1)")),
                          HasSubstr(StrCat("duration_seconds_bucket", prepare, R"(,le="+Inf"} 2)")),
                          HasSubstr(StrCat("duration_seconds_count", prepare, "} 2\n")),
                          HasSubstr(R"(node_prepare_errors_total{driver="gpu.nvidia.com",error_type="prepare_devices"} 1)"),
                          HasSubstr(R"(requests_inflight{driver="gpu.nvidia.com",operation="UnprepareResourceClaims"} 1)")));
}

TEST(Metrics, ClaimsShowWhatTheyMayUseAndWhatTheyUse) {
  device::Gpu gpu;
  gpu.uuid = "GPU-a";
  gpu.product_name = "NVIDIA \"X\"";
  gpu.memory_mib = 1024;
  Holding holding{"u", "lab", "train", {}};
  HeldShare share;
  share.device = "gpu-0";
  share.uuid = share.parent = "GPU-a";
  share.memory_mib = 256;
  holding.shares = {share, share};
  Holdings holdings;
  holdings["u"] = std::make_shared<const Holding>(holding);
  const std::map<std::string, int64_t> used = {{"GPU-a", 100}};
  const std::map<std::string, ClaimUse, std::less<>> claims = {{"u", {{"pod-1"}, {{"GPU-a", 50}}}}};
  const std::vector<device::Gpu> gpus = {gpu};
  std::string text;
  AppendGpuMetrics({gpus, holdings, used, claims, {{"GPU-a", true}}, "n1"}, text);
  const std::string labels = R"({node="n1",device="gpu-0",uuid="GPU-a")";
  EXPECT_THAT(
      text, AllOf(HasSubstr(StrCat("allot_gpu_memory_bytes", labels, R"(,model="NVIDIA \"X\""} 1073741824)")),
                  HasSubstr(StrCat("allot_gpu_memory_used_bytes", labels, "} 104857600\n")),
                  HasSubstr(StrCat("allot_claim_memory_granted_bytes", labels, R"(,namespace="lab",claim="train",pod="pod-1"} 536870912)")),
                  HasSubstr(StrCat("allot_claim_memory_used_bytes", labels, R"(,namespace="lab",claim="train",pod="pod-1"} 52428800)")),
                  HasSubstr(R"(prepared_devices{node="n1",driver="gpu.nvidia.com",device_type="gpu"} 2)")));
}

}  // namespace
}  // namespace allot::node

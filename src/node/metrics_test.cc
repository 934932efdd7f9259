#include "node/metrics.h"

#include "base/test_util.h"

namespace allot::node {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(Metrics, CallsAreCountedByTimeAndOutcome) {
  CallMetrics calls("gpu.nvidia.com", "nvidia_dra_");
  for (const auto took : {std::chrono::milliseconds(2), std::chrono::milliseconds(300)}) {
    calls.Begin(CallMetrics::kPrepare);
    calls.End(CallMetrics::kPrepare, took, Status());
  }
  calls.Begin(CallMetrics::kPrepare);
  calls.End(CallMetrics::kPrepare, std::chrono::seconds(1), Unavailable("no"));
  calls.Begin(CallMetrics::kUnprepare);
  MetricsText page;
  calls.AddTo(page);
  const std::string text = page.ToString();
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
  Holding holding{"u", "lab", "train", {}};
  Share share;
  share.device = "gpu-0";
  share.uuid = share.parent = "GPU-a";
  share.memory_mib = 256;
  holding.shares = {share, share};
  Holdings holdings;
  holdings["u"] = std::make_shared<const Holding>(holding);
  const std::map<std::string, int64_t> used = {{"GPU-a", 100}};
  const std::map<std::string, ClaimUse, std::less<>> claims = {{"u", {{"pod-1"}, {{"GPU-a", 50}}}}};
  const std::vector<DeviceReport> devices = {{"GPU-a", "gpu-0", "NVIDIA \"X\"", 1024, DeviceReport::Health::kHealthy, ""}};
  MetricsText page;
  AddDeviceMetrics({"gpu.nvidia.com", {"nvidia_dra_", "gpu", "mig"}, devices, holdings, used, claims, "n1"}, page);
  const std::string text = page.ToString();
  const std::string labels = R"({driver="gpu.nvidia.com",node="n1",device="gpu-0",uuid="GPU-a")";
  EXPECT_THAT(
      text, AllOf(HasSubstr(StrCat("allot_gpu_memory_bytes", labels, R"(,model="NVIDIA \"X\""} 1073741824)")),
                  HasSubstr(StrCat("allot_gpu_memory_used_bytes", labels, "} 104857600\n")),
                  HasSubstr(StrCat("allot_claim_memory_granted_bytes", labels, R"(,namespace="lab",claim="train",pod="pod-1"} 536870912)")),
                  HasSubstr(StrCat("allot_claim_memory_used_bytes", labels, R"(,namespace="lab",claim="train",pod="pod-1"} 52428800)")),
                  HasSubstr(StrCat("allot_gpu_healthy", labels, "} 1\n")),
                  HasSubstr(R"(prepared_devices{node="n1",driver="gpu.nvidia.com",device_type="gpu"} 2)")));
}

TEST(Metrics, SamplesOfTwoDriversStandTogether) {
  MetricsText page;
  for (const std::string driver : {"a.example.com", "b.example.com"}) CallMetrics(driver, "allot_dra_").AddTo(page);
  const std::string text = page.ToString();
  const std::string header = "# TYPE allot_dra_requests_inflight gauge\n";
  const size_t at = text.find(header);
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(text.find(header, at + 1), std::string::npos);
  const std::string samples = text.substr(at + header.size(), text.find("# HELP", at) - at - header.size());
  EXPECT_EQ(std::count(samples.begin(), samples.end(), '\n'), 4);
  EXPECT_THAT(samples, AllOf(HasSubstr("a.example.com"), HasSubstr("b.example.com")));
}

}  // namespace
}  // namespace allot::node

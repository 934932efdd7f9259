#include "node/nvidia/gpu_config.h"

#include "base/test_util.h"
#include "json/json.h"
#include "node/nvidia/devices.h"

namespace allot::node::nvidia {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::vector<std::string> kUuids = {"GPU-a"};

class GpuConfigTest : public testing::Test {
 protected:
  // The settings of request "gpu/large" of GPU-a, with these entries of `config`.
  Result<Sharing> Read(const std::string& entries, bool is_mig = false) {
    document_ =
        *json::Parse(StrCat(R"({"devices":{"results":[{"request":"gpu/large","driver":"gpu.nvidia.com","pool":"n","device":"gpu-0"}],
                                     "config":[)",
                            entries, "]}}"));
    ASSIGN_OR_RETURN(const model::Allocation allocation, model::Allocation::Read(document_.root()));
    return SharingOf(allocation, kDriver, allocation.results[0], is_mig, "GPU-a", kUuids);
  }
  static std::string Entry(std::string_view sharing, std::string_view requests = "", std::string_view kind = "GpuConfig",
                           std::string_view driver = "gpu.nvidia.com") {
    return StrCat(R"({"source":"FromClaim","requests":[)", requests, R"(],"opaque":{"driver":")", driver,
                  R"(","parameters":{"apiVersion":"resource.nvidia.com/v1beta1","kind":")", kind, R"(","sharing":)", sharing, "}}}");
  }

  json::Document document_;
};

TEST_F(GpuConfigTest, NothingAskedForIsNothingTouched) {
  EXPECT_THAT(Read(""), IsOkAndHolds(Sharing()));
  EXPECT_THAT(Read(Entry("null")), IsOkAndHolds(Sharing()));
  EXPECT_THAT(Read(Entry(R"({"strategy":"MPS"})", "", "GpuConfig", "other.example")), IsOkAndHolds(Sharing()));
}

TEST_F(GpuConfigTest, TimeSlicesHaveAnInterval) {
  EXPECT_THAT(Read(Entry(R"({"strategy":"TimeSlicing"})")), IsOkAndHolds(Sharing{"TimeSlicing", "Default", 0, 0}));
  EXPECT_THAT(Read(Entry(R"({"strategy":"TimeSlicing","timeSlicingConfig":{}})")), IsOkAndHolds(Sharing{"TimeSlicing", "Default", 0, 0}));
  EXPECT_THAT(Read(Entry(R"({"strategy":"TimeSlicing","timeSlicingConfig":{"interval":"Long"}})")),
              IsOkAndHolds(Sharing{"TimeSlicing", "Long", 0, 0}));
}

TEST_F(GpuConfigTest, MpsHasLimits) {
  EXPECT_THAT(Read(Entry(R"({"strategy":"MPS"})")), IsOkAndHolds(Sharing{"MPS", "", 0, 0}));
  const std::string_view common =
      R"({"strategy":"MPS","mpsConfig":{"defaultActiveThreadPercentage":30,"defaultPinnedDeviceMemoryLimit":"1Gi")";
  EXPECT_THAT(Read(Entry(StrCat(common, "}}"))), IsOkAndHolds(Sharing{"MPS", "", 30, 1024}));
  for (const std::string_view key : {"0", "GPU-a"}) {
    EXPECT_THAT(Read(Entry(StrCat(common, R"(,"defaultPerDevicePinnedMemoryLimit":{")", key, R"(":"512Mi"}}})"))),
                IsOkAndHolds(Sharing{"MPS", "", 30, 512}));
  }
}

TEST_F(GpuConfigTest, LastEntryThatIsMeantWins) {
  const std::string first = Entry(R"({"strategy":"MPS"})"), second = Entry(R"({"strategy":"TimeSlicing"})", R"("gpu")");
  EXPECT_EQ(Read(first + "," + second)->strategy, "TimeSlicing");
  EXPECT_EQ(Read(second + "," + first)->strategy, "MPS");
  EXPECT_EQ(Read(first + "," + Entry(R"({"strategy":"TimeSlicing"})", R"("other")"))->strategy, "MPS");
  EXPECT_EQ(Read(first + "," + Entry(R"({"strategy":"TimeSlicing"})", R"("gpu/large")"))->strategy, "TimeSlicing");
  EXPECT_EQ(Read(first + "," + Entry(R"({"strategy":"TimeSlicing"})", "", "MigDeviceConfig"))->strategy, "MPS");
}

TEST_F(GpuConfigTest, MistakesNameTheirPlace) {
  const auto refused = [&](const std::string& entry, std::string_view place, std::string_view why) {
    EXPECT_THAT(Read(entry), IsStatus(Code::kInvalid, AllOf(HasSubstr("status.allocation.devices.config[0].opaque.parameters"),
                                                            HasSubstr(std::string(place)), HasSubstr(std::string(why)))));
  };
  refused(Entry(R"({"strategy":"Magic"})"), "sharing.strategy", "expected one of TimeSlicing, MPS, not \"Magic\"");
  refused(Entry(R"({"stragety":"MPS"})"), "sharing.stragety", "is not a known field");
  refused(Entry("{}"), "sharing.strategy", "is missing");
  refused(Entry(R"({"strategy":"TimeSlicing","timeSlicingConfig":{"interval":"Forever"}})"), "interval", "Default, Short, Medium, Long");
  refused(Entry(R"({"strategy":"MPS","timeSlicingConfig":{}})"), "timeSlicingConfig", "belongs to the strategy TimeSlicing");
  refused(Entry(R"({"strategy":"MPS","mpsConfig":{"defaultActiveThreadPercentage":101}})"), "defaultActiveThreadPercentage", "0 to 100");
  refused(Entry(R"({"strategy":"MPS","mpsConfig":{"defaultPinnedDeviceMemoryLimit":"1Ki"}})"), "Limit", "at least 1Mi");
  refused(Entry(R"({"strategy":"MPS","mpsConfig":{"defaultPerDevicePinnedMemoryLimit":{"7":"1Gi"}}})"), "7", "neither the UUID");
  refused(Entry("null", "", "VfioDeviceConfig"), ".kind", "expected GpuConfig or MigDeviceConfig, not \"VfioDeviceConfig\"");
  refused(Entry("null", R"("gpu")", "MigDeviceConfig"), ".kind", "MigDeviceConfig is for MIG devices, but request \"gpu/large\" got gpu-0");
}

}  // namespace
}  // namespace allot::node::nvidia

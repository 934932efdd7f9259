#include "model/memory.h"

#include <gtest/gtest.h>

#include "base/test_util.h"
#include "json/json.h"

namespace allot::model {
namespace {

Quantity Q(std::string_view text) { return *Quantity::Parse(text); }

TEST(MiB, AnOfferRoundsDownAndWhatIsTakenRoundsUp) {
  const struct {
    const char* amount;
    int64_t offered, taken;
  } cases[] = {{"0", 0, 0},
               {"1", 0, 1},
               {"1Mi", 1, 1},
               {"1048575", 0, 1},
               {"1048577", 1, 2},
               {"1048575500m", 0, 1},  // half a byte less than a MiB
               {"1048576500m", 1, 2},
               {"24Gi", 24576, 24576},
               {"25438126080", 24259, 24260},
               {"-1Gi", 0, 0}};
  for (const auto& one : cases) {
    EXPECT_EQ(MiB::Offered(Q(one.amount)), MiB(one.offered)) << one.amount;
    EXPECT_EQ(MiB::Taken(Q(one.amount)), MiB(one.taken)) << one.amount;
  }
  EXPECT_EQ(MiB::Offered(int64_t{25438126080}), MiB(24259));
  EXPECT_EQ(MiB::Taken(int64_t{25438126080}), MiB(24260));
}

TEST(MiB, AnAmountBeyondSixtyFourBitsIsTakenAsTheLargest) {
  EXPECT_GT(MiB::Taken(Q("99999999999999999999Gi")), MiB(int64_t{1} << 42));
  EXPECT_GT(MiB::Offered(Q("99999999999999999999Gi")), MiB(int64_t{1} << 42));
}

TEST(MiB, ExactlyRefusesAmountsThatAreNotWhole) {
  EXPECT_EQ(MiB::Exactly(Q("6Gi")), MiB(6144));
  EXPECT_EQ(MiB::Exactly(Q("6G")), std::nullopt);
  EXPECT_EQ(MiB::Exactly(Q("1048575999m")), std::nullopt);
}

TEST(MiB, ToQuantityAndBackIsTheSame) {
  EXPECT_EQ(MiB(6144).ToQuantity(), Q("6Gi"));
  EXPECT_EQ(MiB::Offered(MiB(6145).ToQuantity()), MiB(6145));
  EXPECT_EQ(MiB(6144).ToText(), "6144Mi");
  EXPECT_EQ(MiB(6144).ToString(), "6144 MiB");
  EXPECT_EQ(MiB(3) - MiB(5), MiB(-2));
}

TEST(Memory, IsTheDriversOwnCapacityElseTheFirstOfAnyDomain) {
  const struct {
    const char* capacity;
    std::string_view memory;
  } cases[] = {{R"({"memory":{"value":"1Gi"},"a.com/memory":{"value":"2Gi"},"shares":{"value":"3"}})", "memory"},
               {R"({"b.com/memory":{"value":"1Gi"},"a.com/memory":{"value":"2Gi"}})", "a.com/memory"},
               {R"({"memory-bandwidth":{"value":"1"},"gpumemory":{"value":"1"}})", ""}};
  for (const auto& one : cases) {
    ASSERT_OK_AND_ASSIGN(
        const json::Document document,
        json::Parse(StrCat(R"({"metadata":{"name":"s"},"spec":{"driver":"d","pool":{"name":"p","resourceSliceCount":1,"generation":1},)",
                           R"("nodeName":"n","devices":[{"name":"gpu-0","capacity":)", one.capacity, "}]}}")));
    ASSERT_OK_AND_ASSIGN(const ResourceSlice slice, ResourceSlice::Read(document.root()));
    const Capacity* const memory = MemoryOf(slice.devices[0]);
    EXPECT_EQ(memory == nullptr ? "" : memory->name.full, one.memory);
  }
}

TEST(Memory, AResultTakesItsAmountOrTheWholeDeviceOrNothingAsAdmin) {
  DeviceResult result;
  result.consumed_capacity = {{"gpu.nvidia.com/memory", Q("6000000")}, {"shares", Q("1")}};
  EXPECT_EQ(MemoryTaken(result), MiB(6));
  result.admin_access = true;
  EXPECT_EQ(MemoryTaken(result), MiB(0));
  EXPECT_EQ(MemoryTaken(result, MiB(24576)), MiB(0));
  EXPECT_EQ(MemoryTaken(DeviceResult()), std::nullopt);
  EXPECT_EQ(MemoryTaken(DeviceResult(), MiB(24576)), MiB(24576));
}

}  // namespace
}  // namespace allot::model

#include "device/nvidia/health.h"

#include "base/fake_clock.h"
#include "base/test_util.h"

namespace allot::device::nvidia {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;
using State = Health::State;

class HealthBookTest : public ::testing::Test {
 protected:
  Health Of(const std::string& uuid) { return book_.All(gpus_)[uuid]; }

  FakeClock clock_;
  std::vector<Gpu> gpus_ = {{.uuid = "GPU-a"},
                            {.uuid = "GPU-b",
                             .mig = {{.uuid = "MIG-1", .gpu_instance = 1, .compute_instance = 0},
                                     {.uuid = "MIG-2", .gpu_instance = 1, .compute_instance = 1},
                                     {.uuid = "MIG-3", .gpu_instance = 2, .compute_instance = 0}}}};
  HealthBook book_{HealthOptions{}, clock_};
};

TEST_F(HealthBookTest, IsHealthyUnlessSomethingHappens) {
  const std::map<std::string, Health> all = book_.All(gpus_);
  EXPECT_EQ(all.size(), 5U);
  for (const auto& [uuid, health] : all) EXPECT_EQ(health, Health{}) << uuid;
}

TEST_F(HealthBookTest, MakesADeviceWithACriticalErrorUnhealthy) {
  const WallTime now = clock_.Now();
  EXPECT_TRUE(book_.OnXid({"GPU-a"}, 79));
  clock_.Advance(seconds(1));
  const Health health = Of("GPU-a");
  EXPECT_EQ(health.state, State::kUnhealthy);
  EXPECT_EQ(health.key, "xid");
  EXPECT_EQ(health.value, "79");
  EXPECT_EQ(health.since, now);
  EXPECT_THAT(health.message, HasSubstr("fallen off the bus"));
  EXPECT_EQ(Of("GPU-b").state, State::kHealthy);
}

TEST_F(HealthBookTest, OnlyNotesTheErrorsOfPrograms) {
  for (const uint64_t xid : {13, 31, 43, 45, 68, 109}) {
    HealthBook book(HealthOptions{}, clock_);
    EXPECT_TRUE(book.OnXid({"GPU-a"}, xid));
    EXPECT_EQ(book.All(gpus_)["GPU-a"].state, State::kNoted) << xid;
    EXPECT_EQ(book.All(gpus_)["GPU-a"].value, StrCat(xid));
  }
}

TEST_F(HealthBookTest, TakesAnotherListOfTheErrorsOfPrograms) {
  HealthBook book(HealthOptions{.program_xids = {79}}, clock_);
  book.OnXid({"GPU-a"}, 79);
  book.OnXid({"GPU-b"}, 13);
  EXPECT_EQ(book.All(gpus_)["GPU-a"].state, State::kNoted);
  EXPECT_EQ(book.All(gpus_)["GPU-b"].state, State::kUnhealthy);
}

TEST_F(HealthBookTest, DoesNotLetAProgramsErrorHideTheDevices) {
  book_.OnXid({"GPU-a"}, 95);
  EXPECT_FALSE(book_.OnXid({"GPU-a"}, 13));
  EXPECT_EQ(Of("GPU-a").value, "95");
}

TEST_F(HealthBookTest, RecoversAfterTheSettleTimeIfItAnswers) {
  book_.OnXid({"GPU-a"}, 95);
  clock_.Advance(minutes(5) - seconds(1));
  book_.OnAnswer("GPU-a");
  EXPECT_EQ(Of("GPU-a").state, State::kUnhealthy);
  clock_.Advance(seconds(1));
  EXPECT_EQ(Of("GPU-a").state, State::kUnhealthy);  // no call asked the GPU
  book_.OnAnswer("GPU-b");
  EXPECT_EQ(Of("GPU-a").state, State::kUnhealthy);
  book_.OnAnswer("GPU-a");
  EXPECT_EQ(Of("GPU-a"), Health{});
}

TEST_F(HealthBookTest, CountsTheSettleTimeFromTheLastError) {
  EXPECT_TRUE(book_.OnXid({"GPU-a"}, 95));
  clock_.Advance(minutes(4));
  EXPECT_FALSE(book_.OnXid({"GPU-a"}, 95));  // not new, and the settle time begins again
  clock_.Advance(minutes(4));
  book_.OnAnswer("GPU-a");
  EXPECT_EQ(Of("GPU-a").state, State::kUnhealthy);
  clock_.Advance(minutes(1));
  book_.OnAnswer("GPU-a");
  EXPECT_EQ(Of("GPU-a").state, State::kHealthy);
}

TEST_F(HealthBookTest, TakesALostGpuThatIsBackForReset) {
  book_.OnXid({"GPU-a"}, 79);
  book_.OnLost("GPU-a", "GPU is lost");
  EXPECT_EQ(Of("GPU-a").key, "gpu-lost");
  EXPECT_TRUE(book_.IsLost("GPU-a"));
  book_.OnAnswer("GPU-a");
  EXPECT_EQ(Of("GPU-a"), Health{});
}

TEST_F(HealthBookTest, GivesWhatIsWrongWithAGpuToItsMigDevices) {
  book_.OnXid({"GPU-b"}, 95);
  for (const char* uuid : {"GPU-b", "MIG-1", "MIG-2", "MIG-3"}) EXPECT_EQ(Of(uuid).state, State::kUnhealthy) << uuid;
}

TEST_F(HealthBookTest, KeepsTheErrorOfAnInstanceToItself) {
  book_.OnXid({"GPU-b", 1}, 94);
  EXPECT_EQ(Of("GPU-b").state, State::kHealthy);
  EXPECT_EQ(Of("MIG-1").state, State::kUnhealthy);
  EXPECT_EQ(Of("MIG-2").state, State::kUnhealthy);
  EXPECT_EQ(Of("MIG-3").state, State::kHealthy);
  book_.OnXid({"GPU-b", 2, 0}, 94);
  EXPECT_EQ(Of("MIG-3").state, State::kUnhealthy);
}

TEST_F(HealthBookTest, NotesAGpuWhoseErrorsAreNotHeardOf) {
  book_.SetMonitored("GPU-a", "Not Supported");
  EXPECT_EQ(Of("GPU-a").state, State::kNoted);
  EXPECT_EQ(Of("GPU-a").key, "unmonitored");
  book_.OnXid({"GPU-a"}, 95);
  EXPECT_EQ(Of("GPU-a").key, "xid");
  book_.SetMonitored("GPU-b", "Not Supported");
  book_.SetMonitored("GPU-b", "");
  EXPECT_EQ(Of("GPU-b"), Health{});
}

TEST_F(HealthBookTest, ForgetsGpusThatAreGone) {
  book_.OnXid({"GPU-a"}, 95);
  book_.OnLost("GPU-a", "lost");
  book_.SetMonitored("GPU-a", "why");
  book_.KeepOnly({gpus_[1]});
  EXPECT_EQ(Of("GPU-a"), Health{});
}

}  // namespace
}  // namespace allot::device::nvidia

#include "device/nvidia/inventory.h"

#include <future>

#include "base/fake_clock.h"
#include "base/test_util.h"
#include "device/nvidia/fake_machine.h"

namespace allot::device::nvidia {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class InventoryTest : public ::testing::Test {
 protected:
  InventoryTest() { inventory_.Start(); }

  // Waits, with a deadline, until the snapshot is as wanted.
  template <typename Wanted>
  bool Becomes(Wanted wanted) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, seconds(20), [&] { return wanted(*inventory_.snapshot()); });
  }
  bool HasGpus(size_t count) {
    return Becomes([&](const Snapshot& now) { return now.status.ok() && now.gpus.size() == count; });
  }
  void OnChange() {
    const std::lock_guard lock(mutex_);
    ++changes_;
    changed_.notify_all();
  }

  FakeMachine machine_{"gpus: [{model: rtx3090, uuid: GPU-0, used: 1000}]"};
  const PosixFileSystem files_;
  FakeClock clock_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int changes_ = 0;
  Inventory inventory_{
      {.scan = {.driver_root = machine_.driver_root().path(), .sysfs = machine_.sysfs()}, .tick = milliseconds(5)}, files_, clock_, [this] {
        OnChange();
      }};
};

TEST_F(InventoryTest, ShowsTheGpusOnceItLooked) {
  ASSERT_TRUE(HasGpus(1));
  EXPECT_OK(inventory_.status());
  EXPECT_THAT(inventory_.snapshot()->gpus, ElementsAre(Field(&Gpu::uuid, "GPU-0")));
}

TEST_F(InventoryTest, TellsUsedMemoryAndProcesses) {
  ASSERT_TRUE(HasGpus(1));
  EXPECT_THAT(inventory_.UsedMemoryMib("GPU-0"), IsOkAndHolds(1000));
  EXPECT_THAT(inventory_.UsedMemoryMib("GPU-9"), IsStatus(Code::kNotFound, HasSubstr("GPU-9")));
  EXPECT_THAT(inventory_.Processes("GPU-0"), IsOkAndHolds(IsEmpty()));
  machine_.Write("gpus: [{model: rtx3090, uuid: GPU-0, used: 3000, processes: [{pid: 42, used: 2000}, {pid: 7}]}]");
  EXPECT_THAT(inventory_.UsedMemoryMib("GPU-0"), IsOkAndHolds(3000));
  EXPECT_THAT(inventory_.Processes("GPU-0"),
              IsOkAndHolds(ElementsAre(Field(&GpuProcess::pid, 7), Field(&GpuProcess::used_mib, std::optional<int64_t>(2000)))));
  machine_.Write("gpus: [{model: rtx3090, uuid: GPU-0, memory: none}]");
  EXPECT_THAT(inventory_.UsedMemoryMib("GPU-0"), IsStatus(Code::kUnsupported));
}

TEST_F(InventoryTest, NoticesAnotherGpuWhenAskedOrInTime) {
  ASSERT_TRUE(HasGpus(1));
  machine_.Write("gpus: [{model: rtx3090}, {model: l4}]");
  inventory_.Rescan();
  ASSERT_TRUE(HasGpus(2));
  machine_.Write("gpus: []");
  clock_.Advance(seconds(15));
  ASSERT_TRUE(HasGpus(0));
}

TEST_F(InventoryTest, HearsOfAnErrorAtOnceAndForgetsItInTime) {
  ASSERT_TRUE(HasGpus(1));
  machine_.Write("{gpus: [{model: rtx3090, uuid: GPU-0}], events: [{id: 1, xid: 79}]}");
  ASSERT_TRUE(Becomes([](const Snapshot& now) { return now.health.at("GPU-0").value == "79"; }));
  clock_.Advance(minutes(5));
  ASSERT_TRUE(Becomes([](const Snapshot& now) { return now.health.at("GPU-0").state == Health::State::kHealthy; }));
}

TEST_F(InventoryTest, ErrorOfBeforeCountsAsIfItCameNow) {
  ASSERT_TRUE(HasGpus(1));
  inventory_.Recall({{{inventory_.snapshot()->gpus[0].uuid}, 79}});
  ASSERT_TRUE(Becomes([](const Snapshot& now) { return now.health.begin()->second.value == "79"; }));
  clock_.Advance(minutes(5));
  ASSERT_TRUE(Becomes([](const Snapshot& now) { return now.health.begin()->second.state == Health::State::kHealthy; }));
}

TEST_F(InventoryTest, SaysWhatIsWrongAndComesBack) {
  ASSERT_TRUE(HasGpus(1));
  machine_.Write("fail: {nvmlInit_v2: DRIVER_NOT_LOADED, nvmlDeviceGetCount_v2: DRIVER_NOT_LOADED}");
  inventory_.Rescan();
  ASSERT_TRUE(Becomes([](const Snapshot& now) { return !now.status.ok(); }));
  EXPECT_THAT(inventory_.status(), IsStatus(Code::kUnavailable, HasSubstr("modprobe nvidia")));
  EXPECT_THAT(inventory_.snapshot()->gpus, IsEmpty());
  EXPECT_THAT(inventory_.UsedMemoryMib("GPU-0"), IsStatus(Code::kUnavailable, HasSubstr("modprobe nvidia")));
  machine_.Write("gpus: [{model: l4}]");
  clock_.Advance(seconds(30));
  ASSERT_TRUE(HasGpus(1));
}

TEST_F(InventoryTest, LooksWhereWaitingFails) {
  ASSERT_TRUE(HasGpus(1));
  machine_.Write("{gpus: [{model: rtx3090}, {model: l4}], fail: {nvmlEventSetWait_v2: GPU_IS_LOST}}");
  ASSERT_TRUE(HasGpus(2));
}

TEST_F(InventoryTest, MayBeAskedWhileItOpensNvmlAgain) {
  ASSERT_TRUE(HasGpus(1));
  std::atomic<bool> done = false;
  const std::future<void> asking = std::async(std::launch::async, [&] {
    while (!done) {
      const Result<int64_t> used = inventory_.UsedMemoryMib("GPU-0");
      EXPECT_TRUE(used.ok() || used.status().code() == Code::kUnavailable);
    }
  });
  for (int bus = 1; bus <= 5; ++bus) {
    machine_.AddPci(StrCat("0000:0", bus, ":00.0"), "pci0000:00", 0);  // makes the scanner open NVML again
    machine_.Write(StrCat("gpus: [{model: rtx3090, uuid: GPU-0, memory: ", 20000 + bus, "}]"));
    inventory_.Rescan();
    EXPECT_TRUE(Becomes([&](const Snapshot& now) { return now.gpus.size() == 1 && now.gpus[0].memory_mib == 20000 + bus; }));
  }
  done = true;
  asking.wait();
}

TEST_F(InventoryTest, IsQuietWhileNothingChangesAndOnceStopped) {
  ASSERT_TRUE(HasGpus(1));
  inventory_.Stop();
  EXPECT_EQ(changes_, 1);
  machine_.Write("gpus: []");
  inventory_.Rescan();
  EXPECT_THAT(inventory_.snapshot()->gpus, SizeIs(1));
}

TEST(Inventory, SaysSoBeforeItLooked) {
  const PosixFileSystem files;
  const SystemClock clock;
  const Inventory inventory({}, files, clock, [] {});
  EXPECT_THAT(inventory.status(), IsStatus(Code::kUnavailable, HasSubstr("have not been scanned yet")));
  EXPECT_THAT(inventory.UsedMemoryMib("GPU-0"), IsStatus(Code::kUnavailable, HasSubstr("not open yet")));
}

}  // namespace
}  // namespace allot::device::nvidia

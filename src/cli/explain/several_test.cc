// Pods that ask for several GPUs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/explain/test_world.h"

namespace allot::cli {
namespace {

using sched::GpuNode;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// As `allot run --gpus N --memory 10Gi` asks: a request for each, and no two of the same GPU.
std::string WithGpus(int count, std::string_view memory) {
  std::string requests;
  for (int i = 0; i < count; ++i) {
    requests +=
        StrCat(i > 0 ? ", " : "", "{name: gpu-", i,
               ", exactly: {deviceClassName: gpu, allocationMode: ExactCount, count: 1, capacity: {requests: {memory: ", memory, "}}}}");
  }
  return WithClaim(requests, ", constraints: [{distinctAttribute: gpu.nvidia.com/uuid}]");
}

// A node with GPUs of so many GiB that have a uuid.
std::string UuidNode(std::string_view name, std::initializer_list<int> gpus) {
  std::string yaml = GpuNode(name, gpus);
  size_t at = 0;
  for (size_t i = 0; i < gpus.size(); ++i) {
    at = yaml.find("attributes: {", at) + std::string_view("attributes: {").size();
    yaml.insert(at, StrCat("uuid: {string: GPU-", name, "-", i, "}, "));
  }
  return yaml;
}

TEST(Explain, SeveralGpusOfWhichTooFewAreFree) {
  EXPECT_EQ(ExplainIn(StrCat(UuidNode("n1", {24, 24, 12}), Running("one", "n1", "gpu-0", "20Gi"), WithGpus(3, "10Gi")), "p"),
            R"(Pod lab/p waits: it asks for 10240 MiB on each of 3 GPUs, and only 2 have that
  free
Its turn comes at the latest when lab/one has ended on n1.

n1: 3 different devices asked, only 2 of the 3 fit
  DEVICE  MODEL   MEMORY     FREE       HELD BY
  gpu-0   GPU-24  24576 MiB  4096 MiB   lab/one 20480 MiB
      10240 MiB asked, 6144 MiB short
  gpu-1   GPU-24  24576 MiB  24576 MiB  none
      fits
  gpu-2   GPU-12  12288 MiB  12288 MiB  none
      fits

It would start with any one of:
  - 6144 MiB less of each GPU (4096 instead of 10240), on n1
  - 2 GPUs instead of 3, on n1
  - claim lab/c without its constraints, on n1
  - lab/one ending, on n1
  - a node with free GPUs: 12 GiB, 2 of 24 GiB
)");
}

TEST(Explain, SeveralByACountAndNoneIsFree) {
  const std::string world = StrCat(GpuNode("n1", {24, 24}), Running("one", "n1", "gpu-0", "20Gi"), Running("two", "n1", "gpu-1", "20Gi"));
  const std::string text = ExplainIn(StrCat(world, WithClaim(OneDevice(", capacity: {requests: {memory: 8Gi}}", "gpu", 2))), "p");
  EXPECT_THAT(text, StartsWith("Pod lab/p waits: it asks for 8192 MiB on each of 2 GPUs, and no GPU has that\n  free\n"));
  EXPECT_THAT(text, AllOf(HasSubstr("n1: 2 different devices asked, none of the 2 fits\n"),
                          HasSubstr("  - 4096 MiB less of each GPU (4096 instead of 8192), on n1\n")));
}

TEST(Explain, SeveralSharesByRequestsAndNoneIsFree) {
  const std::string world = StrCat(GpuNode("n1", {24}), Running("one", "n1", "gpu-0", "20Gi"));
  const std::string first = OneDevice(", capacity: {requests: {memory: 8Gi}}");
  std::string second = first;
  second.replace(second.find("name: gpu"), 9, "name: two");
  const std::string text = ExplainIn(StrCat(world, WithClaim(StrCat(first, ", ", second))), "p");
  EXPECT_THAT(text, StartsWith("Pod lab/p waits: it asks for 2 shares of 8192 MiB, and no GPU has that free\n"));
  EXPECT_THAT(text, AllOf(HasSubstr("n1: 2 shares of devices asked, and none fits\n"),
                          HasSubstr("  - 6144 MiB less for each share (2048 instead of 8192), on n1\n")));
}

TEST(Explain, MoreGpusThanANodeHas) {
  const std::string text = ExplainIn(StrCat(UuidNode("n1", {24, 24, 12}), UuidNode("n2", {24}), WithGpus(4, "16Gi")), "p");
  EXPECT_THAT(text,
              StartsWith("Pod lab/p can never start here: it asks for 16384 MiB on each of 4 GPUs, and on\n  no node more than 2 could "
                         "ever fit\n"));
  EXPECT_THAT(text, AllOf(HasSubstr("n1: 4 different devices asked, and there are only 3\n"),
                          HasSubstr("n2: 4 different devices asked, and there is only 1\n"), HasSubstr("  - 2 GPUs instead of 4, on n1\n"),
                          Not(HasSubstr("picked before"))));
}

TEST(Explain, SeveralWholeGpusOfOneThatIsHeld) {
  EXPECT_THAT(ExplainIn(StrCat(GpuNode("n1", {24, 24}), Running("one", "n1", "gpu-0", "1Gi"), WithClaim(OneDevice("", "gpu", 2))), "p"),
              StartsWith("Pod lab/p waits: it asks for 2 whole GPUs, and only 1 has that free\n"));
}

TEST(Explain, RequestsOfAPodThatTakeFromEachOtherAreSaidToBeItsOwn) {
  const std::string requests =
      "{name: a, exactly: {deviceClassName: gpu, allocationMode: ExactCount, count: 1, capacity: {requests: "
      "{memory: 20Gi}}}}, {name: b, exactly: {deviceClassName: gpu, allocationMode: ExactCount, count: 1, "
      "capacity: {requests: {memory: 8Gi}}}}";
  EXPECT_THAT(ExplainIn(StrCat(GpuNode("n1", {24}), WithClaim(requests)), "p"), HasSubstr("MiB left beside its other requests\n"));
}

TEST(Explain, GpusThatMustDifferAndDoNot) {
  EXPECT_EQ(ExplainIn(StrCat(GpuNode("n1", {24, 24}), WithClaim(OneDevice(", capacity: {requests: {memory: 6Gi}}", "gpu", 2),
                                                                ", constraints: [{distinctAttribute: gpu.nvidia.com/productName}]")),
                      "p"),
            R"(Pod lab/p can never start here: no node has enough devices that fit together

n1: 2 devices asked, 1 of 2 fit alone, but not together with the rest
  DEVICE  MODEL   MEMORY     FREE       HELD BY
  gpu-0   GPU-24  24576 MiB  24576 MiB  none
      picked for this request already
  gpu-1   GPU-24  24576 MiB  24576 MiB  none
      its gpu.nvidia.com/productName is the same as that of a device picked
      before

It would start with any one of:
  - 1 GPU instead of 2, on n1
  - claim lab/c without its constraints, on n1
)");
}

}  // namespace
}  // namespace allot::cli

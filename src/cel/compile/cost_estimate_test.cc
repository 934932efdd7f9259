// Expected numbers are those of Kubernetes 1.36.4.

#include "cel/compile/cost_estimate.h"

#include "base/test_util.h"
#include "cel/program.h"

namespace allot::cel {
namespace {

uint64_t MaxCost(std::string_view expression) {
  const auto program = Program::Compile(expression);
  EXPECT_OK(program) << expression;
  return program.ok() ? (*program)->max_cost() : 0;
}

TEST(CostEstimate, CountsSelectionsAndCalls) {
  EXPECT_EQ(MaxCost("true"), 0u);
  EXPECT_EQ(MaxCost("device.allowMultipleAllocations"), 2u);
  EXPECT_EQ(MaxCost("1 + 1 == 2"), 2u);
}

TEST(CostEstimate, KnowsHowLargeADeviceMayBe) {
  EXPECT_EQ(MaxCost("device.attributes['resource.kubernetes.io'].numaNode in [0, 1, 2]"), 17u);
  EXPECT_EQ(MaxCost("device.driver == 'a'"), 3u);
}

TEST(CostEstimate, IsUnboundedWhereNothingIsKnown) {
  EXPECT_EQ(MaxCost("string(dyn('x')).split('').all(x, x == 'a')"), 9u);  // a text converted from a constant has a size
  EXPECT_EQ(MaxCost("string(dyn('x')).split('').map(x, x + x).exists(y, y == 'a')"), 1844674407370955299u);
  EXPECT_EQ(MaxCost("string(device.attributes['d'].x).split('').all(x, x.split('').all(y, y.contains(x)))"), UINT64_MAX);
}

}  // namespace
}  // namespace allot::cel

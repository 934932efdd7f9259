#include "cel/program.h"

#include "base/strings.h"
#include "base/test_util.h"
#include "cel/test_device.h"

namespace allot::cel {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::string_view kD = "device.attributes['gpu.nvidia.com']";

std::string On(std::string_view rest) { return Ask(StrCat(kD, rest)); }

TEST(Program, ReadsTheDevice) {
  EXPECT_EQ(On(".productName == 'NVIDIA L4'"), "true");
  EXPECT_EQ(On(".index in [1, 2]"), "false");
  EXPECT_EQ(On(".driverVersion.isGreaterThan(semver('550.0.0'))"), "true");
  EXPECT_EQ(Ask("device.capacity['gpu.nvidia.com'].memory.compareTo(quantity('24Gi')) == 0"), "true");
  EXPECT_EQ(Ask("device.driver == 'gpu.nvidia.com' && !device.allowMultipleAllocations"), "true");
}

TEST(Program, MissingDomainIsEmptyAndMissingIdIsAnError) {
  EXPECT_EQ(Ask("size(device.attributes['nobody.io']) == 0"), "true");
  EXPECT_EQ(Ask("'nobody.io' in device.attributes"), "false");
  EXPECT_EQ(Ask("has(device.attributes['nobody.io'].x)"), "false");
  EXPECT_EQ(Ask("device.attributes['nobody.io'].x"), "error: no such key: x");
}

TEST(Program, ErrorsAreAbsorbedByTheOtherSide) {
  EXPECT_EQ(On(".missing || true"), "true");
  EXPECT_EQ(On(".missing && false"), "false");
  EXPECT_EQ(Ask("false || 1 / 0 == 1"), "error: division by zero");
  EXPECT_EQ(Ask("[0, 1].exists(x, 1 / x == 1)"), "true");
}

TEST(Program, OneUnusableAttributeSpoilsTheDevice) {
  EXPECT_THAT(Ask("true", TestGpu().Version("broken", "1.x")), StartsWith("error: attribute broken"));
  EXPECT_THAT(Ask("true", TestGpu().Unknown("new")), HasSubstr("unsupported attribute value"));
  EXPECT_THAT(Ask("true", TestGpu().Texts("names", {"a"})), HasSubstr("unsupported attribute value"));
}

TEST(Program, ListsNeedTheirGate) {
  Options lists;
  lists.list_type_attributes = true;
  const TestDevice gpu = std::move(TestGpu().Texts("names", {"a", "b"}));
  EXPECT_EQ(Ask(StrCat(kD, ".names.includes('b')"), gpu, lists), "true");
  EXPECT_EQ(Ask(StrCat(kD, ".names.exists(n, n == 'c')"), gpu, lists), "false");
}

TEST(Program, ResultMustBeABool) {
  EXPECT_THAT(Ask("1"), HasSubstr("must be a bool, but this is int"));
  EXPECT_THAT(Ask("dyn(true)"), HasSubstr("this is dyn"));
  EXPECT_EQ(On(".index"), "error: the result is int, not bool");
  EXPECT_EQ(On(".ecc"), "true");
}

TEST(Program, ConstantsThatCannotBeComputedDoNotCompile) {
  for (const std::string_view text :
       {"int('x') == 1", "duration('x') == duration('1s')", "timestamp('x') == timestamp(0)", "'a'.matches('(')",
        "duration(5) == duration('5s')", "[1, 'a'] == []", "'%d'.format(['x']) == ''", "{b'a': 1} == {}"}) {
    EXPECT_THAT(Ask(text), StartsWith("does not compile")) << text;
  }
}

TEST(Program, ChargesWhatKubernetesCharges) {
  const auto cost = [](std::string_view expression) {
    const auto program = Program::Compile(expression);
    EXPECT_OK(program);
    uint64_t actual = 0;
    const TestDevice gpu = TestGpu();
    EXPECT_OK((*program)->Matches(gpu.device(), kTestDriver, &actual)) << expression;
    return actual;
  };
  EXPECT_EQ(cost("device.attributes['gpu.nvidia.com'].index == 3"), 5u);
  EXPECT_EQ(cost("has(device.attributes['gpu.nvidia.com'].index)"), 3u);
  EXPECT_EQ(cost("device.driver in ['a', 'b']"), 2u);  // a set of constants is free
  EXPECT_EQ(cost("[1, 2, 3] == [1, 2, 3]"), 1u);
  EXPECT_EQ(cost("quantity('1Gi').isGreaterThan(quantity('1Mi'))"), 3u);
}

TEST(Program, StopsAtTheCostLimit) {
  EXPECT_EQ(Ask("lists.range(999988).size() > 0"), "error: operation cancelled: actual cost limit exceeded");
  EXPECT_EQ(Ask("lists.range(2000).exists(x, lists.range(2000).exists(y, x * y < 0)) || true"),
            "error: operation cancelled: actual cost limit exceeded");
}

TEST(Program, BoundsMemoryAndTime) {
  // Doubles a list sixty times: too large to walk through.
  std::string huge = "x == x";
  for (int i = 0; i < 60; ++i) huge = "cel.bind(x, x + x, " + huge + ")";
  EXPECT_THAT(Ask("cel.bind(x, [1], " + huge + ")"), StartsWith("error: operation cancelled"));
  // The same with nesting: equal, but through 2^60 elements.
  std::string nested = "x == x";
  for (int i = 0; i < 60; ++i) nested = "cel.bind(x, [x, x], " + nested + ")";
  EXPECT_THAT(Ask("cel.bind(x, [1], " + nested + ")"), StartsWith("error: operation cancelled"));
  EXPECT_THAT(Ask("cel.bind(s, lists.range(30000).map(x, 'aaaaaaaaaa').join(), s.replace('', s).size() > 0)"),
              StartsWith("error: operation cancelled"));
}

TEST(Program, ExplainsWithWhatItRead) {
  const TestDevice gpu = TestGpu();
  const auto explain = [&](std::string_view expression) {
    const auto program = Program::Compile(expression);
    EXPECT_OK(program);
    return (*program)->Explain(gpu.device(), kTestDriver);
  };
  const auto read = [](std::string_view name, std::optional<std::string> value) {
    return NotTrue::Read{std::string(name), std::move(value)};
  };
  EXPECT_THAT(explain("device.driver == 'gpu.nvidia.com' && device.attributes['gpu.nvidia.com'].productName == 'X'").reads,
              ElementsAre(read("productName", "\"NVIDIA L4\"")));
  EXPECT_THAT(explain("cel.bind(d, device.attributes['gpu.nvidia.com'], d.index == 4 || d.nope)").reads,
              ElementsAre(read("index", "3"), read("nope", std::nullopt)));
  EXPECT_THAT(explain("device.capacity['gpu.nvidia.com'].memory.isGreaterThan(quantity('30Gi'))").reads,
              ElementsAre(read("memory", "24Gi")));
  EXPECT_EQ(explain("true && 1 == 2"), (NotTrue{{}, "1 == 2", ""}));
  EXPECT_EQ(explain("1 == 1"), NotTrue());
}

TEST(Program, KeepsItsExpression) {
  const auto program = Program::Compile("1 == 1");
  ASSERT_OK(program);
  EXPECT_EQ((*program)->expression(), "1 == 1");
}

}  // namespace
}  // namespace allot::cel

#include "control/binding_conditions.h"

#include "base/test_util.h"
#include "json/yaml.h"
#include "kube/timestamp.h"

namespace allot::control {
namespace {

using ::testing::HasSubstr;

Status Check(std::string_view conditions, std::string_view now = "2026-01-01T00:05:00Z") {
  const auto claim = json::ParseYaml(StrCat(
      "{status: {allocation: {allocationTimestamp: '2026-01-01T00:00:00Z', devices: {results: [{request: r, driver: d, pool: p, device: "
      "x, bindingConditions: [attached], bindingFailureConditions: [broken]}]}}, devices: [{driver: d, pool: p, device: x, "
      "conditions: ",
      conditions, "}]}}"));
  EXPECT_OK(claim);
  const json::Value& object = claim->at(0).root();
  const auto allocation = model::Allocation::Read(object["status"]["allocation"]);
  EXPECT_OK(allocation);
  return CheckBindingConditions(object, *allocation, *kube::ParseTime(now));
}

TEST(BindingConditions, AllMustBeTrue) {
  EXPECT_THAT(Check("[]"), IsStatus(Code::kUnavailable, HasSubstr("device x is still being made ready: attached")));
  EXPECT_THAT(Check("[{type: attached, status: 'False'}]"), IsStatus(Code::kUnavailable));
  EXPECT_OK(Check("[{type: attached, status: 'True'}]"));
}

TEST(BindingConditions, AFailureIsForGood) {
  EXPECT_THAT(Check("[{type: attached, status: 'True'}, {type: broken, status: 'True', message: no link}]"),
              IsStatus(Code::kConflict, HasSubstr("broken: no link")));
}

TEST(BindingConditions, ADriverThatSaysNothingIsNotWaitedForForEver) {
  EXPECT_THAT(Check("[]", "2026-01-01T00:10:00Z"), IsStatus(Code::kUnavailable));
  EXPECT_THAT(Check("[]", "2026-01-01T00:10:01Z"), IsStatus(Code::kConflict, HasSubstr("600 s")));
}

}  // namespace
}  // namespace allot::control

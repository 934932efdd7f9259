#include "apiserver/field_errors.h"

#include "base/test_util.h"

namespace allot::apiserver {
namespace {

TEST(FieldPath, IsWrittenAsKubernetesDoes) {
  EXPECT_EQ(FieldPath().text(), "");
  EXPECT_EQ(FieldPath().Child("spec").text(), "spec");
  EXPECT_EQ(FieldPath("spec").Child("containers").Index(12).Child("limits").Key("memory").text(), "spec.containers[12].limits[memory]");
}

TEST(FieldPath, GrowsBeyondWhatItHoldsInPlaceAndIsCopied) {
  FieldPath path("a");
  std::string expected = "a";
  for (int i = 0; i < 100; ++i) {
    path = path.Child("name").Key("k");
    expected += ".name[k]";
    ASSERT_EQ(path.text(), expected);
    const FieldPath copy = path;
    ASSERT_EQ(copy.Index(0).text(), expected + "[0]");
  }
  EXPECT_EQ(FieldPath(std::string(500, 'x')).Child("y").text(), std::string(500, 'x') + ".y");
}

}  // namespace
}  // namespace allot::apiserver

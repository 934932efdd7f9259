#include "apiserver/rest/version_order.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/test_util.h"

namespace allot::apiserver {
namespace {

TEST(VersionBefore, PutsTheFinalBeforeTheBetaBeforeTheAlpha) {
  const std::vector<std::string> want = {"v10",     "v2",       "v1",        "v11beta2", "v10beta3",
                                         "v3beta1", "v2alpha2", "v1alpha10", "v1alpha9", "foo1",
                                         "foo10",   "v",        "v1alpha",   "v1gamma1", "v99999999999999999999"};
  std::vector<std::string> sorted = want;
  std::reverse(sorted.begin(), sorted.end());
  std::sort(sorted.begin(), sorted.end(), VersionBefore);
  EXPECT_EQ(sorted, want);
}

TEST(VersionBefore, IsNotTrueOfEquals) {
  EXPECT_FALSE(VersionBefore("v1", "v1"));
  EXPECT_FALSE(VersionBefore("x", "x"));
}

}  // namespace
}  // namespace allot::apiserver

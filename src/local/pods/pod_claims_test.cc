#include "local/pods/pod_claims.h"

#include "local/test_node.h"

namespace allot::local {
namespace {

TEST(PodClaims, TheLastOneGivesBack) {
  FakeDevices devices;
  PodClaims claims(devices);
  const node::ClaimRef claim{"default", "c", "u"};
  ASSERT_OK(claims.Prepare(claim, "pod-1", {}, {}));
  claims.Remember("u", "pod-2");
  ASSERT_OK(claims.Release(claim, "pod-1", {}));
  // A second release, as after a crash, does not touch the use of pod-2.
  ASSERT_OK(claims.Release(claim, "pod-1", {}));
  EXPECT_EQ(devices.Count("unprepare c"), 0U);
  ASSERT_OK(claims.Release(claim, "pod-2", {}));
  EXPECT_EQ(devices.Count("unprepare c"), 1U);
}

TEST(PodClaims, AClaimThatCouldNotBePreparedIsStillReleased) {
  FakeDevices devices;
  PodClaims claims(devices);
  const node::ClaimRef claim{"default", "c", "u"};
  devices.Fail(Unavailable("no"));
  EXPECT_THAT(claims.Prepare(claim, "pod-1", {}, {}), IsStatus(Code::kUnavailable));
  ASSERT_OK(claims.Release(claim, "pod-1", {}));
  EXPECT_EQ(devices.Count("unprepare c"), 1U);
}

}  // namespace
}  // namespace allot::local

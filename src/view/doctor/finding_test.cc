#include "view/doctor/finding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace allot::view {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

TEST(FindingGroups, EqualFindingsBecomeOneWithAllSubjects) {
  FindingGroups groups;
  const Finding shared{.kind = Finding::Kind::kGpusOk, .count = 2, .total = 2};
  const Finding more{.kind = Finding::Kind::kGpusOk, .count = 4, .total = 2};
  for (const char* node : {"n1", "n2", "n1"}) groups.Add(node, shared);
  groups.Add("n3", more);
  Findings findings;
  groups.Take(findings);
  ASSERT_THAT(findings, SizeIs(2));
  EXPECT_THAT(findings[0].subjects, ElementsAre("n1", "n2"));
  EXPECT_THAT(findings[1].subjects, ElementsAre("n3"));
}

TEST(FindingGroups, TheAgentsPodDoesNotKeepEqualFindingsApart) {
  FindingGroups groups;
  groups.Add("n1", {.kind = Finding::Kind::kAgentUnready, .message = "no GPUs", .pod = "agent-1"});
  groups.Add("n2", {.kind = Finding::Kind::kAgentUnready, .message = "no GPUs", .pod = "agent-2"});
  Findings findings;
  groups.Take(findings);
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].pod, "agent-1");
}

TEST(TroubleOf, TellsWhatAnAgentsMessageIsAbout) {
  EXPECT_EQ(TroubleOf("/: no libnvidia-ml.so.1 under the driver root [NoDriver]"), Trouble::kNoDriver);
  EXPECT_EQ(TroubleOf("node n1: 2 devices are not offered: ... [NoSharing]"), Trouble::kNoSharing);
  EXPECT_EQ(TroubleOf("node n1: 1 device is left out instead of tainted: ... [NoTaints]"), Trouble::kNoTaints);
  EXPECT_EQ(TroubleOf("nodes \"n1\" is forbidden"), Trouble::kForbidden);
  EXPECT_EQ(TroubleOf("something else"), Trouble::kOther);
}

TEST(LastTrouble, IsTheNewestWarningOrErrorOfTextAndJson) {
  EXPECT_EQ(LastTrouble("2026-11-16T03:52:04.986Z ERROR no GPUs error=\"gone\"\n2026-11-16T03:52:05.986Z INFO serving\n"), "no GPUs: gone");
  EXPECT_EQ(LastTrouble(R"({"level":"WARNING","message":"slow","error":"timeout"})"), "slow: timeout");
  EXPECT_EQ(LastTrouble("2026-11-16T03:52:05.986Z INFO fine\n"), "");
}

}  // namespace
}  // namespace allot::view

#include "view/queue.h"

#include "base/test_util.h"
#include "json/json.h"

namespace allot::view {
namespace {

kube::ObjectPtr Pod(const std::string& name, int priority, const std::string& created, const std::string& message,
                    const std::string& reason = "Unschedulable", const std::string& uid = "", std::string_view more = "") {
  const Result<json::Document> pod = json::Parse(StrCat(
      R"({"metadata":{"namespace":"lab","name":")", name, R"(","uid":")", uid.empty() ? "u-" + name : uid, R"(","creationTimestamp":")",
      created, R"("},"spec":{"priority":)", priority, R"(},"status":{"conditions":[{"type":"PodScheduled","status":"False","reason":")",
      reason, R"(","message":")", message, R"("})", more, "]}}"));
  EXPECT_OK(pod);
  return kube::CopyObject(pod->root());
}

TEST(PlaceAmong, PriorityThenAgeThenName) {
  const std::vector<kube::ObjectPtr> pods = {Pod("late", 0, "2026-01-01T00:00:02Z", "no room"),
                                             Pod("b", 0, "2026-01-01T00:00:01Z", "no room"), Pod("a", 0, "2026-01-01T00:00:01Z", "no room"),
                                             Pod("vip", 10, "2026-01-01T00:00:03Z", "no room")};
  const auto place = [&](std::string_view uid) { return PlaceAmong(pods, uid); };
  EXPECT_EQ(place("u-vip"), 1U);
  EXPECT_EQ(place("u-a"), 2U);
  EXPECT_EQ(place("u-b"), 3U);
  EXPECT_EQ(place("u-late"), 4U);
  EXPECT_EQ(place("u-none"), 0U);
}

TEST(PlaceAmong, WithinASecondTheTimeInTheirUidsDecides) {
  const auto pod = [](const std::string& name, const std::string& uid) {
    return Pod(name, 0, "2026-01-01T00:00:01Z", "no room", "Unschedulable", uid);
  };
  const std::string first = "019a7c5e-0002-7001-8000-000000000002", second = "019a7c5e-0003-7001-8000-000000000001";
  EXPECT_EQ(PlaceAmong({pod("a", second), pod("b", first)}, first), 1U);
}

TEST(PlaceAmong, APodThatCanNeverStartIsNotInTheQueue) {
  const std::vector<kube::ObjectPtr> pods = {
      Pod("giant", 0, "2026-01-01T00:00:01Z", "too large", "Unschedulable", "", R"(,{"type":"allot.dev/NeverFits","status":"True"})"),
      Pod("gated", 0, "2026-01-01T00:00:01Z", "gates", "SchedulingGated"), Pod("blocked", 0, "2026-01-01T00:00:01Z", "", "ClaimMissing"),
      Pod("undecided", 0, "2026-01-01T00:00:01Z", "no such class", "SchedulerError"), Pod("a", 0, "2026-01-01T00:00:02Z", "no room")};
  EXPECT_EQ(PlaceAmong(pods, "u-a"), 1U);
  EXPECT_EQ(PlaceAmong(pods, "u-giant"), 0U);
}

}  // namespace
}  // namespace allot::view

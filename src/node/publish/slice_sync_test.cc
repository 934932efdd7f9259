#include "node/publish/slice_sync.h"

#include <set>

#include "base/test_util.h"
#include "json/json.h"

namespace allot::node {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A device named `name`; `more` are its other fields.
std::string Device(std::string_view name, std::string_view more = "") {
  return StrCat(R"({"name":")", name, R"(","capacity":{"memory":{"value":"24576Mi"}})", more.empty() ? "" : ",", more, "}");
}

struct Slice {
  std::string name = "00000-gpu.nvidia.com-n1-aaaaa";
  int generation = 1;
  int count = 1;
  std::string devices = Device("gpu-0");
  std::string more_spec = {};
  std::string owners = R"({"apiVersion":"v1","kind":"Node","name":"n1","uid":"node-uid","controller":true})";
  std::string pool = "n1";
  std::string more_metadata = {};

  kube::ObjectPtr Make() const {
    const std::string text =
        StrCat(R"({"metadata":{"name":")", name, R"(","uid":"uid-)", name, R"(","resourceVersion":"7","ownerReferences":[)", owners, "]",
               more_metadata, R"(},"spec":{"driver":"gpu.nvidia.com","nodeName":"n1","pool":{"name":")", pool, R"(","generation":)",
               generation, R"(,"resourceSliceCount":)", count, R"(},"devices":[)", devices, "]", more_spec, "}}");
    const auto document = json::Parse(text);
    EXPECT_OK(document) << text;
    return kube::CopyObject(document->root());
  }
};

constexpr std::string_view kSecond = "00001-gpu.nvidia.com-n1-bbbbb", kThird = "00002-gpu.nvidia.com-n1-ccccc";

struct Outcome {
  int64_t generation;
  std::vector<std::string> operations;  // "delete NAME", "update NAME", "create INDEX"
  std::vector<std::string> bodies;
};

Outcome Plan(const std::vector<Slice>& existing, std::string_view wanted, std::set<std::string> adopted = {}) {
  std::vector<kube::ObjectPtr> objects;
  for (const Slice& slice : existing) objects.push_back(slice.Make());
  const auto slices = json::Parse(wanted);
  EXPECT_OK(slices) << wanted;
  const SyncPlan plan = PlanSync(objects, {"gpu.nvidia.com", "n1", "node-uid", slices->root()},
                                 [&](const kube::Object& slice) { return adopted.contains(std::string(slice.name())); });
  Outcome outcome{plan.generation, {}, {}};
  for (const SliceOperation& operation : plan.operations) {
    switch (operation.kind) {
      case SliceOperation::Kind::kDelete: outcome.operations.push_back(StrCat("delete ", operation.before->name())); break;
      case SliceOperation::Kind::kUpdate: outcome.operations.push_back(StrCat("update ", operation.before->name())); break;
      case SliceOperation::Kind::kCreate: outcome.operations.push_back(StrCat("create ", operation.index)); break;
    }
    outcome.bodies.push_back(operation.body);
  }
  return outcome;
}

// `count` slices of one device each.
std::string Wanted(int count, std::string_view more = "") {
  std::string text = "[";
  for (int i = 0; i < count; ++i) text += StrCat(i > 0 ? "," : "", "[", Device(StrCat("gpu-", i), more), "]");
  return text + "]";
}

std::vector<Slice> Three(int generation = 4) {
  return {{.generation = generation, .count = 3},
          {.name = std::string(kSecond), .generation = generation, .count = 3, .devices = Device("gpu-1")},
          {.name = std::string(kThird), .generation = generation, .count = 3, .devices = Device("gpu-2")}};
}

TEST(SliceSync, ThePoolThatIsAsWantedIsLeftAlone) {
  const Outcome outcome = Plan(Three(), Wanted(3));
  EXPECT_THAT(outcome.operations, IsEmpty());
  EXPECT_EQ(outcome.generation, 4);
  EXPECT_THAT(Plan({{.devices = ""}}, "[[]]").operations, IsEmpty());
}

TEST(SliceSync, ANewPoolBeginsWithGenerationOne) {
  const Outcome outcome = Plan({}, Wanted(2));
  EXPECT_THAT(outcome.operations, ElementsAre("create 0", "create 1"));
  EXPECT_EQ(outcome.generation, 1);
  EXPECT_EQ(outcome.bodies[1],
            R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":{"generateName":"00001-gpu.nvidia.com-n1-",)"
            R"("ownerReferences":[{"apiVersion":"v1","kind":"Node","name":"n1","uid":"node-uid","controller":true}]},)"
            R"("spec":{"driver":"gpu.nvidia.com","nodeName":"n1","pool":{"name":"n1","generation":1,"resourceSliceCount":2},)"
            R"("devices":[{"name":"gpu-1","capacity":{"memory":{"value":"24576Mi"}}}]}})");
}

TEST(SliceSync, OneChangedSliceIsReplacedUnderTheSameGeneration) {
  std::vector<Slice> existing = Three();
  existing[1].devices = Device("gpu-9");
  const Outcome outcome = Plan(existing, Wanted(3));
  EXPECT_THAT(outcome.operations, ElementsAre(StrCat("update ", kSecond)));
  EXPECT_EQ(outcome.generation, 4);
}

TEST(SliceSync, TwoChangedSlicesMakeANewGenerationOfAll) {
  std::vector<Slice> existing = Three();
  existing[1].devices = Device("gpu-8");
  existing[2].devices = Device("gpu-9");
  const Outcome outcome = Plan(existing, Wanted(3));
  EXPECT_EQ(outcome.operations.size(), 3u);
  EXPECT_EQ(outcome.generation, 5);
  for (const std::string& body : outcome.bodies) EXPECT_THAT(body, HasSubstr(R"("generation":5,"resourceSliceCount":3)"));
}

TEST(SliceSync, AMissingSliceMakesANewGenerationUpdatesFirst) {
  std::vector<Slice> existing = Three();
  existing.erase(existing.begin());
  const Outcome outcome = Plan(existing, Wanted(3));
  EXPECT_THAT(outcome.operations, ElementsAre(StrCat("update ", kSecond), StrCat("update ", kThird), "create 0"));
  EXPECT_EQ(outcome.generation, 5);
}

TEST(SliceSync, FewerSlicesAreDeletedFirst) {
  const Outcome two = Plan(Three(), Wanted(2));
  EXPECT_THAT(two.operations, ElementsAre(StrCat("delete ", kThird), "update 00000-gpu.nvidia.com-n1-aaaaa", StrCat("update ", kSecond)));
  EXPECT_EQ(two.generation, 5) << "both have another resourceSliceCount";
  const Outcome one = Plan(Three(), Wanted(1));
  EXPECT_THAT(one.operations, ElementsAre(StrCat("delete ", kSecond), StrCat("delete ", kThird), "update 00000-gpu.nvidia.com-n1-aaaaa"));
  EXPECT_EQ(one.generation, 4);
}

TEST(SliceSync, WhatIsObsoleteIsDeleted) {
  const Slice good;
  const Slice cases[] = {
      {.name = "00000-gpu.nvidia.com-n1-older", .generation = 0},                     // an older generation
      {.name = "n1-gpu.nvidia.com-x7k2p"},                                            // as older drivers named them
      {.name = "0-gpu.nvidia.com-n1-x7k2p"},                                          // too few digits
      {.name = "000g0-gpu.nvidia.com-n1-x7k2p"},                                      // no number
      {.name = "00000"},                                                              // no driver
      {.name = "00001-gpu.nvidia.com-n1-x7k2p"},                                      // beyond the last
      {.name = "00000-gpu.nvidia.com-n1-zzzzz"},                                      // the same number again
      {.name = "00000-gpu.nvidia.com-n1-00000", .pool = "another"},                   // another pool
      {.name = "00000-gpu.nvidia.com-n1-00000", .generation = 9, .pool = "another"},  // whose generation is not ours
  };
  for (const Slice& slice : cases) {
    const Outcome outcome = Plan({good, slice}, Wanted(1));
    EXPECT_THAT(outcome.operations, ElementsAre(StrCat("delete ", slice.name)));
    EXPECT_EQ(outcome.generation, 1);
  }
}

TEST(SliceSync, WhatGoesAlreadyIsNotCounted) {
  const Outcome outcome = Plan({{.more_metadata = R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")"}}, Wanted(1));
  EXPECT_THAT(outcome.operations, ElementsAre("create 0"));
}

TEST(SliceSync, AChangeByOthersIsSeen) {
  const Slice cases[] = {
      {.count = 2},
      {.devices = Device("gpu-0", R"("nodeName":"n1")")},
      {.devices = Device("gpu-0", R"("taints":[{"key":"a","effect":"NoSchedule"}])")},
      {.devices = Device("gpu-0", R"("attributes":{"a":{"int":1}})")},
      {.devices = R"({"name":"gpu-0","capacity":{"memory":{"value":"24575Mi"}}})"},
      {.devices = R"({"name":"gpu-0","capacity":{"memory":{"value":"24Gi","requestPolicy":{"default":"1Gi"}}}})"},
      {.devices = R"({"name":"gpu-0"})"},
      {.devices = StrCat(Device("gpu-0"), ",", Device("gpu-1"))},
      {.devices = ""},
      {.more_spec = R"(,"allNodes":true)"},
      {.owners = ""},
      {.owners = R"({"apiVersion":"v1","kind":"Node","name":"n1","uid":"of the node before","controller":true})"},
      {.owners = R"({"apiVersion":"v1","kind":"Node","name":"n1","uid":"node-uid"})"},
  };
  for (const Slice& slice : cases) {
    EXPECT_THAT(Plan({slice}, Wanted(1)).operations, ElementsAre("update 00000-gpu.nvidia.com-n1-aaaaa"))
        << slice.devices << slice.more_spec << slice.owners;
  }
}

TEST(SliceSync, AmountsAreComparedByTheirValue) {
  const std::string wanted =
      R"([[{"name":"gpu-0","capacity":{"memory":{"value":"24576Mi","requestPolicy":{"default":"1024Mi","validValues":["1024Mi","2048Mi"]}}}}]])";
  const std::string stored =
      R"({"name":"gpu-0","capacity":{"memory":{"value":"24Gi","requestPolicy":{"default":"1Gi","validValues":["1Gi","2Gi"]}}}})";
  EXPECT_THAT(Plan({{.devices = stored}}, wanted).operations, IsEmpty());
}

TEST(SliceSync, AnUpdateKeepsTheNameTheVersionAndWhatOthersWroteBeside) {
  const Outcome outcome = Plan({{.devices = "", .owners = "", .more_metadata = R"(,"labels":{"a":"b"})"}}, Wanted(1));
  ASSERT_EQ(outcome.bodies.size(), 1u);
  EXPECT_THAT(outcome.bodies[0], HasSubstr(R"("name":"00000-gpu.nvidia.com-n1-aaaaa","uid":"uid-00000-gpu.nvidia.com-n1-aaaaa",)"
                                           R"("resourceVersion":"7","labels":{"a":"b"},"ownerReferences":[{"apiVersion":"v1")"));
}

TEST(SliceSync, ATaintThatStaysKeepsItsTimeWhereverTheDeviceMoves) {
  const std::string_view old = R"("taints":[{"key":"a","value":"1","effect":"NoSchedule","timeAdded":"2026-01-01T00:00:00Z"}])";
  const std::string_view same = R"("taints":[{"key":"a","value":"1","effect":"NoSchedule"}])";
  EXPECT_THAT(Plan({{.devices = Device("gpu-0", old)}}, Wanted(1, same)).operations, IsEmpty());

  const std::string both = StrCat("[[", Device("gpu-0", same), ",", Device("gpu-1", same), "]]");
  const Outcome kept = Plan({{.devices = Device("gpu-0", old)}}, both);
  ASSERT_EQ(kept.bodies.size(), 1u);
  EXPECT_THAT(kept.bodies[0], HasSubstr(R"("effect":"NoSchedule","timeAdded":"2026-01-01T00:00:00Z"}]},{"name":"gpu-1")"));
  EXPECT_THAT(kept.bodies[0], HasSubstr(R"("taints":[{"key":"a","value":"1","effect":"NoSchedule"}]}]}})")) << "a new one has none";

  const Outcome moved = Plan({{.devices = Device("gpu-0", old)}}, StrCat("[[],[", Device("gpu-0", same), "]]"));
  EXPECT_THAT(moved.bodies.back(), HasSubstr("2026-01-01T00:00:00Z"));

  const Outcome other = Plan({{.devices = Device("gpu-0", old)}}, Wanted(1, R"("taints":[{"key":"a","value":"2","effect":"NoSchedule"}])"));
  ASSERT_EQ(other.bodies.size(), 1u);
  EXPECT_THAT(other.bodies[0], testing::Not(HasSubstr("timeAdded")));
}

TEST(SliceSync, WhatIsAcceptedIsNotWrittenAgainUnlessTheGenerationChanges) {
  const std::vector<Slice> existing = {{.count = 2, .devices = Device("changed-by-a-webhook")},
                                       {.name = std::string(kSecond), .count = 2, .devices = Device("gpu-1")}};
  EXPECT_THAT(Plan(existing, Wanted(2), {existing[0].name}).operations, IsEmpty());
  EXPECT_EQ(Plan({existing[0]}, Wanted(2), {existing[0].name}).operations.size(), 2u);
}

TEST(SliceSync, ThePrefixGrowsWithTheNumberOfSlices) {
  std::string many = "[";
  for (int i = 0; i < 17; ++i) many += i > 0 ? ",[]" : "[]";
  const Outcome outcome = Plan({}, many + "]");
  EXPECT_THAT(outcome.bodies[16], HasSubstr(R"("generateName":"00010-gpu.nvidia.com-n1-")"));
}

TEST(SliceSync, DroppedFieldsTellWhichGateIsOff) {
  const auto dropped = [](std::string_view sent, std::string_view stored) {
    const Dropped found = DroppedFields(json::Parse(sent)->root(), json::Parse(stored)->root());
    return StrCat(found.sharing ? "sharing " : "", found.taints ? "taints " : "", found.other ? "other" : "");
  };
  const std::string full =
      R"([{"name":"a","allowMultipleAllocations":true,"capacity":{"memory":{"value":"1Gi","requestPolicy":{"default":"1Gi"}}},)"
      R"("taints":[{"key":"k","effect":"NoSchedule"}]}])";
  EXPECT_EQ(dropped(full, full), "");
  EXPECT_EQ(dropped(full, R"([{"name":"a","capacity":{"memory":{"value":"1Gi"}}}])"), "sharing taints ");
  EXPECT_EQ(dropped(full, R"([{"name":"a","allowMultipleAllocations":true,"capacity":{"memory":{"value":"1Gi"}},
                               "taints":[{"key":"k","effect":"NoSchedule"}]}])"),
            "sharing ");
  EXPECT_EQ(dropped(full, R"([{"name":"a","allowMultipleAllocations":true,
                               "capacity":{"memory":{"value":"1Gi","requestPolicy":{"default":"1Gi"}}}}])"),
            "taints ");
  EXPECT_EQ(dropped(R"([{"name":"a"}])", R"([{"name":"b"}])"), "other");
  EXPECT_EQ(dropped("[]", "null"), "");
}

}  // namespace
}  // namespace allot::node

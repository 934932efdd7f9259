#include "apiserver/rest/table.h"

#include "apiserver/kinds/columns/columns.h"
#include "apiserver/kinds/columns/table.h"
#include "base/test_growth.h"
#include "base/test_util.h"
#include "json/json.h"
#include "kube/timestamp.h"

namespace allot::apiserver {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view kLease =
    R"({"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"a","creationTimestamp":"2026-03-01T11:59:55Z",)"
    R"("resourceVersion":"7"},"spec":{"holderIdentity":"me"}})";
const WallTime kNow = *kube::ParseTime("2026-03-01T12:00:00Z");

Kind Leases() {
  Kind kind = NamedKind("coordination.k8s.io/v1", "leases", "Lease", true);
  ColumnsAndRow columns = LeaseColumns();
  kind.columns = columns.columns;
  kind.row = columns.row;
  return kind;
}

std::string Table(const Kind& kind, std::vector<std::string_view> objects, const ListInfo& info, const TableOptions& options = {}) {
  const auto text = WriteTable(kind, objects, info, kNow, options);
  EXPECT_OK(text);
  if (!text.ok()) return "";
  EXPECT_OK(json::Parse(*text));
  return *text;
}

TEST(Table, HasColumnsAndARowForEachObject) {
  const auto parsed = json::Parse(Table(Leases(), {kLease, kLease}, {.resource_version = "9", .continue_token = ""}));
  ASSERT_OK(parsed);
  const json::Value& table = parsed->root();
  EXPECT_EQ(json::Write(table["kind"]), R"("Table")");
  EXPECT_EQ(json::Write(table["apiVersion"]), R"("meta.k8s.io/v1")");
  EXPECT_EQ(json::Write(table["metadata"]), R"({"resourceVersion":"9"})");
  ASSERT_EQ(table["columnDefinitions"].Items().size(), 3u);
  EXPECT_THAT(json::Write(table["columnDefinitions"].Items()[0]), StartsWith(R"({"name":"Name","type":"string","format":"name",)"));
  ASSERT_EQ(table["rows"].Items().size(), 2u);
  EXPECT_EQ(json::Write(table["rows"].Items()[1]),
            R"({"cells":["a","me","5s"],"object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",)"
            R"("metadata":{"name":"a","creationTimestamp":"2026-03-01T11:59:55Z","resourceVersion":"7"}}})");
}

TEST(Table, OfAnEmptyListHasNoRows) {
  EXPECT_THAT(Table(Leases(), {}, {.resource_version = "9", .continue_token = ""}), HasSubstr(R"("rows":[]})"));
}

TEST(Table, SaysHowToGoOn) {
  EXPECT_THAT(Table(Leases(), {}, {.resource_version = "9", .continue_token = "next\"", .remaining = 4}),
              HasSubstr(R"("metadata":{"resourceVersion":"9","continue":"next\"","remainingItemCount":4},)"));
  EXPECT_THAT(Table(Leases(), {}, {.resource_version = "", .continue_token = "", .remaining = 0}),
              HasSubstr(R"("metadata":{"remainingItemCount":0},)"));
}

TEST(Table, CanHoldWholeObjectsOrNone) {
  EXPECT_THAT(Table(Leases(), {kLease}, {}, {.include = IncludeObject::kObject}), HasSubstr(StrCat(R"(,"object":)", kLease, "}]}")));
  EXPECT_THAT(Table(Leases(), {kLease}, {}, {.include = IncludeObject::kNone}), HasSubstr(R"("cells":["a","me","5s"],"object":null}]})"));
}

TEST(Table, GivesWholeObjectsTheirKindWhereTheyLackIt) {
  EXPECT_THAT(Table(Leases(), {R"({"metadata":{"name":"a"}})"}, {}, {.include = IncludeObject::kObject}),
              HasSubstr(R"("object":{"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"a"}}})"));
}

TEST(Table, OfOneObjectHasItsVersion) {
  const auto table = WriteTableOfOne(Leases(), kLease, kNow, {});
  ASSERT_OK(table);
  EXPECT_THAT(*table,
              StartsWith(R"({"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"7"},"columnDefinitions":[)"));
}

TEST(Table, OfALaterEventHasNoColumns) {
  const auto table = WriteTableOfOne(Leases(), kLease, kNow, {.columns = false, .version = "v1beta1"});
  ASSERT_OK(table);
  EXPECT_THAT(*table, HasSubstr(R"("columnDefinitions":null,"rows":[{"cells":["a",)"));
  EXPECT_THAT(*table, StartsWith(R"({"kind":"Table","apiVersion":"meta.k8s.io/v1beta1",)"));
}

TEST(Table, OfTheBookmarkAfterTheInitialEventsKeepsItsMetadata) {
  constexpr std::string_view kBookmark =
      R"({"kind":"Lease","metadata":{"resourceVersion":"8","annotations":{"k8s.io/initial-events-end":"true"}}})";
  const auto table = WriteTableOfOne(Leases(), kBookmark, kNow, {.include = IncludeObject::kNone});
  ASSERT_OK(table);
  EXPECT_THAT(*table, HasSubstr(R"("annotations":{"k8s.io/initial-events-end":"true"})"));
}

TEST(Table, OfAKindWithoutColumnsHasNameAndCreation) {
  EXPECT_THAT(Table(NamedKind("v1", "things", "Thing", true), {kLease}, {}), HasSubstr(R"("cells":["a","2026-03-01T11:59:55Z"])"));
}

TEST(Table, RefusesTextThatIsNotAnObject) {
  const std::string_view bad[] = {"[]"};
  EXPECT_THAT(WriteTable(Leases(), bad, {}, kNow, {}), IsStatus(Code::kInvalid));
  EXPECT_THAT(WritePartial("{", "v1"), IsStatus(Code::kInvalid));
}

TEST(Partial, IsTheMetadata) {
  EXPECT_THAT(WritePartial(R"({"kind":"Lease","metadata":{"name":"a"},"spec":{}})"),
              IsOkAndHolds(R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a"}})"));
  EXPECT_THAT(WritePartial("{}", "v1beta1"),
              IsOkAndHolds(R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1beta1","metadata":{}})"));
}

TEST(Partial, OfAListHasItsItems) {
  const std::string_view objects[] = {R"({"metadata":{"name":"a"}})", R"({"metadata":{"name":"b"}})"};
  EXPECT_THAT(
      WritePartialList(objects, {.resource_version = "3", .continue_token = ""}),
      IsOkAndHolds(R"({"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"3"},"items":[)"
                   R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a"}},)"
                   R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"b"}}]})"));
}

TEST(IncludeObject, IsMetadataByDefault) {
  EXPECT_EQ(ParseIncludeObject(""), IncludeObject::kMetadata);
  EXPECT_EQ(ParseIncludeObject("Metadata"), IncludeObject::kMetadata);
  EXPECT_EQ(ParseIncludeObject("Object"), IncludeObject::kObject);
  EXPECT_EQ(ParseIncludeObject("None"), IncludeObject::kNone);
  EXPECT_EQ(ParseIncludeObject("none"), std::nullopt);
}

TEST(Table, CostsAsMuchAsItsRows) {
  std::string pod =
      R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","creationTimestamp":"2026-03-01T11:59:55Z","labels":{"a":"b"}},)"
      R"("spec":{"nodeName":"n","containers":[{"name":"c","image":"i","env":[)";
  for (int i = 0; i < 30; ++i) pod += StrCat(i > 0 ? "," : "", R"({"name":"VARIABLE_)", i, R"(","value":"value )", i, R"("})");
  pod += R"(]}]},"status":{"phase":"Running","containerStatuses":[{"name":"c","ready":true,"restartCount":0,"state":{"running":{}}}]}})";
  Kind pods = NamedKind("v1", "pods", "Pod", true);
  ColumnsAndRow columns = PodColumns();
  pods.columns = columns.columns;
  pods.row = columns.row;
  const double growth =
      GrowthAtFourTimes(250, [&](size_t rows) { EXPECT_OK(WriteTable(pods, std::vector<std::string_view>(rows, pod), {}, kNow, {})); });
  EXPECT_LT(growth, 9);
}

}  // namespace
}  // namespace allot::apiserver

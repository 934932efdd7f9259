#include "cli/get/table.h"

#include "base/test_util.h"
#include "cli/get/tabs.h"
#include "json/json.h"

namespace allot::cli {
namespace {

const WallTime kNow = WallTime(std::chrono::seconds(1794789523));  // 2026-11-16T00:38:43Z

Table Read(std::string_view text) {
  const auto document = json::Parse(text);
  return *ReadTable(document->root(), kNow);
}

std::string Shown(const Table& table, const TableOptions& options) {
  std::string text = HeaderLine(table, options);
  for (const Row& row : table.rows) text += RowLine(table, row, options);
  return SetTabs(text, kTableTabs);
}

constexpr char kPods[] = R"({"kind":"Table","metadata":{"resourceVersion":"7","continue":"next"},
  "columnDefinitions":[{"name":"Name","format":"name","priority":0},{"name":"Restarts","priority":0},{"name":"Node","priority":1}],
  "rows":[{"cells":["train",0,"n1"],"object":{"metadata":{"name":"train","namespace":"lab","uid":"u1","resourceVersion":"5"}}},
          {"cells":["a-long-one",12,null],"object":{"metadata":{"name":"a-long-one","namespace":"default"}}}]})";

TEST(Table, ColumnsAreThreeApartAndAtLeastSixWide) {
  EXPECT_EQ(Shown(Read(kPods), {}),
            "NAME         RESTARTS\n"
            "train        0\n"
            "a-long-one   12\n");
  EXPECT_EQ(SetTabs("A\tB\n1\t2\n", kTableTabs), "A     B\n1     2\n");
}

TEST(Table, WideNamespacesAndKinds) {
  EXPECT_EQ(Shown(Read(kPods), {.wide = true, .namespaces = true, .kind = "pod"}),
            "NAMESPACE   NAME             RESTARTS   NODE\n"
            "lab         pod/train        0          n1\n"
            "default     pod/a-long-one   12         \n");
}

TEST(Table, HasResourceVersionsUidsAndTheContinueToken) {
  const Table table = Read(kPods);
  EXPECT_EQ(table.resource_version, "7");
  EXPECT_EQ(table.continue_token, "next");
  EXPECT_EQ(table.rows[0].uid, "u1");
  EXPECT_EQ(table.rows[0].resource_version, "5");
}

TEST(Table, ACellEndsAtItsFirstLineAndCannotControlTheTerminal) {
  const Table table =
      Read(R"({"kind":"Table","columnDefinitions":[{"name":"Name"}],"rows":[{"cells":["one\ntwo"]},{"cells":["\u001b[2Jx\ty"]}]})");
  EXPECT_EQ(table.rows[0].cells[0], "one...");
  EXPECT_EQ(table.rows[1].cells[0], "^[[2Jx y");
}

TEST(Table, AServerWithoutTablesGivesNamesAndAges) {
  EXPECT_EQ(Shown(Read(R"({"kind":"PodList","items":[{"metadata":{"name":"x","creationTimestamp":"2026-11-16T00:38:33Z"}}]})"), {}),
            "NAME   AGE\n"
            "x      10s\n");
  EXPECT_EQ(Read(R"({"kind":"Pod","metadata":{"name":"x"}})").rows[0].cells[1], "<unknown>");
  const auto other = json::Parse(R"([1])");
  EXPECT_THAT(ReadTable(other->root(), kNow), IsStatus(Code::kUnavailable));
}

TEST(Tabs, AColumnLastsAsLongAsLinesHaveIt) {
  EXPECT_EQ(SetTabs("Name:\tx\nNamespace:\tlab\nSpec:\n  A:\tb\n", kDescribeTabs), "Name:       x\nNamespace:  lab\nSpec:\n  A:  b\n");
}

TEST(Tabs, WidthIsInCharacters) { EXPECT_EQ(SetTabs("\u00e4\u00f6\tx\nabc\ty\n", kDescribeTabs), "\u00e4\u00f6   x\nabc  y\n"); }

TEST(Tabs, RememberedWidthsNeverShrink) {
  std::vector<size_t> widths;
  EXPECT_EQ(SetTabs("a-long-name\tx\n", kTableTabs, &widths), "a-long-name   x\n");
  EXPECT_EQ(SetTabs("b\ty\n", kTableTabs, &widths), "b             y\n");
}

}  // namespace
}  // namespace allot::cli

#include "apiserver/rest/documents.h"

#include "base/test_util.h"

namespace allot::apiserver {
namespace {

using Text = std::optional<std::string>;

std::shared_ptr<const Kinds> NoKinds() { return std::make_shared<Kinds>(std::vector<std::shared_ptr<const Kind>>()); }

TEST(Documents, AreMadeOnceForTheSameKinds) {
  Documents documents;
  int made = 0;
  const auto make = [&](const Kinds&) { return Text(StrCat("text ", ++made)); };
  const auto kinds = NoKinds();
  EXPECT_EQ(documents.Get(kinds, "a", make)->text, "text 1");
  EXPECT_EQ(documents.Get(kinds, "a", make)->text, "text 1");
  EXPECT_EQ(documents.Get(NoKinds(), "a", make)->text, "text 2");
  EXPECT_EQ(documents.Get(kinds, "b", [](const Kinds&) { return Text(); }), nullptr);
}

TEST(Documents, ADocumentBeingMadeBlocksNoOtherCaller) {
  Documents documents;
  const auto kinds = NoKinds(), newer = NoKinds();
  const auto inner = [](const Kinds&) { return Text("inner"); };
  const auto outer = [&](const Kinds&) {
    EXPECT_EQ(documents.Get(kinds, "b", inner)->text, "inner");
    EXPECT_EQ(documents.Get(newer, "a", inner)->text, "inner");
    return Text("outer");
  };
  EXPECT_EQ(documents.Get(kinds, "a", outer)->text, "outer");
  EXPECT_EQ(documents.Get(newer, "a", outer)->text, "inner");  // what came late does not replace it
}

}  // namespace
}  // namespace allot::apiserver

#include "apiserver/kinds/kind.h"

#include "apiserver/kinds/columns/table.h"
#include "base/test_util.h"

namespace allot::apiserver {
namespace {

using ::testing::ElementsAre;
using ::testing::IsNull;
using ::testing::NotNull;

TEST(Kinds, AreFoundByResourceAndByKind) {
  const Kinds kinds(EmptyKinds());
  const Kind* services = kinds.Find("", "v1", "services");
  ASSERT_THAT(services, NotNull());
  EXPECT_EQ(services, kinds.FindKind("", "v1", "Service"));
  EXPECT_EQ(services->ApiVersion(), "v1");
  EXPECT_THAT(kinds.Find("storage.k8s.io", "v1", "csinodes"), NotNull());
  EXPECT_THAT(kinds.Find("", "v1", "csinodes"), IsNull());
  EXPECT_THAT(kinds.Find("", "v2", "services"), IsNull());
  EXPECT_THAT(kinds.FindKind("", "v1", "services"), IsNull());
}

TEST(NamedKind, HasTheNamesThatFollowFromItsKind) {
  const Kind kind = NamedKind("storage.k8s.io/v1", "csidrivers", "CSIDriver", false);
  EXPECT_EQ(kind.type.group, "storage.k8s.io");
  EXPECT_EQ(kind.type.version, "v1");
  EXPECT_EQ(kind.singular, "csidriver");
  EXPECT_EQ(kind.list_kind, "CSIDriverList");
  EXPECT_FALSE(kind.type.namespaced);
}

TEST(BuiltInKinds, OnlyANodeIsMadeWithAStatus) {
  for (const auto& kind : BuiltInKinds()) EXPECT_EQ(kind->keeps_status_on_create, kind->type.FullName() == "nodes");
}

TEST(EmptyKinds, CanBeShownButHaveNoSchema) {
  for (const auto& kind : EmptyKinds()) {
    EXPECT_TRUE(kind->empty);
    EXPECT_THAT(kind->schema, IsNull());
    EXPECT_THAT(kind->rules, NotNull());
    EXPECT_TRUE(kind->row != nullptr);
  }
}

TEST(Kind, FindsItsSubresources) {
  Kind kind;
  kind.subresources = {{.name = "status", .group = "", .version = "", .kind = "", .verbs = {"get"}}};
  ASSERT_THAT(kind.FindSubresource("status"), NotNull());
  EXPECT_THAT(kind.FindSubresource("status")->verbs, ElementsAre("get"));
  EXPECT_THAT(kind.FindSubresource("scale"), IsNull());
}

}  // namespace
}  // namespace allot::apiserver

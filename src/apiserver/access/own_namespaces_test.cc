#include "apiserver/access/own_namespaces.h"

#include "apiserver/access/local_users.h"
#include "apiserver/controllers/fake_api.h"
#include "base/test_util.h"

namespace allot::apiserver {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// Identifies every user as postgres.
class Postgres final : public Access {
 public:
  std::optional<Identity> Identify(const http::RequestContext&) const override {
    return Identity{"postgres", "70", {std::string(kUsersGroup)}, "postgres"};
  }
  Status Allow(const Identity& who, const Ask& what) const override {
    return who.space == what.space ? Status() : Invalid("User \"postgres\" cannot");
  }
};

class OwnNamespacesTest : public ::testing::Test {
 protected:
  void Make(const std::string& name, const std::string& user) {
    const std::string annotations = user.empty() ? "{}" : StrCat(R"({"allot.dev/user":")", user, "\"}");
    const auto body = json::Parse(StrCat(R"({"metadata":{"name":")", name, R"(","annotations":)", annotations, "}}"));
    ASSERT_OK(api_.Create({}, {api_.BuiltIn("namespaces")}, body->root(), {}));
  }
  Identity Who() { return *access_.Identify({}); }

  FakeClock clock_;
  FakeApi api_{clock_};
  const Postgres everybody_;
  const OwnNamespaces access_{everybody_, api_};
};

TEST_F(OwnNamespacesTest, AUserGetsANamespaceWithTheirName) {
  EXPECT_EQ(Who().space, "postgres");
  EXPECT_EQ(UserOfSpace(api_.store(), "postgres"), "postgres");
  EXPECT_EQ(Who().space, "postgres");
}

TEST_F(OwnNamespacesTest, ANamespaceOfTheAdminIsNotTheUsersEvenIfItHasTheirName) {
  Make("postgres", "");
  EXPECT_THAT(Who().space, StartsWith("user-postgres-"));
  EXPECT_EQ(UserOfSpace(api_.store(), Who().space), "postgres");
  EXPECT_EQ(UserOfSpace(api_.store(), "postgres"), "");
}

TEST_F(OwnNamespacesTest, AUserWithoutANamespaceIsToldWhy) {
  Make("postgres", "alice");
  Make(MappedSpaceOf("postgres"), "");
  EXPECT_EQ(Who().space, "");
  EXPECT_THAT(
      access_.Allow(Who(), {"create", "", "pods", "", "postgres", "", ""}),
      IsStatus(Code::kInvalid, HasSubstr(StrCat("kubectl annotate namespace ", MappedSpaceOf("postgres"), " allot.dev/user=postgres"))));
}

}  // namespace
}  // namespace allot::apiserver

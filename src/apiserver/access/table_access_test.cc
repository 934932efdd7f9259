#include "apiserver/access/table_access.h"

#include "base/fake_file_system.h"
#include "base/test_util.h"

namespace allot::apiserver {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

http::RequestContext WithToken(const std::string& header) {
  http::RequestContext context;
  context.request.headers.Add("Authorization", header);
  return context;
}

http::RequestContext FromSocket(uid_t uid) {
  http::RequestContext context;
  context.credentials = http::PeerCredentials{.uid = uid};
  return context;
}

class TableAccessTest : public ::testing::Test {
 protected:
  TableAccessTest() : tokens_(Made(files_, random_)), access_(*tokens_, {.admins = {0, 900}, .name = &NameOf}) {
    tokens_->Add("admin-token", {"system:admin", "", {"system:authenticated", "system:masters"}});
  }

  static std::unique_ptr<Tokens> Made(FakeFileSystem& files, Random& random) {
    EXPECT_OK(files.WriteFileAtomic("/given", "alice-token,alice,1000,allot:users\nguest-token,guest,1001\n"));
    return *Tokens::Open(files, random, {"/issued", "/given"});
  }
  static std::optional<std::string> NameOf(uid_t uid) {
    if (uid == 666) return std::nullopt;  // the directory server is down
    return uid == 1000 ? "alice" : uid == 1002 ? "Jane.Doe" : StrCat("uid-", static_cast<uint64_t>(uid));
  }

  std::string User(const http::RequestContext& context) {
    const std::optional<Identity> who = access_.Identify(context);
    return who ? who->user : "nobody";
  }
  // `resource`: "jobs.batch/status".
  bool May(const Identity& who, std::string_view verb, std::string_view resource, std::string_view space) {
    const size_t slash = resource.find('/'), dot = resource.find('.');
    const std::string sub(slash == std::string_view::npos ? "" : resource.substr(slash + 1));
    const std::string group(dot >= slash ? "" : resource.substr(dot + 1, slash == std::string_view::npos ? slash : slash - dot - 1));
    return access_
        .Allow(who, {std::string(verb), group, std::string(resource.substr(0, std::min(dot, slash))), sub, std::string(space), "", ""})
        .ok();
  }

  FakeFileSystem files_;
  SeededRandom random_{1};
  std::unique_ptr<Tokens> tokens_;
  TableAccess access_;
  const Identity admin_{"system:admin", "", {"system:authenticated", "system:masters"}};
  const Identity alice_{"alice", "1000", {"system:authenticated", "allot:users"}, "alice"};
  const Identity guest_{"guest", "1001", {"system:authenticated"}};
};

TEST_F(TableAccessTest, ATokenIsItsOwner) {
  EXPECT_EQ(User(WithToken("Bearer admin-token")), "system:admin");
  EXPECT_EQ(User(WithToken("Bearer alice-token")), "alice");
  EXPECT_EQ(access_.Identify(WithToken("Bearer alice-token"))->space, "alice");
  EXPECT_EQ(access_.Identify(WithToken("Bearer admin-token"))->space, "");
  EXPECT_EQ(access_.Identify(WithToken("Bearer guest-token"))->space, "");
}

TEST_F(TableAccessTest, ABadTokenIdentifiesNoUserEvenOnTheSocket) {
  for (const char* header :
       {"", "Bearer", "Bearer ", "Bearer x", "bearer admin-token", "admin-token", "Basic YWRtaW46eA==", "Bearer admin-token2"}) {
    EXPECT_EQ(User(WithToken(header)), "nobody") << header;
    http::RequestContext context = FromSocket(0);
    context.request.headers.Add("Authorization", header);
    EXPECT_EQ(User(context), "nobody") << header;
  }
  EXPECT_EQ(User({}), "nobody");
}

TEST_F(TableAccessTest, ThePeerOfTheSocketIsTheUserOfTheSystem) {
  const std::optional<Identity> alice = access_.Identify(FromSocket(1000));
  ASSERT_TRUE(alice);
  EXPECT_EQ(alice->user, "alice");
  EXPECT_EQ(alice->uid, "1000");
  EXPECT_THAT(alice->groups, ElementsAre("system:authenticated", "allot:users"));
  EXPECT_EQ(alice->space, "alice");
  EXPECT_THAT(access_.Identify(FromSocket(1002))->space, ::testing::StartsWith("user-jane-doe-"));
  EXPECT_EQ(User(FromSocket(4711)), "uid-4711");
  EXPECT_EQ(User(FromSocket(666)), "nobody");
}

TEST_F(TableAccessTest, AdminsOfTheSocketAreOfTheMastersAndHaveNoNamespace) {
  for (const uid_t uid : {0u, 900u}) {
    EXPECT_THAT(access_.Identify(FromSocket(uid))->groups, ElementsAre("system:authenticated", "system:masters"));
    EXPECT_EQ(access_.Identify(FromSocket(uid))->space, "");
  }
}

TEST_F(TableAccessTest, AnAdminMayImpersonateAndThenLosesTheirOwnRights) {
  http::RequestContext context = WithToken("Bearer admin-token");
  context.request.headers.Add("Impersonate-User", "alice");
  EXPECT_THAT(access_.Identify(context)->groups, ElementsAre("system:authenticated"));
  context.request.headers.Add("Impersonate-Group", "allot:users");
  const std::optional<Identity> who = access_.Identify(context);
  EXPECT_EQ(who->user, "alice");
  EXPECT_EQ(who->space, "alice");
  EXPECT_FALSE(May(*who, "get", "secrets", "bob"));
}

TEST_F(TableAccessTest, AUserWhoImpersonatesIsRefused) {
  http::RequestContext context = FromSocket(1000);
  context.request.headers.Add("Impersonate-User", "bob");
  context.request.headers.Add("Impersonate-Group", "system:masters");
  const std::optional<Identity> who = access_.Identify(context);
  ASSERT_TRUE(who);
  EXPECT_TRUE(who->groups.empty());
  EXPECT_EQ(who->refused,
            "users \"bob\" is forbidden: User \"alice\" cannot impersonate resource \"users\" in API group \"\" at the cluster scope");
  EXPECT_FALSE(May(*who, "get", "pods", "bob"));
  EXPECT_FALSE(May(*who, "get", "pods", "alice"));
}

TEST_F(TableAccessTest, AdminsMayEverything) {
  for (const char* verb : {"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"}) {
    EXPECT_TRUE(May(admin_, verb, "secrets", "alice"));
    EXPECT_TRUE(May(admin_, verb, "nodes/status", ""));
    EXPECT_TRUE(May(admin_, verb, "widgets", "lab"));
  }
}

TEST_F(TableAccessTest, UsersWorkInTheirOwnNamespace) {
  for (const char* resource : {"pods", "pods/log", "pods/eviction", "configmaps", "secrets", "events", "deployments.apps",
                               "deployments.apps/scale", "replicasets.apps", "replicasets.apps/scale", "jobs.batch",
                               "resourceclaims.resource.k8s.io", "resourceclaimtemplates.resource.k8s.io", "leases.coordination.k8s.io"}) {
    EXPECT_TRUE(May(alice_, "create", resource, "alice")) << resource;
    EXPECT_TRUE(May(alice_, "deletecollection", resource, "alice")) << resource;
    EXPECT_FALSE(May(alice_, "create", resource, "bob")) << resource;
    EXPECT_FALSE(May(alice_, "delete", resource, "")) << resource;
  }
}

TEST_F(TableAccessTest, UsersReadButDoNotWriteWhatControllersWrite) {
  for (const char* resource : {"serviceaccounts", "pods/status", "deployments.apps/status", "replicasets.apps/status", "jobs.batch/status",
                               "resourceclaims.resource.k8s.io/status"}) {
    EXPECT_TRUE(May(alice_, "get", resource, "alice")) << resource;
    EXPECT_FALSE(May(alice_, "update", resource, "alice")) << resource;
    EXPECT_FALSE(May(alice_, "patch", resource, "alice")) << resource;
    EXPECT_FALSE(May(alice_, "get", resource, "bob")) << resource;
  }
}

TEST_F(TableAccessTest, UsersSeeTheUsersTheyShareWith) {
  for (const char* resource : {"namespaces", "nodes", "pods", "resourceclaims.resource.k8s.io", "resourceclaimtemplates.resource.k8s.io",
                               "resourceslices.resource.k8s.io", "deviceclasses.resource.k8s.io", "priorityclasses.scheduling.k8s.io",
                               "runtimeclasses.node.k8s.io", "customresourcedefinitions.apiextensions.k8s.io", "events", "deployments.apps",
                               "replicasets.apps", "jobs.batch"}) {
    for (const char* verb : {"get", "list", "watch"}) EXPECT_TRUE(May(alice_, verb, resource, "")) << verb << " " << resource;
    EXPECT_TRUE(May(alice_, "get", resource, "bob")) << resource;
    EXPECT_FALSE(May(alice_, "patch", resource, "bob")) << resource;
  }
}

TEST_F(TableAccessTest, WhatNoRowAllowsUsersMayNot) {
  for (const char* space : {"", "bob", "kube-system"}) {
    for (const char* resource : {"secrets", "configmaps", "pods/log", "leases.coordination.k8s.io"})
      EXPECT_FALSE(May(alice_, "list", resource, space)) << resource;
  }
  for (const char* resource : {"pods/binding", "pods/ephemeralcontainers", "serviceaccounts/token", "widgets", "", "log"}) {
    EXPECT_FALSE(May(alice_, "create", resource, "alice")) << resource;
  }
  EXPECT_FALSE(May(alice_, "create", "namespaces", ""));
  EXPECT_FALSE(May(alice_, "", "pods", "bob"));
  EXPECT_FALSE(May(guest_, "get", "pods", "alice"));
}

TEST_F(TableAccessTest, ACustomKindOfTheSameNameIsAnotherKind) {
  for (const char* resource : {"pods.evil.example.com", "pods.evil.example.com/log", "secrets.apps", "jobs", "deployments.example.com"}) {
    for (const char* verb : {"get", "create"}) EXPECT_FALSE(May(alice_, verb, resource, "alice")) << verb << " " << resource;
  }
  EXPECT_TRUE(May(admin_, "create", "pods.evil.example.com", "alice"));
}

TEST_F(TableAccessTest, ARefusalNamesTheUserTheResourceAndTheNamespace) {
  EXPECT_THAT(access_.Allow(alice_, {"list", "", "secrets", "", "bob", "", ""}),
              IsStatus(Code::kInvalid, "User \"alice\" cannot list resource \"secrets\" in API group \"\" in the namespace \"bob\""));
  EXPECT_THAT(access_.Allow(alice_, {"create", "", "nodes", "", "", "", ""}), IsStatus(Code::kInvalid, HasSubstr("at the cluster scope")));
}

TEST_F(TableAccessTest, DocumentsAboutTheServerAreOpenToEveryIdentifiedUser) {
  EXPECT_OK(access_.Allow(guest_, {"get", "", "", "", "", "", "/version"}));
}

TEST(WriteAccessTable, IsForPeople) {
  const std::string text = WriteAccessTable();
  EXPECT_THAT(text, HasSubstr("system:masters, everywhere: everything\n    all kinds\n"));
  EXPECT_THAT(text, HasSubstr("allot:users, in their own namespace: everything\n    pods pods/log"));
  for (const std::string_view line : Split(text, '\n')) EXPECT_LE(line.size(), 80u);
}

}  // namespace
}  // namespace allot::apiserver

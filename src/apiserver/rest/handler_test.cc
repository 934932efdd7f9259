#include "apiserver/rest/handler.h"

#include <filesystem>

#include "apiserver/kinds/custom/kind.h"
#include "apiserver/kinds/custom/test_util.h"
#include "apiserver/registry/registry.h"
#include "apiserver/rest/test_handler.h"
#include "base/fake_clock.h"
#include "base/test_util.h"
#include "json/json.h"

namespace allot::apiserver {
namespace {

using testing::HasSubstr;

class Everybody final : public Access {
 public:
  std::optional<Identity> Identify(const http::RequestContext& context) const override {
    Identity who{std::string(context.request.headers.Get("User")), "", {"system:masters"}};
    if (who.user == "liar") who.refused = "you are somebody else";
    return who;
  }
  Status Allow(const Identity&, const Ask&) const override { return Status(); }
};

// An Api in which another writer is faster than the first patches.
class Contended final : public ForwardingApi {
 public:
  using ForwardingApi::ForwardingApi;

  Result<Answer> Patch(const Caller& caller, const Target& target, PatchType type, const json::Value& patch,
                       const WriteOptions& options) override {
    if (others > 0) {
      --others;
      const auto label = json::Parse(StrCat(R"({"metadata":{"labels":{"other":")", ++writes_, "\"}}}"));
      EXPECT_OK(ForwardingApi::Patch(caller, target, PatchType::kMerge, label->root(), {}));
    }
    return ForwardingApi::Patch(caller, target, type, patch, options);
  }

  int others = 0;

 private:
  int writes_ = 0;
};

constexpr std::string_view kDeployment = R"({"metadata":{"name":"d"},"spec":{"replicas":2,"selector":{"matchLabels":{"app":"a"}},
    "template":{"metadata":{"labels":{"app":"a"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}})";
constexpr std::string_view kDeployments = "/apis/apps/v1/namespaces/lab/deployments",
                           kScale = "/apis/apps/v1/namespaces/lab/deployments/d/scale";
constexpr std::string_view kThings = "/apis/example.com/v1/namespaces/lab/things",
                           kThingScale = "/apis/example.com/v1/namespaces/lab/things/t/scale";
constexpr std::string_view kMerge = "application/merge-patch+json", kJson = "application/json-patch+json";

class HandlerTest : public testing::Test {
 protected:
  HandlerTest() {
    folder_ = std::filesystem::path(testing::TempDir()) /
              StrCat("allot-handler-", ::getpid(), "-", testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    store_ = *Store::Open((folder_ / "store.db").string(), StoreOptions());
    registry_ = std::make_unique<Registry>(Registry::Parts{*store_, clock_, random_, {}});
    api_ = std::make_unique<Contended>(*registry_);
    hub_ = std::make_unique<WatchHub>(*store_);
    handler_ = std::make_unique<RestHandler>(RestHandler::Parts{*api_, *hub_, access_, clock_, nullptr});
  }
  ~HandlerTest() override {
    hub_.reset();
    std::filesystem::remove_all(folder_);
  }

  // With a kind "things" that has a scale.
  void ServeThings() {
    constexpr std::string_view kSpec =
        "{type: object, properties: {size: {type: integer}, want: {type: object, x-kubernetes-preserve-unknown-fields: true}}}";
    definition_ = Yaml(Definition(kSpec, R"(    subresources:
      scale: {specReplicasPath: .spec.want.count, statusReplicasPath: .status.have, labelSelectorPath: .status.selector})"));
    api_->SetCustomKinds(*KindsOf(definition_.root()));
  }

  http::Response Ask(std::string_view method, std::string_view target, std::string_view body = "",
                     std::string_view type = "application/json", std::string_view agent = "test/1", std::string_view user = "me") {
    http::RequestContext context;
    context.request = {.method = std::string(method), .target = std::string(target), .headers = {}, .body = std::string(body)};
    context.request.headers.Add("Content-Type", type);
    context.request.headers.Add("User-Agent", agent);
    context.request.headers.Add("User", user);
    const auto sent = std::make_shared<Sent>();
    handler_->Handle(context, sent);
    EXPECT_OK(json::Parse(sent->response.body)) << sent->response.body;
    return sent->response;
  }
  int CodeOf(std::string_view method, std::string_view target, std::string_view body = "", std::string_view type = "application/json") {
    return Ask(method, target, body, type).status;
  }
  int64_t Replicas(std::string_view object) {
    const auto document = json::Parse(Ask("GET", object).body);
    return document->root()["spec"]["replicas"].AsInt64().value_or(-1);
  }

  std::filesystem::path folder_;
  FakeClock clock_;
  SeededRandom random_{1};
  Everybody access_;
  json::Document definition_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Registry> registry_;
  std::unique_ptr<Contended> api_;
  std::unique_ptr<WatchHub> hub_;
  std::unique_ptr<RestHandler> handler_;
};

TEST_F(HandlerTest, TextThatIsNotUtf8IsRefused) {
  constexpr std::string_view kSecret = R"({"metadata":{"name":"s"}})";
  EXPECT_EQ(CodeOf("PUT", "/api/v1/namespaces/lab/secrets/a%FF", kSecret), 400);
  EXPECT_EQ(CodeOf("POST", "/api/v1/namespaces/l%FFab/secrets", kSecret), 400);
  EXPECT_EQ(CodeOf("POST", "/api/v1/namespaces/lab/secrets?fieldManager=%FF", kSecret), 400);
  EXPECT_EQ(CodeOf("POST", "/api/v1/namespaces/lab/secrets?fieldManager=a%0Ab", kSecret), 422);
  EXPECT_EQ(Ask("POST", "/api/v1/namespaces/lab/secrets", kSecret, "application/json", "test", "\xff").status, 400);
  const http::Response made =
      Ask("POST", "/api/v1/namespaces/lab/secrets", R"({"metadata":{"name":"s"},"data":{}})", "application/json", "a\x01g\xff/1");
  EXPECT_EQ(made.status, 201);
  EXPECT_THAT(made.body, HasSubstr("\"manager\":\"ag\uFFFD\""));
}

TEST_F(HandlerTest, SubresourcesThatNeedAContainerRuntimeExplainThemselves) {
  for (const std::string_view part : {"exec?command=sh", "attach", "portforward", "proxy"}) {
    for (const std::string_view method : {"GET", "POST"}) {
      const http::Response refused = Ask(method, StrCat("/api/v1/namespaces/lab/pods/p/", part));
      EXPECT_EQ(refused.status, 501) << part;
      EXPECT_THAT(refused.body, HasSubstr(R"("reason":"NotImplemented")"));
      EXPECT_THAT(refused.body, HasSubstr("containers of this API are processes of the machine; "));
    }
  }
  EXPECT_EQ(CodeOf("POST", "/api/v1/namespaces/lab/pods/p/other"), 404);
  EXPECT_EQ(CodeOf("POST", "/api/v1/namespaces/lab/secrets/p/exec"), 404);
}

TEST_F(HandlerTest, ARefusedUserIsToldWhy) {
  const http::Response refused = Ask("GET", kDeployments, "", "application/json", "test/1", "liar");
  EXPECT_EQ(refused.status, 403);
  EXPECT_THAT(refused.body, HasSubstr("you are somebody else"));
}

TEST_F(HandlerTest, AVersionThatIsDeprecatedIsWarnedOf) {
  ServeThings();
  auto kind = std::make_shared<Kind>(*api_->kinds()->all().back());
  EXPECT_FALSE(Ask("GET", kThings).headers.Has("Warning"));
  kind->deprecation = "old; take v2";
  api_->SetCustomKinds({kind});
  EXPECT_EQ(Ask("GET", kThings).headers.Get("Warning"), R"(299 - "old; take v2")");
  EXPECT_EQ(Ask("GET", StrCat(kThings, "/none")).headers.Get("Warning"), R"(299 - "old; take v2")");
}

TEST_F(HandlerTest, AnOpenApiDocumentIsThereForEachGroupAndVersion) {
  EXPECT_THAT(Ask("GET", "/openapi/v3/apis/apps/v1").body, HasSubstr("/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale"));
  for (const std::string_view path : {"/openapi/v3/apis/none/v1", "/openapi/v3/apis/apps", "/openapi/v3/api/v1/x"}) {
    EXPECT_EQ(CodeOf("GET", path), 404) << path;
  }
}

TEST_F(HandlerTest, AScaleIsReadAndWritten) {
  ASSERT_EQ(CodeOf("POST", kDeployments, kDeployment), 201);
  EXPECT_THAT(Ask("GET", kScale).body, HasSubstr(R"("spec":{"replicas":2},"status":{"replicas":0,"selector":"app=a"})"));
  EXPECT_EQ(CodeOf("HEAD", kScale), 200);
  EXPECT_EQ(CodeOf("PUT", kScale, R"({"metadata":{"name":"d"},"spec":{"replicas":3}})"), 200);
  EXPECT_EQ(Replicas(StrCat(kDeployments, "/d")), 3);
  EXPECT_EQ(CodeOf("PUT", kScale, R"({"metadata":{"name":"d","resourceVersion":"1"},"spec":{"replicas":4}})"), 409);
  EXPECT_EQ(CodeOf("PUT", kScale, R"({"metadata":{"name":"d","uid":"x"},"spec":{"replicas":4}})"), 409);
  EXPECT_EQ(CodeOf("PUT", kScale, R"({"metadata":{"name":"e"},"spec":{"replicas":4}})"), 400);
  EXPECT_EQ(CodeOf("PUT", kScale, R"({"kind":"Deployment","spec":{"replicas":4}})"), 400);
  EXPECT_EQ(CodeOf("PUT", kScale, R"({"spec":{"replicas":"4"}})"), 400);
  EXPECT_THAT(Ask("PUT", kScale, R"({"spec":{"replicas":-1}})").body,
              HasSubstr(R"(Scale.autoscaling \"d\" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0)"));
  EXPECT_EQ(Replicas(StrCat(kDeployments, "/d")), 3);
}

TEST_F(HandlerTest, APatchOfAScaleIsRetriedAfterAConflict) {
  ASSERT_EQ(CodeOf("POST", kDeployments, kDeployment), 201);
  for (const auto& [type, patch] :
       {std::pair(kMerge, R"({"spec":{"replicas":5}})"), {kJson, R"([{"op":"replace","path":"/spec/replicas","value":5}])"}}) {
    api_->others = 3;
    EXPECT_EQ(CodeOf("PATCH", kScale, patch, type), 200);
    EXPECT_EQ(api_->others, 0);
    EXPECT_EQ(Replicas(StrCat(kDeployments, "/d")), 5);
  }
  // A patch that names a version is not retried.
  const auto document = json::Parse(Ask("GET", kScale).body);
  const std::string_view version = json::TextOf(document->root()["metadata"]["resourceVersion"]);
  const std::string patch = StrCat(R"({"metadata":{"resourceVersion":")", version, R"("},"spec":{"replicas":6}})");
  api_->others = 1;
  EXPECT_EQ(CodeOf("PATCH", kScale, patch, kMerge), 409);
  EXPECT_EQ(CodeOf("PATCH", kScale, R"({"metadata":{"uid":"x"}})", kMerge), 409);
  EXPECT_EQ(Replicas(StrCat(kDeployments, "/d")), 5);
}

TEST_F(HandlerTest, AMalformedPatchOfAScaleIsABadRequest) {
  ASSERT_EQ(CodeOf("POST", kDeployments, kDeployment), 201);
  for (const auto& [type, patch] : {std::pair(kMerge, R"("x")"),
                                    {kMerge, "{"},
                                    {kMerge, "[]"},
                                    {kMerge, ""},
                                    {kJson, R"("x")"},
                                    {kJson, "{}"},
                                    {kJson, "["},
                                    {kJson, "[1]"},
                                    {kMerge, R"({"spec":{"replicas":"five"}})"},
                                    {kMerge, R"({"spec":5})"},
                                    {kMerge, R"({"spec":{"replicas":3000000000}})"}}) {
    EXPECT_EQ(CodeOf("PATCH", kScale, patch, type), 400) << type << " " << patch;
  }
  EXPECT_EQ(CodeOf("PATCH", kScale, R"([{"op":"remove","path":"/none"}])", kJson), 422);
  EXPECT_EQ(CodeOf("PATCH", kScale, "{}", "text/plain"), 415);
  EXPECT_EQ(Replicas(StrCat(kDeployments, "/d")), 2);
}

TEST_F(HandlerTest, ACustomObjectIsMadeInAVersionThatIsNotTheStoredOne) {
  definition_ =
      Yaml(R"({metadata: {name: xs.g.io}, spec: {group: g.io, scope: Namespaced, names: {plural: xs, kind: X, singular: x, listKind: XList},
    versions: [{name: v1, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}},
               {name: v2, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}})");
  api_->SetCustomKinds(*KindsOf(definition_.root()));
  EXPECT_THAT(Ask("POST", "/apis/g.io/v1/namespaces/lab/xs", R"({"kind":"X","apiVersion":"g.io/v1","metadata":{"name":"a"}})").body,
              HasSubstr(R"({"kind":"X","apiVersion":"g.io/v1","metadata":{"name":"a")"));
  EXPECT_THAT(Ask("GET", "/apis/g.io/v2/namespaces/lab/xs/a").body, HasSubstr(R"("apiVersion":"g.io/v2")"));
}

TEST_F(HandlerTest, ACustomKindIsScaledWhereItsDefinitionSays) {
  ServeThings();
  ASSERT_EQ(CodeOf("POST", kThings, R"({"kind":"Thing","apiVersion":"example.com/v1","metadata":{"name":"t"},"spec":{"size":1}})"), 201);
  EXPECT_THAT(Ask("GET", kThingScale).body, HasSubstr(R"("spec":{},"status":{"replicas":0})"));
  EXPECT_EQ(CodeOf("PATCH", kThingScale, R"({"metadata":{}})", kMerge), 400);
  EXPECT_THAT(Ask("PATCH", kThingScale, R"({"spec":{"replicas":2}})", kMerge).body, HasSubstr(R"("spec":{"replicas":2})"));
  EXPECT_THAT(Ask("GET", StrCat(kThings, "/t")).body, HasSubstr(R"("spec":{"size":1,"want":{"count":2}})"));
  EXPECT_EQ(CodeOf("PUT", kThingScale, R"({"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"t"},"spec":{"replicas":7}})"),
            200);
  EXPECT_EQ(CodeOf("PUT", kThingScale, R"({"metadata":{"name":"t","resourceVersion":"1"},"spec":{"replicas":8}})"), 409);
  EXPECT_THAT(Ask("PUT", kThingScale, R"({"metadata":{"name":"t"},"spec":{"replicas":-1}})").body,
              HasSubstr("want.count: Invalid value: -1: should be a non-negative integer"));
  EXPECT_EQ(CodeOf("PATCH", kThingScale, "{}", "application/strategic-merge-patch+json"), 415);
  EXPECT_EQ(Replicas(kThingScale), 7);
  EXPECT_THAT(
      Ask("GET", "/apis/example.com/v1").body,
      HasSubstr(R"({"name":"things/scale","singularName":"","namespaced":true,"group":"autoscaling","version":"v1","kind":"Scale")"));
}

}  // namespace
}  // namespace allot::apiserver

#include <unistd.h>

#include <chrono>

#include "base/test_util.h"
#include "cli/fake_api.h"

namespace allot::cli {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class ManifestFile {
 public:
  explicit ManifestFile(std::string_view text) : path_(StrCat(testing::TempDir(), "allot-apply-", ::getpid(), ".yaml")) {
    std::ofstream(path_) << text;
  }
  ~ManifestFile() { std::remove(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  const std::string path_;
};

http::Response NotThere(std::string_view what) { return FakeApi::Refused(404, "NotFound", what); }
std::string Map(std::string_view name, int version) {
  return StrCat(R"({"kind":"ConfigMap","metadata":{"name":")", name, R"(","resourceVersion":")", version, R"(","uid":"u"}})");
}

constexpr std::string_view kObject = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\n---\n";
constexpr std::string_view kDefinition =
    "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: widgets.example.com}\n"
    "spec: {group: example.com, scope: Namespaced, names: {kind: Widget, plural: widgets}, versions: [{name: v1, served: true, storage: "
    "true}]}\n"
    "---\n";
constexpr std::string_view kDiscovery =
    R"({"kind":"APIGroupDiscoveryList","items":[{"metadata":{"name":"apiextensions.k8s.io"},"versions":[{"version":"v1",
  "resources":[{"resource":"customresourcedefinitions","responseKind":{"kind":"CustomResourceDefinition"},"scope":"Cluster","verbs":["get","list"]}]}]}]})";

// Serves widgets from the second request on.
FakeApi::Answer Definitions() {
  return [tries = std::make_shared<int>(0)](const http::Request& request) {
    if (request.target == "/api" || request.target == "/apis") return FakeApi::Json(200, kDiscovery);
    const bool widget = request.target.find("/widgets/") != std::string::npos;
    if (widget && (*tries)++ == 0) return http::Response{404, {}, "404 page not found\n"};
    if (request.method == "GET") return NotThere("customresourcedefinitions \"x\" not found");
    return FakeApi::Json(201, R"({"metadata":{"name":"w","resourceVersion":"5"}})");
  };
}

TEST(Apply, ADefinitionComesBeforeItsObjectsAndIsWaitedFor) {
  const ManifestFile file(StrCat(kObject, kDefinition));
  FakeApi api(Definitions());
  const FakeApi::Outcome outcome = api.Run({"apply", "-f", file.path()});
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out,
            "customresourcedefinition.apiextensions.k8s.io/widgets.example.com created\n"
            "widget.example.com/w created\n");
}

TEST(Apply, SendsNothingIfAKindIsUnknown) {
  const ManifestFile file(StrCat(kDefinition, "apiVersion: example.com/v2\nkind: Widget\nmetadata: {name: w}\n"));
  FakeApi api(Definitions());
  const FakeApi::Outcome outcome = api.Run({"apply", "-f", file.path()});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("no matches for kind \"Widget\" in version \"example.com/v2\""));
  for (const std::string& request : api.requests()) EXPECT_THAT(request, testing::StartsWith("GET /api"));
}

TEST(Apply, ManyObjectsCostOneRequestEachAndAList) {
  std::string text, items;
  for (int i = 0; i < 40; ++i) {
    text += StrCat("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m", i, "}\n---\n");
    if (i < 20) items += StrCat(i == 0 ? "" : ",", R"({"metadata":{"name":"m)", i, R"(","resourceVersion":"7"}})");
  }
  const ManifestFile file(text);
  FakeApi api([&](const http::Request& request) {
    if (request.method == "GET") return FakeApi::Json(200, StrCat(R"({"metadata":{},"items":[)", items, "]}"));
    return FakeApi::Json(200, Map("m", request.target.find("/m1?") != std::string::npos ? 8 : 7));
  });
  const auto began = std::chrono::steady_clock::now();
  const FakeApi::Outcome outcome = api.Run({"apply", "-f", file.path()});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(api.requests().size(), 41u);
  EXPECT_THAT(outcome.out, HasSubstr("configmap/m0 unchanged\nconfigmap/m1 configured\n"));
  EXPECT_THAT(outcome.out, HasSubstr("configmap/m39 created\n"));
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(10));
}

TEST(Apply, WithoutQpsTheClientHasNoRateLimit) {
  std::string text;
  for (int i = 0; i < 150; ++i) text += StrCat("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m", i, "}\n---\n");
  const ManifestFile file(text);
  FakeApi api([](const http::Request& request) {
    return request.method == "GET" ? FakeApi::Refused(403, "Forbidden", "no list") : FakeApi::Json(201, Map("m", 7));
  });
  // If the list is refused, each object is requested; here each gets a 403.
  EXPECT_EQ(api.Run({"apply", "-f", file.path(), "--qps=1", "--burst=2", "--request-timeout=50ms"}).code, 1);
  const size_t limited = api.requests().size();
  EXPECT_LT(limited, 10u);
  EXPECT_EQ(api.Run({"apply", "-f", file.path(), "--request-timeout=50ms"}).code, 1);
  EXPECT_GE(api.requests().size(), limited + 150);
}

TEST(Apply, BothDryRunsSayTheSame) {
  const ManifestFile file("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\n");
  FakeApi api([](const http::Request&) {
    return FakeApi::Json(200, R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m","uid":"u"}})");
  });
  EXPECT_EQ(api.Run({"apply", "-f", file.path(), "--dry-run=client"}).out, "configmap/m unchanged (dry run)\n");
  EXPECT_EQ(api.Run({"apply", "-f", file.path(), "--dry-run=server"}).out, "configmap/m unchanged (server dry run)\n");
}

TEST(Apply, AddressesAreNotRead) {
  FakeApi api([](const http::Request&) { return NotThere("x"); });
  EXPECT_THAT(api.Run({"apply", "-f", "https://x/y.yaml"}).err, HasSubstr("https://x/y.yaml: addresses are not read; fetch it first"));
}

TEST(Delete, DoesNotWaitForAnObjectThatIsGoneAtOnce) {
  FakeApi api([](const http::Request& request) {
    if (request.method == "DELETE" && request.target.find("/slow") == std::string::npos) {
      return FakeApi::Json(200, R"({"kind":"Status","status":"Success","details":{"name":"m","uid":"u"}})");
    }
    return FakeApi::Json(200, request.method == "DELETE" ? Map("slow", 3) : R"({"metadata":{"resourceVersion":"4"},"items":[]})");
  });
  EXPECT_EQ(api.Run({"delete", "cm", "a", "b"}).code, 0);
  EXPECT_THAT(api.requests(),
              ElementsAre("DELETE /api/v1/namespaces/default/configmaps/a", "DELETE /api/v1/namespaces/default/configmaps/b"));
  EXPECT_EQ(api.Run({"delete", "cm", "slow"}).code, 0);
  EXPECT_THAT(api.requests(), Contains(AllOf(HasSubstr("GET /api/v1/namespaces/default/configmaps?"), HasSubstr("slow"))));
}

TEST(Delete, AWaitMayHaveALimit) {
  FakeApi api([](const http::Request& request) {
    // The object's version may be too old for a watch, so the watch starts at the version of the list.
    if (request.target.find("watch=1") != std::string::npos) {
      EXPECT_THAT(request.target, HasSubstr("resourceVersion=9"));
      return FakeApi::Json(200, "");
    }
    if (request.method == "DELETE") return FakeApi::Json(200, Map("m", 3));
    return FakeApi::Json(200, StrCat(R"({"metadata":{"resourceVersion":"9"},"items":[)", Map("m", 3), "]}"));
  });
  const FakeApi::Outcome outcome = api.Run({"delete", "cm", "m", "--timeout=100ms"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("timed out waiting for the condition on configmaps/m"));
}

TEST(Delete, AllAndASelectorAreRefused) {
  FakeApi api([](const http::Request&) { return NotThere("x"); });
  const FakeApi::Outcome outcome = api.Run({"delete", "pods", "--all", "-l", "a=b"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.err, "error: setting 'all' parameter but found a non empty selector. \n");
  EXPECT_THAT(api.requests(), IsEmpty());
}

}  // namespace
}  // namespace allot::cli

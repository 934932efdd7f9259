#include "apiserver/rest/request.h"

#include "apiserver/rest/content.h"
#include "apiserver/rest/token.h"
#include "base/test_util.h"
#include "json/json.h"

namespace allot::apiserver {
namespace {

using testing::HasSubstr;

TEST(ParsePath, FindsThePartsOfAnObject) {
  const Path path = ParsePath("/apis/resource.k8s.io/v1/namespaces/lab/resourceclaims/half/status?x=y");
  EXPECT_TRUE(path.is_api);
  EXPECT_EQ(path.group, "resource.k8s.io");
  EXPECT_EQ(path.version, "v1");
  EXPECT_EQ(path.space, "lab");
  EXPECT_EQ(path.resource, "resourceclaims");
  EXPECT_EQ(path.name, "half");
  EXPECT_EQ(path.subresource, "status");
}

TEST(ParsePath, DistinguishesANamespaceFromItsContent) {
  EXPECT_EQ(ParsePath("/api/v1/namespaces").resource, "namespaces");
  EXPECT_EQ(ParsePath("/api/v1/namespaces/lab").name, "lab");
  EXPECT_EQ(ParsePath("/api/v1/namespaces/lab/status").subresource, "status");
  EXPECT_EQ(ParsePath("/api/v1/namespaces/lab/finalize").subresource, "finalize");
  EXPECT_EQ(ParsePath("/api/v1/namespaces/lab/pods").space, "lab");
  EXPECT_TRUE(ParsePath("/api/v1/watch/pods").is_legacy_watch);
  EXPECT_FALSE(ParsePath("/version").is_api);
}

TEST(ParsePath, EscapesAreTakenBack) { EXPECT_EQ(ParsePath("/api/v1/namespaces/a/events/x%2Fy").name, "x/y"); }

TEST(Query, IsUnescapedAndTheFirstValueCounts) {
  const Query query = Query::Parse("/x?labelSelector=a%3Db%2Cc+in+%28d%29&watch=true&watch=false&flag&limit=5");
  EXPECT_EQ(query.Get("labelSelector"), "a=b,c in (d)");
  EXPECT_TRUE(query.Flag("watch"));
  EXPECT_TRUE(query.Flag("flag"));
  EXPECT_FALSE(query.Flag("none"));
  ASSERT_OK_AND_ASSIGN(const auto limit, query.Number("limit"));
  EXPECT_EQ(limit, 5);
}

TEST(Options, BadOnesAreRefusedByName) {
  EXPECT_THAT(ReadListOptions(Query::Parse("?limit=-1")).status().message(), HasSubstr("limit"));
  EXPECT_THAT(ReadListOptions(Query::Parse("?resourceVersionMatch=Exact")).status().message(), HasSubstr("resourceVersionMatch"));
  EXPECT_EQ(CodeOf(ReadWriteOptions(Query::Parse("?dryRun=Some"), false, false).status()), 422);
  EXPECT_EQ(CodeOf(ReadWriteOptions(Query::Parse(StrCat("?fieldManager=", std::string(200, 'x'))), false, false).status()), 422);
  EXPECT_EQ(CodeOf(ReadVersion("abc").status()), 400);
}

TEST(Options, AFieldManagerIsShortAndCanBePrinted) {
  EXPECT_OK(ReadWriteOptions(Query::Parse("?fieldManager=caf%C3%A9+bar"), false, false));
  const Status status = ReadWriteOptions(Query::Parse("?fieldManager=a%07%C2%AD"), false, false).status();
  EXPECT_EQ(CodeOf(status), 422);
  EXPECT_THAT(status.message(), HasSubstr("fieldManager: Invalid value: \"a\\a\\u00ad\": invalid character U+0007 (at position 1)"));
  EXPECT_THAT(status.message(), HasSubstr("invalid character U+00AD (at position 2)"));
}

TEST(CheckText, RefusesWhatIsNotUtf8) {
  const auto check = [](std::string_view target) { return CheckText(ParsePath(target), Query::Parse(target)); };
  EXPECT_OK(check("/api/v1/namespaces/lab/pods/caf%C3%A9?fieldManager=%E2%82%AC"));
  for (const std::string_view target : {"/api/v1/namespaces/lab/pods/a%FF", "/api/v1/namespaces/%C3/pods", "/x?fieldManager=%ED%A0%80",
                                        "/x?labelSelector=%FF", "/x?%FF=a"}) {
    EXPECT_EQ(CodeOf(check(target)), 400) << target;
    EXPECT_OK(json::Parse(WriteStatus(check(target)))) << target;
  }
}

TEST(ManagerOf, IsWhatTheUserAgentHasThatCanBePrinted) {
  const Query none = Query::Parse("/x");
  EXPECT_EQ(ManagerOf(Query::Parse("/x?fieldManager=me"), "kubectl/v1"), "me");
  EXPECT_EQ(ManagerOf(none, "kubectl/v1.36.4 (linux/amd64)"), "kubectl");
  EXPECT_EQ(ManagerOf(none, "a\x01\x7f\xc2\xad b\xff/1"), "a b\uFFFD");
  EXPECT_EQ(ManagerOf(none, ""), "unknown");
  EXPECT_EQ(ManagerOf(none, "/1"), "unknown");
  EXPECT_EQ(ManagerOf(none, std::string(127, 'x') + "\u00e9"), std::string(127, 'x'));
}

TEST(Token, ComesBackAsItWas) {
  const std::string text = WriteToken({12345, "lab/a.b-c"});
  ASSERT_OK_AND_ASSIGN(const ContinueToken token, ReadToken(text));
  EXPECT_EQ(token.version, 12345u);
  EXPECT_EQ(token.after, "lab/a.b-c");
  for (const std::string_view bad : {"", "zz", "abc", "31", "313a", "3a612f62"}) EXPECT_EQ(CodeOf(ReadToken(bad).status()), 400) << bad;
}

TEST(Negotiate, TakesTheBestThatThereIs) {
  EXPECT_EQ(Negotiate("", true)->media, Media::kJson);
  EXPECT_EQ(Negotiate("*/*", true)->media, Media::kJson);
  EXPECT_EQ(Negotiate("application/yaml", true)->media, Media::kYaml);
  EXPECT_EQ(Negotiate("application/vnd.kubernetes.protobuf", true)->media, Media::kProtobuf);
  EXPECT_EQ(Negotiate("application/vnd.kubernetes.protobuf,application/json", true)->media, Media::kJson);
  EXPECT_EQ(Negotiate("text/html;q=0.9, application/nonsense, application/json;q=0.8", true)->media, Media::kJson);
  EXPECT_EQ(Negotiate("application/json;as=Table;v=v1;g=meta.k8s.io,application/json", true)->view, View::kTable);
  EXPECT_EQ(Negotiate("application/json;as=Table;v=v1;g=meta.k8s.io,application/json", false)->view, View::kObject);
  EXPECT_EQ(CodeOf(Negotiate("text/html", true).status()), 406);
}

TEST(Body, IsReadByItsType) {
  http::Request request;
  request.body = R"({"a":{"b":1,"b":2}})";
  ASSERT_OK_AND_ASSIGN(const Body json, ReadBody(request));
  EXPECT_THAT(json.duplicates, testing::ElementsAre("a.b"));
  EXPECT_EQ(json.document.root()["a"]["b"].AsInt64(), 2);
  request.headers.Set("Content-Type", "application/yaml; charset=utf-8");
  request.body = "a: [1]\n";
  ASSERT_OK_AND_ASSIGN(const Body yaml, ReadBody(request));
  EXPECT_TRUE(yaml.document.root()["a"].IsArray());
  request.body = "{[";
  EXPECT_EQ(CodeOf(ReadBody(request).status()), 400);
  request.headers.Set("Content-Type", "text/plain");
  EXPECT_EQ(CodeOf(ReadBody(request).status()), 415);
  request.headers.Set("Content-Type", "application/vnd.kubernetes.protobuf");
  EXPECT_EQ(CodeOf(ReadBody(request).status()), 400);
}

}  // namespace
}  // namespace allot::apiserver

#include "kube/client.h"

#include <chrono>
#include <thread>

#include "base/test_util.h"
#include "http/scripted_server.h"
#include "json/json.h"

namespace allot::kube {
namespace {

using http::Peer;
using http::ScriptedServer;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

Patience Within(milliseconds time) { return {std::chrono::steady_clock::now() + time, nullptr}; }

std::string Answer(int status, std::string_view body, std::string_view headers = "") {
  return StrCat("HTTP/1.1 ", status, " X\r\nConnection: close\r\n", headers, "Content-Length: ", body.size(), "\r\n\r\n", body);
}

// The beginning of a watch; lines follow as chunks.
constexpr std::string_view kStream = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
std::string Chunk(std::string_view bytes) { return http::WriteChunk(bytes); }

std::unique_ptr<Client> ClientOf(const ScriptedServer& server, ClientOptions options = {}) {
  Config config;
  config.server = StrCat("http://127.0.0.1:", server.port());
  config.origin = "test";
  return *Client::Make(std::move(config), std::move(options));
}

TEST(KubeClient, SendsItsIdentityAndWhatItAccepts) {
  std::string seen;
  {
    ScriptedServer server({[&](Peer& peer) { seen = peer.Answer(Answer(200, R"({"kind":"Pod","metadata":{"name":"train"}})")); }});
    ASSERT_OK_AND_ASSIGN(const ObjectPtr pod, ClientOf(server, {.user_agent = "allot-node/1"})->Get(types::kPods, "lab", "train"));
    EXPECT_EQ(pod->name(), "train");
  }
  EXPECT_THAT(seen, AllOf(HasSubstr("GET /api/v1/namespaces/lab/pods/train HTTP/1.1\r\n"), HasSubstr("User-Agent: allot-node/1\r\n"),
                          HasSubstr("Accept: application/json\r\n")));
}

TEST(KubeClient, ARefusalHasTheServersReasonAndCauses) {
  ScriptedServer server({[](Peer& peer) {
    peer.Answer(Answer(422,
                       R"({"kind":"Status","status":"Failure","message":"Pod \"x\" is invalid","reason":"Invalid","code":422,)"
                       R"("details":{"causes":[{"reason":"FieldValueRequired","message":"Required value","field":"spec.containers"}]}})"));
  }});
  const auto pod = ClientOf(server)->Create(types::kPods, "lab", "{}");
  EXPECT_THAT(pod, IsStatus(Code::kInvalid, "create pods in lab: Pod \"x\" is invalid"));
  const ApiError* const error = ApiErrorOf(pod.status());
  ASSERT_NE(error, nullptr);
  EXPECT_EQ(error->reason, "Invalid");
  ASSERT_EQ(error->causes.size(), 1u);
  EXPECT_EQ(error->causes[0].field, "spec.containers");
  EXPECT_EQ(error->causes[0].reason, "FieldValueRequired");
}

TEST(KubeClient, AResponseThatIsNotKubernetesIsShownBriefly) {
  ScriptedServer server({[](Peer& peer) { peer.Answer(Answer(502, "<html>bad gateway</html>")); }});
  EXPECT_THAT(ClientOf(server)->Get(types::kNodes, "", "n1"),
              IsStatus(Code::kUnavailable, "get nodes n1: the server answered 502 Bad Gateway: \"<html>bad gateway</html>\""));
}

TEST(KubeClient, TriesAgainWhenTheServerAsksForIt) {
  ScriptedServer server({[](Peer& peer) { peer.Answer(Answer(429, "", "Retry-After: 0\r\n")); },
                         [](Peer& peer) { peer.Answer(Answer(503, "", "Retry-After: 0\r\n")); },
                         [](Peer& peer) { peer.Answer(Answer(200, R"({"metadata":{"name":"n1"}})")); }});
  EXPECT_OK(ClientOf(server)->Get(types::kNodes, "", "n1"));
  EXPECT_EQ(server.connections(), 3);
}

TEST(KubeClient, DoesNotTryAgainUnasked) {
  ScriptedServer server({[](Peer& peer) { peer.Answer(Answer(500, "")); }, [](Peer& peer) { peer.Answer(Answer(200, "{}")); }});
  EXPECT_THAT(ClientOf(server)->Get(types::kNodes, "", "n1"), IsStatus(Code::kUnavailable, HasSubstr("500")));
}

TEST(KubeClient, GivesUpWhenThereIsNoTimeForTheRetryThatTheServerAsksFor) {
  ScriptedServer server({[](Peer& peer) { peer.Answer(Answer(429, "", "Retry-After: 600\r\n")); }});
  EXPECT_THAT(ClientOf(server)->Get(types::kNodes, "", "n1", Within(seconds(5))), IsStatus(Code::kUnavailable, HasSubstr("429")));
}

TEST(KubeClient, NamesThatWouldLeaveTheirPlaceInThePathAreRefused) {
  ScriptedServer server({});
  const auto client = ClientOf(server);
  for (const char* bad : {"", ".", "..", "a/b", "%2e%2e"}) {
    EXPECT_THAT(client->Delete(types::kPods, "lab", bad), IsStatus(Code::kInvalid, HasSubstr("delete pods: "))) << bad;
    if (*bad != '\0') {
      EXPECT_THAT(client->Get(types::kPods, bad, "x"), IsStatus(Code::kInvalid)) << bad;
    }
  }
  EXPECT_EQ(server.connections(), 0);
}

TEST(KubeClient, AProxyGetsTheTargetAndTheCredentials) {
  std::string seen;
  ScriptedServer proxy({[&](Peer& peer) {
    seen = peer.Answer("HTTP/1.1 200 OK\r\n\r\n");
    peer.Answer(Answer(200, R"({"kind":"Pod","metadata":{"name":"train"}})"));
  }});
  Config config;
  config.server = "http://lab.example:6443";
  config.proxy_url = StrCat("http://127.0.0.1:", proxy.port());
  config.proxy_authorization = "Basic abc";
  ASSERT_OK_AND_ASSIGN(const std::unique_ptr<Client> client, Client::Make(std::move(config)));
  EXPECT_OK(client->Get(types::kPods, "lab", "train", Within(seconds(10))));
  EXPECT_THAT(seen, AllOf(HasSubstr("CONNECT lab.example:6443 "), HasSubstr("Proxy-Authorization: Basic abc\r\n")));
}

// A user who takes long to sign in.
class SlowCredentials final : public Credentials {
 public:
  using Credentials::Get;
  Result<Grant> Get(const Patience& patience) override {
    const auto until = std::chrono::steady_clock::now() + milliseconds(200);
    if (patience.deadline && *patience.deadline < until) return Unavailable("not signed in");
    std::this_thread::sleep_until(until);
    return Grant{};
  }
  void Reject(uint64_t) override {}
};

TEST(KubeClient, TimeForSigningInIsNotTheCallsUnlessItIsLimited) {
  const auto answer = [](Peer& peer) { peer.Answer(Answer(200, R"({"kind":"Pod","metadata":{"name":"train"}})")); };
  ScriptedServer server({answer});
  Config config;
  config.server = StrCat("http://127.0.0.1:", server.port());
  config.credentials = std::make_shared<SlowCredentials>();
  ClientOptions options;
  options.timeout = milliseconds(150);
  EXPECT_OK((*Client::Make(config, options))->Get(types::kPods, "lab", "train"));
  options.login_timeout = milliseconds(150);
  EXPECT_THAT((*Client::Make(config, options))->Get(types::kPods, "lab", "train"),
              IsStatus(Code::kUnavailable, HasSubstr("not signed in")));
}

TEST(KubeClient, A401IsTriedOnceMoreOnANewConnection) {
  ScriptedServer server({[](Peer& peer) { peer.Answer("HTTP/1.1 401 X\r\nContent-Length: 0\r\n\r\n"); },
                         [](Peer& peer) { peer.Answer(Answer(200, R"({"metadata":{"name":"n1"}})")); }});
  EXPECT_OK(ClientOf(server)->Get(types::kNodes, "", "n1"));
  ScriptedServer stubborn({[](Peer& peer) { peer.Answer(Answer(401, "")); }, [](Peer& peer) { peer.Answer(Answer(401, "")); }});
  EXPECT_THAT(ClientOf(stubborn)->Get(types::kNodes, "", "n1"), IsStatus(Code::kInvalid, HasSubstr("401")));
}

TEST(RateLimit, ACallerWithoutTimeTakesNoTurn) {
  RateLimit limit(10, 1);
  const MonotonicTime now{seconds(100)};
  EXPECT_EQ(limit.Take(now, std::nullopt), std::chrono::nanoseconds(0));
  for (int i = 0; i < 100; ++i) EXPECT_EQ(limit.Take(now, milliseconds(50)), std::nullopt);
  EXPECT_EQ(limit.Take(now, milliseconds(150)), milliseconds(100));
}

TEST(KubeClient, APageThatLeadsToItselfIsAnError) {
  const auto page = [](Peer& peer) { peer.Answer(Answer(200, R"({"metadata":{"continue":"x"},"items":[]})")); };
  ScriptedServer server({page, page, page});
  EXPECT_THAT(ClientOf(server)->List(types::kPods, "", {}, [](const ObjectPtr&) {}), IsStatus(Code::kUnavailable, HasSubstr("same page")));
}

TEST(KubeClient, ListsAllPages) {
  ScriptedServer server(
      {[](Peer& peer) {
         EXPECT_THAT(
             peer.Answer(Answer(200, R"({"metadata":{"resourceVersion":"7","continue":"a/b"},"items":[{"metadata":{"name":"a"}}]})")),
             HasSubstr("?labelSelector=app%3Dx&limit=1 "));
       },
       [](Peer& peer) {
         EXPECT_THAT(peer.Answer(Answer(200, R"({"metadata":{"resourceVersion":"7"},"items":[{"metadata":{"name":"b"}}]})")),
                     HasSubstr("&continue=a%2Fb "));
       }});
  std::vector<std::string> names;
  const auto version = ClientOf(server)->List(types::kPods, "", {.label_selector = "app=x", .limit = 1},
                                              [&](const ObjectPtr& pod) { names.emplace_back(pod->name()); });
  EXPECT_THAT(version, IsOkAndHolds("7"));
  EXPECT_THAT(names, ElementsAre("a", "b"));
}

TEST(KubeWatch, EventsComeHoweverTheStreamIsCut) {
  ScriptedServer server({[](Peer& peer) {
    peer.Answer(kStream);
    const std::string lines =
        "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"1\"}}}\n"
        "\n{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"5\"}}}\n"
        "{\"type\":\"DELETED\",\"object\":{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"6\"}}}\n";
    for (size_t at = 0; at < lines.size(); at += 7) peer.Send(Chunk(lines.substr(at, 7)));
    peer.Send(http::kLastChunk);
  }});
  const auto client = ClientOf(server);
  ASSERT_OK_AND_ASSIGN(const auto watch, client->StartWatch(types::kPods, "", {}));
  std::vector<WatchEvent::Type> types;
  std::string last;
  for (;;) {
    ASSERT_OK_AND_ASSIGN(const auto event, watch->Next(Within(seconds(5))));
    if (!event) break;
    types.push_back(event->type);
    last = event->object->resource_version();
  }
  EXPECT_THAT(types, ElementsAre(WatchEvent::Type::kAdded, WatchEvent::Type::kBookmark, WatchEvent::Type::kDeleted));
  EXPECT_EQ(last, "6");
}

TEST(KubeWatch, HalfALineIsAnErrorAndNotAnEvent) {
  ScriptedServer server({[](Peer& peer) {
    peer.Answer(kStream);
    peer.Send(Chunk("{\"type\":\"ADDED\",\"obj"));
    peer.Send(http::kLastChunk);
  }});
  const auto client = ClientOf(server);
  ASSERT_OK_AND_ASSIGN(const auto watch, client->StartWatch(types::kPods, "lab", {}));
  EXPECT_THAT(watch->Next(Within(seconds(5))),
              IsStatus(Code::kUnavailable, "watch pods in lab: the stream ended in the middle of an event"));
}

TEST(KubeWatch, AnErrorEventAsksForANewList) {
  ScriptedServer server({[](Peer& peer) {
    peer.Answer(kStream);
    peer.Send(Chunk("{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"reason\":\"Expired\",\"code\":410,\"message\":\"too old\"}}\n"));
  }});
  const auto client = ClientOf(server);
  ASSERT_OK_AND_ASSIGN(const auto watch, client->StartWatch(types::kPods, "", {}));
  const auto event = watch->Next(Within(seconds(5)));
  EXPECT_THAT(event, IsStatus(Code::kUnavailable, HasSubstr("too old")));
  EXPECT_TRUE(IsExpired(event.status()));
}

TEST(KubeWatch, ALineWithoutEndMeetsTheLimit) {
  ScriptedServer server({[](Peer& peer) {
    peer.Answer(kStream);
    for (int i = 0; i < 100; ++i) peer.Send(Chunk(std::string(100'000, 'x')));
  }});
  const auto client = ClientOf(server);
  ASSERT_OK_AND_ASSIGN(const auto watch, client->StartWatch(types::kPods, "", {}));
  EXPECT_THAT(watch->Next(Within(seconds(5))), IsStatus(Code::kExhausted, HasSubstr("watch pods: an event of more than 8388608 bytes")));
}

TEST(KubeWatch, AServerThatFallsSilentIsGone) {
  ScriptedServer server({[](Peer& peer) {
    peer.Answer(kStream);
    peer.ReadUntil("never");
  }});
  const auto client = ClientOf(server, {.watch_silence = seconds(0)});
  ASSERT_OK_AND_ASSIGN(const auto watch, client->StartWatch(types::kPods, "", {}));
  EXPECT_THAT(watch->Next({}), IsStatus(Code::kUnavailable, HasSubstr("no data for 0 seconds")));
}

TEST(KubeUrl, ServersAreChecked) {
  ASSERT_OK_AND_ASSIGN(const ServerUrl url, ServerUrl::Parse("https://[::1]:6443/k8s/"));
  EXPECT_EQ(url.host, "::1");
  EXPECT_EQ(url.port, 6443);
  EXPECT_EQ(url.prefix, "/k8s");
  EXPECT_EQ(url.HostHeader(), "[::1]:6443");
  for (const char* bad :
       {"", "10.0.0.1:6443", "ftp://x", "https://", "https://x:0", "https://x:70000", "https://u@x", "https://x?y", "https://[::1"}) {
    EXPECT_THAT(ServerUrl::Parse(bad), IsStatus(Code::kInvalid, HasSubstr("expected https://HOST"))) << bad;
  }
}

TEST(KubeObject, ACopyIsEqual) {
  const auto document = json::Parse(R"({"a":[1,2.50,null,{"b":true}],"metadata":{"name":"x","uid":"u"}})");
  EXPECT_EQ(json::Write(CopyObject(document->root())->json()), json::Write(document->root()));
}

}  // namespace
}  // namespace allot::kube

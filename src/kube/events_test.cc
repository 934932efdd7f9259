#include "kube/events.h"

#include "base/fake_clock.h"
#include "base/test_util.h"
#include "http/scripted_server.h"
#include "json/json.h"

namespace allot::kube {
namespace {

using http::Peer;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;
using Decision = EventCorrelator::Decision;
using Kind = Decision::Kind;

ObjectReference Claim(std::string name = "half") { return {"resource.k8s.io/v1", "ResourceClaim", "lab", std::move(name), "u1", ""}; }

class EventCorrelatorTest : public testing::Test {
 protected:
  Decision Decide(std::string message, const ObjectReference& about = Claim(), std::string reason = "Failed") {
    const Decision decision =
        correlator_.Decide({about, EventType::kWarning, std::move(reason), std::move(message), clock_.Now(), clock_.MonotonicNow()});
    if (decision.kind != Kind::kSuppress && answers_) correlator_.OnSent(decision);
    return decision;
  }

  FakeClock clock_;
  EventOptions options_;
  EventCorrelator correlator_{options_};
  bool answers_ = true;
};

TEST_F(EventCorrelatorTest, TheSameEventAgainIsCountedUnderItsFirstName) {
  const Decision first = Decide("no GPU");
  EXPECT_EQ(first.kind, Kind::kCreate);
  EXPECT_EQ(first.namespace_name, "lab");
  EXPECT_EQ(first.name, "half.18867251edfa0000");
  clock_.Advance(minutes(10));
  const Decision second = Decide("no GPU");
  EXPECT_EQ(second.kind, Kind::kCount);
  EXPECT_EQ(second.name, first.name);
  EXPECT_EQ(second.count, 2);
  EXPECT_EQ(second.first, first.first);
  EXPECT_EQ(second.last, clock_.Now());
}

TEST_F(EventCorrelatorTest, AfterTheWindowItIsANewEvent) {
  const Decision first = Decide("no GPU");
  clock_.Advance(minutes(10) + seconds(1));
  const Decision second = Decide("no GPU");
  EXPECT_EQ(second.kind, Kind::kCreate);
  EXPECT_NE(second.name, first.name);
  EXPECT_EQ(second.count, 1);
}

TEST_F(EventCorrelatorTest, AnEventThatWasNotSentIsCreatedWithTheCountSoFar) {
  answers_ = false;
  Decide("no GPU");
  const Decision second = Decide("no GPU");
  EXPECT_EQ(second.kind, Kind::kCreate);
  EXPECT_EQ(second.count, 2);
}

TEST_F(EventCorrelatorTest, MoreThanTenSimilarOnesAreCombined) {
  for (int i = 0; i < 10; ++i) EXPECT_EQ(Decide(StrCat("try ", i)).message, StrCat("try ", i));
  const Decision eleventh = Decide("try 10");
  EXPECT_EQ(eleventh.kind, Kind::kCreate);
  EXPECT_EQ(eleventh.message, "(combined from similar events): try 10");
  const Decision twelfth = Decide("try 11");
  EXPECT_EQ(twelfth.kind, Kind::kCount);
  EXPECT_EQ(twelfth.name, eleventh.name);
  EXPECT_EQ(twelfth.message, "(combined from similar events): try 11");
  EXPECT_EQ(Decide("try 3").message, "try 3");                      // one that is there is counted
  EXPECT_EQ(Decide("try 12", Claim(), "Other").message, "try 12");  // another reason
  EXPECT_EQ(Decide("try 12", Claim("other")).message, "try 12");    // another object
  clock_.Advance(minutes(11));
  EXPECT_EQ(Decide("try 13").message, "try 13");
}

TEST_F(EventCorrelatorTest, OfOneObjectTwentyFiveComeAtOnceAndThenOneInFiveMinutes) {
  for (int i = 0; i < 25; ++i) EXPECT_NE(Decide("no GPU").kind, Kind::kSuppress);
  EXPECT_EQ(Decide("no GPU").kind, Kind::kSuppress);
  EXPECT_EQ(Decide("else", Claim(), "Else").kind, Kind::kSuppress);
  EXPECT_EQ(Decide("no GPU", Claim("other")).kind, Kind::kCreate);
  clock_.Advance(minutes(5));
  const Decision late = Decide("no GPU");
  EXPECT_EQ(late.kind, Kind::kCount);
  EXPECT_EQ(late.count, 27);  // tells of the one that was suppressed
  EXPECT_EQ(Decide("no GPU").kind, Kind::kSuppress);
}

TEST_F(EventCorrelatorTest, RemembersNoMoreKeysThanItMayAndForgetsTheOldest) {
  for (int i = 0; i < 5000; ++i) {
    Decide("no GPU", Claim(StrCat("c", i)));
    Decide("no GPU", Claim("kept"));
    clock_.Advance(milliseconds(1));
  }
  EXPECT_EQ(correlator_.keys(), 4096u);
  EXPECT_EQ(Decide("no GPU", Claim("c0")).count, 1);
  EXPECT_EQ(Decide("no GPU", Claim("kept")).count, 5001);
}

TEST_F(EventCorrelatorTest, NamesDifferEvenIfTheClockStandsStillAndFitAnyObjectName) {
  EXPECT_NE(Decide("a").name, Decide("b").name);
  const std::string name = Decide("a", Claim(std::string(235, 'x') + "." + std::string(17, 'y'))).name;
  EXPECT_EQ(name.size(), 252u);
  EXPECT_THAT(name, StartsWith(std::string(235, 'x') + ".18867251"));
}

TEST_F(EventCorrelatorTest, EventsAboutClusterScopedObjectsAreInDefault) {
  EXPECT_EQ(Decide("a", {"v1", "Node", "", "n1", "u", ""}).namespace_name, "default");
}

TEST(LimitText, CutsAtACharacterAndSaysSo) {
  EXPECT_EQ(LimitText("12345", 5), "12345");
  EXPECT_EQ(LimitText("123456", 5), "12...");
  EXPECT_EQ(LimitText("1äöü", 7), "1äöü");
  EXPECT_EQ(LimitText("1äöüx", 7), "1ä...");  // a half of ö would fit
  EXPECT_EQ(LimitText("a\xFFz", 10), "a\xEF\xBF\xBDz");
  EXPECT_EQ(LimitText("", 5), "");
}

std::string Refusal(std::string_view reason, int code) {
  return StrCat(R"({"kind":"Status","reason":")", reason, R"(","message":"no","code":)", code, "}");
}

class EventRecorderTest : public testing::Test {
 protected:
  void Start(std::vector<std::function<void(Peer&)>> script) {
    server_ = std::make_unique<http::ScriptedServer>(std::move(script));
    Config config;
    config.server = StrCat("http://127.0.0.1:", server_->port());
    client_ = *Client::Make(std::move(config));
    options_.component = "allot-test";
    options_.host = "n1";
    options_.pause = milliseconds(1);
    recorder_ = std::make_unique<EventRecorder>(*client_, options_, clock_);
  }
  bool Flush() { return recorder_->Flush({std::chrono::steady_clock::now() + seconds(10), nullptr}); }
  void Record(std::string_view message) { recorder_->Record(Claim(), EventType::kWarning, "Failed", message); }
  // Keeps the request, with the body that its head announces, and answers it.
  std::function<void(Peer&)> Answers(int status, std::string body = "{}") {
    return [this, status, body](Peer& peer) {
      std::string request = peer.ReadUntil("\r\n\r\n");
      const size_t at = request.find("Content-Length: ");
      const size_t length = at == std::string::npos ? 0 : std::stoul(request.substr(at + 16));
      const size_t all = request.size() + length;
      while (request.size() < all) request += peer.ReadUntil("}");  // which every object ends in
      {
        const std::lock_guard lock(mutex_);
        requests_.push_back(request);
      }
      peer.Send(StrCat("HTTP/1.1 ", status, " X\r\nConnection: close\r\nContent-Length: ", body.size(), "\r\n\r\n", body));
    };
  }

  std::vector<std::string> requests() {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

  FakeClock clock_;
  EventOptions options_;
  std::mutex mutex_;
  std::vector<std::string> requests_;
  std::unique_ptr<http::ScriptedServer> server_;
  std::unique_ptr<Client> client_;
  std::unique_ptr<EventRecorder> recorder_;
};

TEST_F(EventRecorderTest, CreatesAnEventThatKubectlCanShowAndCountsItsRepetition) {
  Start({Answers(201), Answers(200)});
  Record("no \"GPU\"");
  ASSERT_TRUE(Flush());
  clock_.Advance(seconds(5));
  Record("no \"GPU\"");
  ASSERT_TRUE(Flush());
  ASSERT_EQ(requests().size(), 2u);
  EXPECT_THAT(requests()[0], StartsWith("POST /api/v1/namespaces/lab/events "));
  EXPECT_THAT(
      requests()[0],
      HasSubstr(R"({"apiVersion":"v1","kind":"Event","metadata":{"name":"half.18867251edfa0000","namespace":"lab"},)"
                R"("involvedObject":{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","namespace":"lab","name":"half","uid":"u1"},)"
                R"("type":"Warning","reason":"Failed","message":"no \"GPU\"","firstTimestamp":"2026-01-01T00:00:00Z",)"
                R"("lastTimestamp":"2026-01-01T00:00:00Z","count":1,"source":{"component":"allot-test","host":"n1"},)"
                R"("reportingComponent":"allot-test","reportingInstance":"n1"})"));
  EXPECT_THAT(requests()[1],
              AllOf(StartsWith("PATCH /api/v1/namespaces/lab/events/half.18867251edfa0000 "), HasSubstr("application/merge-patch+json"),
                    HasSubstr(R"({"count":2,"lastTimestamp":"2026-01-01T00:00:05Z","message":"no \"GPU\""})")));
  EXPECT_EQ(recorder_->counts().created, 1u);
  EXPECT_EQ(recorder_->counts().counted, 1u);
  EXPECT_OK(recorder_->status());
}

TEST_F(EventRecorderTest, CreatesAgainWhatTheServerForgot) {
  Start({Answers(201), Answers(404, Refusal("NotFound", 404)), Answers(201)});
  Record("a");
  Record("a");
  ASSERT_TRUE(Flush());
  ASSERT_EQ(requests().size(), 3u);
  EXPECT_THAT(requests()[2], AllOf(StartsWith("POST "), HasSubstr(R"("count":2)")));
  EXPECT_EQ(recorder_->counts().created, 2u);
}

TEST_F(EventRecorderTest, TriesAgainWhereTheServerFailsAndTakesItsOwnEventForSent) {
  Start({Answers(503), [](Peer& peer) { peer.ReadUntil("\r\n\r\n"); }, Answers(409, Refusal("AlreadyExists", 409)), Answers(200)});
  Record("a");
  Record("a");
  ASSERT_TRUE(Flush());
  EXPECT_EQ(recorder_->counts().created, 1u);
  EXPECT_EQ(recorder_->counts().counted, 1u);
  EXPECT_EQ(recorder_->counts().failed, 0u);
}

TEST_F(EventRecorderTest, DropsAndCountsRefusedEventsAndThoseThatFailTooOften) {
  options_.tries = 2;
  Start({Answers(403, Refusal("Forbidden", 403)), Answers(500), Answers(500)});
  Record("a");
  Record("b");
  ASSERT_TRUE(Flush());
  EXPECT_EQ(requests().size(), 3u);
  EXPECT_EQ(recorder_->counts().failed, 2u);
  EXPECT_THAT(recorder_->status(), IsStatus(Code::kUnavailable, HasSubstr("create events in lab")));
}

TEST_F(EventRecorderTest, NeverBlocksTheCallerAndStopsEvenIfTheServerDoesNotAnswer) {
  options_.max_queue = 3;
  Start({[](Peer& peer) { peer.ReadUntil("never"); }});
  for (int i = 0; i < 10; ++i) Record(StrCat(i));
  EXPECT_FALSE(recorder_->Flush({std::chrono::steady_clock::now() + milliseconds(5), nullptr}));
  EXPECT_GE(recorder_->counts().overflowed, 6u);  // one may be on its way already
  recorder_->Stop();
  Record("late");
  const EventRecorder::Counts counts = recorder_->counts();
  EXPECT_EQ(counts.overflowed + counts.failed, 11u);
  EXPECT_EQ(counts.created, 0u);
}

}  // namespace
}  // namespace allot::kube

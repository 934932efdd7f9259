// `allot explain` against a server: what is asked for, what may not be seen, exit codes, completion.
#include "base/test_util.h"
#include "cli/fake_api.h"
#include "json/json.h"
#include "sched/test_world.h"

namespace allot::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// A server with these objects; what contains one of `forbidden` is refused.
class Server {
 public:
  explicit Server(std::string_view yaml, std::vector<std::string> forbidden = {}) : forbidden_(std::move(forbidden)) {
    for (const std::string_view part : {sched::kGpuClass, yaml}) {
      Result<std::vector<json::Document>> documents = json::ParseYaml(part);
      CHECK(documents.ok());
      for (json::Document& document : *documents) documents_.push_back(std::move(document));
    }
  }

  http::Response Answer(const http::Request& request) const {
    const std::string& target = request.target;
    const auto has = [&](std::string_view part) { return target.find(part) != std::string::npos; };
    for (const std::string& part : forbidden_) {
      if (target.starts_with(part + "?")) return FakeApi::Refused(403, "Forbidden", StrCat("you may not see ", part));
    }
    if (target == "/version") return FakeApi::Json(200, R"({"gitVersion":"v1.36.4+allot"})");
    if (has("/resourceclaimtemplates/")) return FakeApi::Refused(404, "NotFound", "no such template");
    const std::string_view kind = has("/nodes")            ? "Node"
                                  : has("/resourceclaims") ? "ResourceClaim"
                                  : has("/resourceslices") ? "ResourceSlice"
                                  : has("/deviceclasses")  ? "DeviceClass"
                                  : has("/pods")           ? "Pod"
                                                           : "none";
    std::string items;
    for (const json::Document& document : documents_) {
      const json::Value& object = document.root();
      if (object.IsNull() || object["kind"].AsString() != kind) continue;
      if (has("/namespaces/lab/") && object["metadata"]["namespace"].AsString() != "lab") continue;
      items += StrCat(items.empty() ? "" : ",", json::Write(object));
    }
    return FakeApi::Json(200, StrCat(R"({"metadata":{},"items":[)", items, "]}"));
  }

  FakeApi::Outcome Run(std::vector<std::string> words) const {
    FakeApi api([this](const http::Request& request) { return Answer(request); });
    return api.Run(std::move(words));
  }

 private:
  const std::vector<std::string> forbidden_;
  std::vector<json::Document> documents_;
};

std::string Cluster() {
  return StrCat(
      sched::GpuNode("n1", {24}), sched::GpuPod("large", "30Gi"), sched::GpuPod("small", "6Gi"),
      "kind: Pod\nmetadata: {name: busy, namespace: other, uid: busy}\nspec: {nodeName: n1, containers: [{name: c}], overhead: {cpu: "
      "'8'}}\n---\n");
}

TEST(ExplainVerb, APodHasSeveralNamesAndEachIsExplainedOnce) {
  const Server server(Cluster());
  const FakeApi::Outcome outcome = server.Run({"explain", "pod/large", "pods/large", "small", "-n", "lab"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(StartsWith("Pod lab/large can never start here: "), HasSubstr("\n\nPod lab/small ")));
  EXPECT_EQ(outcome.out.find("Pod lab/large"), outcome.out.rfind("Pod lab/large"));
  EXPECT_THAT(server.Run({"explain", "pod", "small", "-n", "lab"}).out, StartsWith("Pod lab/small "));
}

TEST(ExplainVerb, WhoMayNotListPodsOfOthersIsToldWhatThatMeans) {
  const FakeApi::Outcome all = Server(Cluster()).Run({"explain", "-n", "lab", "small"});
  EXPECT_THAT(all.out, Not(HasSubstr("Not seen:")));
  const FakeApi::Outcome some = Server(Cluster(), {"/api/v1/pods"}).Run({"explain", "-n", "lab", "small"});
  EXPECT_EQ(some.code, 0) << some.err;
  EXPECT_THAT(some.out, AllOf(StartsWith("Pod lab/small waits, though it fits now, on n1, with gpu-0\n"),
                              HasSubstr("\nNot seen:\n  you may list Pods of lab only: claims say what others hold")));
}

TEST(ExplainVerb, WithoutNodesTheyAreThoseOfTheSlices) {
  const FakeApi::Outcome outcome = Server(Cluster(), {"/api/v1/nodes", "/api/v1/pods"}).Run({"explain", "-n", "lab", "large"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("it asks for 30720 MiB of one GPU"), HasSubstr("\nn1: 1 device asked"),
                                 HasSubstr("you may not list nodes: their labels")));
}

TEST(ExplainVerb, WhoMayNotSeeThePodAtAllHasAnError) {
  const FakeApi::Outcome outcome =
      Server(Cluster(), {"/api/v1/pods", "/api/v1/namespaces/lab/pods"}).Run({"explain", "-n", "lab", "large"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("Error from server (Forbidden)"));
}

TEST(ExplainVerb, APodThatDoesNotExistIsAnErrorAndTheOthersAreExplained) {
  const Server server(Cluster());
  const FakeApi::Outcome outcome = server.Run({"explain", "-n", "lab", "smal", "large"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, StartsWith("Pod lab/large "));
  EXPECT_THAT(outcome.err, HasSubstr("Pod \"smal\" does not exist in namespace lab (did you mean small?)"));
  EXPECT_THAT(server.Run({"explain", "small"}).err, HasSubstr("there is one in lab: allot explain pod/small -n lab"));
}

TEST(ExplainVerb, IsJsonForPrograms) {
  ASSERT_OK_AND_ASSIGN(const json::Document document,
                       json::Parse(Server(Cluster()).Run({"explain", "-n", "lab", "large", "-o", "json"}).out));
  const json::Value& pod = document.root()["pods"].Items()[0];
  EXPECT_EQ(json::Write(pod["state"]), R"("NeverFits")");
  EXPECT_EQ(json::Write(pod["reasons"].Items()[0]["devices"].Items()[0]["freeMiB"]), "24576");
  EXPECT_EQ(json::Write(pod["remedies"].Items()[0]["text"]), R"x("6144 MiB less (24576 instead of 30720)")x");
}

TEST(ExplainVerb, DetailsAndNotesHaveKindsAndFactsForPrograms) {
  ASSERT_OK_AND_ASSIGN(const json::Document document,
                       json::Parse(Server(Cluster(), {"/api/v1/pods"}).Run({"explain", "-n", "lab", "small", "-o", "json"}).out));
  const json::Value& detail = document.root()["pods"].Items()[0]["details"].Items()[0];
  EXPECT_EQ(json::Write(detail["kind"]), R"("NotLookedAt")");
  EXPECT_EQ(json::Write(detail["facts"]), R"({"scheduler":"default-scheduler"})");
  EXPECT_FALSE(detail["text"].AsString().empty());
  const json::Value& note = document.root()["notSeen"].Items()[0];
  EXPECT_EQ(json::Write(note["kind"]), R"("SomePods")");
  EXPECT_EQ(json::Write(note["facts"]), R"({"namespaces":["lab"]})");
}

TEST(ExplainVerb, TheShellOffersPodsThatAreNotWrittenYet) {
  const Server server(Cluster());
  FakeApi api([&](const http::Request& request) { return server.Answer(request); });
  const std::string config = StrCat("--kubeconfig=", api.config());
  const auto offered = [&](std::vector<std::string_view> words) {
    words.insert(words.begin(), {"__complete", "--"});
    testing::internal::CaptureStdout();
    EXPECT_EQ(RunProgram(words), 0);
    return testing::internal::GetCapturedStdout();
  };
  EXPECT_EQ(offered({"explain", config, "-n", "lab", "large", ""}), "small\n");
  EXPECT_EQ(offered({"logs", config, "-n", "lab", "pod/s"}), "pod/small\n");
  EXPECT_EQ(offered({"exp"}), "explain\n");
  EXPECT_EQ(offered({"logs", "--t"}), "--tail\n--timestamps\n--token\n");
}

}  // namespace
}  // namespace allot::cli

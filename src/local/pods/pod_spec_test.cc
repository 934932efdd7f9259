#include "local/pods/pod_spec.h"

#include <unistd.h>

#include "base/test_util.h"
#include "json/editor.h"
#include "json/json.h"
#include "tests/support/requirements.h"

namespace allot::local {
namespace {

using ::testing::HasSubstr;

json::Document Parse(const std::string& text) {
  auto document = json::Parse(text);
  EXPECT_OK(document);
  return *std::move(document);
}

const ObjectSource kNothing = [](const kube::ResourceType&, std::string_view, std::string_view name) -> Result<kube::ObjectPtr> {
  return NotFound(name);
};

TEST(PodSpec, AContainerUsesTheClaimsAndRequestsThatItNames) {
  const json::Document pod = Parse(R"({"spec":{"resourceClaims":[{"name":"a","resourceClaimName":"claim-a"},
      {"name":"b","resourceClaimTemplateName":"t"},{"name":"none","resourceClaimTemplateName":"t"}]},
      "status":{"resourceClaimStatuses":[{"name":"b","resourceClaimName":"made-b"},{"name":"none"}],
        "extendedResourceClaimStatus":{"resourceClaimName":"extended","requestMappings":[
          {"containerName":"c","resourceName":"nvidia.com/gpu","requestName":"r0"},{"containerName":"d","requestName":"r1"}]}}})");
  EXPECT_THAT(ClaimsOf(pod.root()), IsOkAndHolds(testing::ElementsAre("claim-a", "extended", "made-b")));
  const json::Document container =
      Parse(R"({"name":"c","resources":{"claims":[{"name":"a","request":"x"},{"name":"a","request":"w"},{"name":"b","request":"y"},
               {"name":"b"},{"name":"none"}]}})");
  ASSERT_OK_AND_ASSIGN(const std::vector<ClaimUse> uses, ClaimsOf(pod.root(), container.root()));
  ASSERT_EQ(uses.size(), 3U);
  EXPECT_EQ(uses[0].claim, "claim-a");
  EXPECT_THAT(uses[0].requests, testing::ElementsAre("w", "x"));
  EXPECT_EQ(uses[1].claim, "extended");
  EXPECT_THAT(uses[1].requests, testing::ElementsAre("r0"));
  EXPECT_EQ(uses[2].claim, "made-b");
  EXPECT_THAT(uses[2].requests, testing::IsEmpty());
}

TEST(PodSpec, AMissingClaimOfATemplateIsUnavailable) {
  const json::Document pod = Parse(R"({"spec":{"resourceClaims":[{"name":"a","resourceClaimTemplateName":"t"}]}})");
  EXPECT_THAT(ClaimsOf(pod.root()), IsStatus(Code::kUnavailable, HasSubstr("\"a\" has not been created yet")));
}

TEST(PodSpec, TheStopSignalIsTheContainersOwn) {
  for (const auto& [text, signal] : std::vector<std::pair<std::string, int>>{{R"({})", SIGTERM},
                                                                             {R"({"lifecycle":{"stopSignal":"SIGUSR1"}})", SIGUSR1},
                                                                             {R"({"lifecycle":{"stopSignal":"SIGKILL"}})", SIGKILL},
                                                                             {R"({"lifecycle":{"stopSignal":"SIGRTMIN+3"}})", SIGRTMIN + 3},
                                                                             {R"({"lifecycle":{"stopSignal":"SIGRTMAX"}})", SIGRTMAX}}) {
    EXPECT_EQ(StopSignalOf(Parse(text).root()), signal) << text;
  }
}

TEST(PodSpec, ThePodsOwnVariablesWinOverOurs) {
  const json::Document pod = Parse(R"({"metadata":{"name":"p","namespace":"default"},"spec":{"hostname":"h"}})");
  const json::Document container =
      Parse(R"({"command":["x"],"workingDir":"rel","env":[{"name":"HOME","value":"/mine"},{"name":"PATH","value":"/p"}]})");
  ASSERT_OK_AND_ASSIGN(const ContainerSpec spec, MakeContainerSpec(pod.root(), container.root(), {"n"}, {{"PATH", "/gpu"}}, kNothing));
  EXPECT_EQ(spec.environment.at("HOME"), "/mine");
  EXPECT_EQ(spec.environment.at("PATH"), "/gpu:/p");
  EXPECT_EQ(spec.environment.at("HOSTNAME"), "h");
  EXPECT_EQ(spec.working_directory, "/rel");
  EXPECT_FALSE(spec.run_as);
}

TEST(PodSpec, ASecretThatIsNotUtf8IsRefused) {
  const json::Document pod = Parse(R"({"metadata":{"name":"p","namespace":"default"}})");
  const json::Document container = Parse(R"({"command":["x"],"env":[{"name":"E","valueFrom":{"secretKeyRef":{"name":"s","key":"k"}}}]})");
  const ObjectSource binary = [](const kube::ResourceType&, std::string_view, std::string_view) -> Result<kube::ObjectPtr> {
    return kube::CopyObject(Parse(R"({"metadata":{"name":"s"},"data":{"k":"/w=="}})").root());
  };
  EXPECT_THAT(MakeContainerSpec(pod.root(), container.root(), {"n"}, {}, binary), IsStatus(Code::kInvalid, HasSubstr("env E")));
  EXPECT_THAT(MakeContainerSpec(pod.root(), container.root(), {"n"}, {}, kNothing),
              IsStatus(Code::kNotFound, "env E: secret \"s\" not found"));
}

TEST(PodUser, AnUnknownUserIsRefused) {
  const json::Document pod = Parse(R"({"metadata":{"annotations":{"allot.dev/user":"no-such-user"}}})");
  EXPECT_THAT(UserOf(pod.root(), {}), IsStatus(Code::kInvalid, HasSubstr("this machine has no user \"no-such-user\"")));
  // An empty name does not make the Pod the admin's.
  const json::Document empty = Parse(R"({"metadata":{"annotations":{"allot.dev/user":""}}})");
  EXPECT_THAT(UserOf(empty.root(), {}), IsStatus(Code::kInvalid));
}

TEST(PodUser, TheUserOfTheAnnotationWinsOverNumbers) {
  ALLOT_NEEDS(kRoot);
  const json::Document pod = Parse(R"({"metadata":{"annotations":{"allot.dev/user":"daemon"}},"spec":{"securityContext":{"runAsUser":0,
      "runAsGroup":0,"supplementalGroups":[0]}}})");
  ASSERT_OK_AND_ASSIGN(const PodUser user, UserOf(pod.root(), pod.root()["spec"]));
  EXPECT_EQ(user.name, "daemon");
  EXPECT_EQ(user.run_as, (RunAs{1, 1, {1}}));
}

TEST(PodUser, RunAsNonRootIsHeld) {
  ALLOT_NEEDS(kRoot);
  const json::Document pod = Parse(R"({"spec":{"securityContext":{"runAsNonRoot":true}}})");
  EXPECT_THAT(UserOf(pod.root(), {}), IsStatus(Code::kInvalid, HasSubstr("the container would run as root")));
  const json::Document container = Parse(R"({"securityContext":{"runAsUser":12345}})");
  ASSERT_OK_AND_ASSIGN(const PodUser user, UserOf(pod.root(), container.root()));
  EXPECT_EQ(user.run_as, (RunAs{12345, 65534, {}}));
}

}  // namespace
}  // namespace allot::local

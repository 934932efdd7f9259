#include "local/pods/pod_admission.h"

#include "local/test_node.h"

namespace allot::local {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class PodAdmissionTest : public NodeTest {
 protected:
  // The warnings of a request, and its answer.
  std::vector<std::string> Warnings(const kube::ResourceType& type, const std::string& object_json, Status& status) {
    std::vector<std::string> warnings;
    kube::Config config;
    config.server = server->url();
    kube::ClientOptions options;
    options.observer = [&](const kube::Exchanged& exchanged) {
      for (const std::string_view one : exchanged.answer.headers.All("Warning")) warnings.emplace_back(one);
    };
    auto heard = kube::Client::Make(config, options);
    EXPECT_OK(heard);
    status = (*heard)->Create(type, "default", object_json).status();
    return warnings;
  }
};

TEST_F(PodAdmissionTest, AProbeIsAWarningOfThePod) {
  Status status;
  EXPECT_THAT(Warnings(kube::types::kPods, PodJson("a", "true", "", R"("livenessProbe":{"exec":{"command":["x"]}})"), status),
              ElementsAre(HasSubstr("spec.containers[0].livenessProbe: probes are not run here")));
  EXPECT_OK(status);
}

TEST_F(PodAdmissionTest, ATemplateIsWarnedAboutAndItsPodsAreRefused) {
  static const kube::ResourceType kDeployments{"apps", "v1", "deployments", "Deployment", true};
  Status status;
  const std::vector<std::string> warnings =
      Warnings(kDeployments, R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d","namespace":"default"},
      "spec":{"selector":{"matchLabels":{"app":"d"}},"template":{"metadata":{"labels":{"app":"d"}},
        "spec":{"containers":[{"name":"c","image":"nginx"}]}}}})",
               status);
  EXPECT_OK(status);
  EXPECT_THAT(warnings,
              Contains(HasSubstr("spec.template.spec.containers[0].command: Required value: images are not run on this machine")));
}

TEST_F(PodAdmissionTest, APodThatNamesItsNodeCannotAskForAmountsThatTheSchedulerAllocates) {
  const auto pod = [](std::string_view most) {
    return StrCat(R"({"apiVersion":"v1","kind":"Pod","metadata":{"generateName":"a","namespace":"default"},"spec":{"nodeName":"n1",)",
                  R"("containers":[{"name":"c","command":["true"],"image":"x","resources":{"limits":)", most, "}}]}}");
  };
  Status status;
  Warnings(kube::types::kPods, pod(R"({"nvidia.com/gpu":"1"})"), status);
  EXPECT_THAT(status, IsStatus(Code::kInvalid,
                               testing::AllOf(HasSubstr("spec.nodeName"), HasSubstr("nodeSelector: {kubernetes.io/hostname: n1}"))));
  Warnings(kube::types::kPods, pod(R"({"cpu":"1","nvidia.com/gpu":"0"})"), status);
  EXPECT_OK(status);
}

TEST_F(PodAdmissionTest, ARefusalNamesAllFields) {
  Status status;
  Warnings(kube::types::kPods, R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"default"},"spec":{
      "hostAliases":[{"ip":"1.2.3.4"}],"containers":[{"name":"c","image":"nginx"}]}})",
           status);
  const kube::ApiError* const error = kube::ApiErrorOf(status);
  ASSERT_NE(error, nullptr);
  EXPECT_EQ(error->http_status, 422);
  EXPECT_EQ(error->reason, "Invalid");
  std::vector<std::string> fields;
  for (const auto& cause : error->causes) fields.push_back(cause.field);
  EXPECT_THAT(fields, testing::UnorderedElementsAre("spec.hostAliases", "spec.containers[0].command"));
}

TEST_F(PodAdmissionTest, OnlyAdminsAndTheServerMayRemoveTheRunFinalizer) {
  const auto kinds = server->api().kinds();
  const auto old = *json::Parse(R"({"metadata":{"labels":{"allot.dev/run":"command"},"finalizers":["allot.dev/run"]}})");
  const auto freed = *json::Parse(R"({"metadata":{"labels":{"allot.dev/run":"command"}}})");
  const auto frees = [&](std::string_view user, const std::vector<std::string>& groups) {
    std::vector<std::string> warnings;
    const apiserver::AdmissionRequest request{.operation = apiserver::Operation::kUpdate,
                                              .kind = *kinds->Find("", "v1", "pods"),
                                              .space = "default",
                                              .name = "train",
                                              .subresource = "",
                                              .user = user,
                                              .old = &old.root(),
                                              .api = server->api(),
                                              .warnings = warnings,
                                              .groups = groups};
    return PodAdmission().Validate(request, freed.root());
  };
  EXPECT_OK(frees("root", {"system:authenticated", "system:masters"}));  // `up` by its own socket
  EXPECT_OK(frees("system:allot", {}));
  EXPECT_THAT(frees("ann", {"system:authenticated"}), IsStatus(Code::kInvalid, HasSubstr("metadata.finalizers")));
}

}  // namespace
}  // namespace allot::local

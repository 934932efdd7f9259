#include "local/pods/pod_rules.h"

#include <algorithm>
#include <set>

#include "apiserver/schema/type.h"
#include "base/test_util.h"
#include "json/json.h"

namespace allot::local {
namespace {

using apiserver::Shape;
using apiserver::Type;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string ShortName(const Type& type) { return type.name.substr(type.name.rfind('.') + 1); }

// Collects every field that needs a rule: those of a Pod, and those of fields with kLook.
void Walk(const Type& type, std::set<std::string>& seen, std::vector<std::string>& unknown) {
  if (type.shape == Shape::kList || type.shape == Shape::kMap) return Walk(*type.element, seen, unknown);
  for (const apiserver::Field& field : type.fields) {
    const std::string name = StrCat(ShortName(type), ".", field.name);
    if (!seen.insert(name).second) continue;
    const PodRule* const rule = FindPodRule(Runtime::kProcess, ShortName(type), field.name);
    if (rule == nullptr) {
      unknown.push_back(name);
    } else if (rule->verdict == Verdict::kLook) {
      ASSERT_NE(field.type, nullptr);
      Walk(*field.type, seen, unknown);
    }
  }
}

TEST(PodRules, EveryFieldOfAPodHasAVerdict) {
  const Type* const pod = apiserver::Schema::BuiltIn().FindKind("", "v1", "Pod");
  ASSERT_NE(pod, nullptr);
  std::set<std::string> seen;
  std::vector<std::string> unknown;
  Walk(*pod, seen, unknown);
  EXPECT_THAT(unknown, IsEmpty());
  EXPECT_GT(seen.size(), 80U);
  // Every rule is about an existing field.
  for (const Runtime runtime : {Runtime::kProcess, Runtime::kPodman}) {
    for (const PodRule& rule : AllPodRules(runtime)) EXPECT_TRUE(seen.contains(std::string(rule.field))) << rule.field;
  }
}

TEST(PodRules, RefusedAndIgnoredFieldsHaveASentence) {
  for (const Runtime runtime : {Runtime::kProcess, Runtime::kPodman}) {
    for (const PodRule& rule : AllPodRules(runtime)) {
      const bool needs = rule.verdict == Verdict::kRefused || rule.verdict == Verdict::kWarned;
      EXPECT_EQ(!rule.sentence.empty(), needs) << rule.field;
    }
  }
}

Status Check(const std::string& spec, std::vector<std::string>& warnings) {
  const auto pod = json::Parse(StrCat(R"({"spec":)", spec, "}"));
  EXPECT_OK(pod);
  return CheckPodSpec(Runtime::kProcess, pod->root(), warnings);
}

TEST(PodRules, DefaultsAreNotRefused) {
  std::vector<std::string> warnings;
  EXPECT_OK(Check(R"({"volumes":[],"containers":[{"name":"c","image":"x","command":["true"],"resources":{},"stdin":false,
      "terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"Always",
      "securityContext":{"allowPrivilegeEscalation":false,"privileged":false,"procMount":"Default"}}],
      "dnsPolicy":"ClusterFirst","enableServiceLinks":true,"hostUsers":true,"os":{"name":"linux"},"securityContext":{},
      "serviceAccountName":"default","schedulerName":"default-scheduler","terminationGracePeriodSeconds":30})",
                  warnings));
  EXPECT_THAT(warnings, IsEmpty());
}

TEST(PodRules, AnIgnoredFieldIsAWarningThatNamesIt) {
  std::vector<std::string> warnings;
  EXPECT_OK(
      Check(R"({"hostUsers":false,"containers":[{"name":"c","command":["true"],"livenessProbe":{"exec":{"command":["x"]}}}]})", warnings));
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("spec.hostUsers: "), HasSubstr("spec.containers[0].livenessProbe: probes are not run here")));
}

TEST(PodRules, AnUnsupportedFieldIsRefusedByName) {
  std::vector<std::string> warnings;
  for (const auto& [spec, text] : std::vector<std::pair<std::string, std::string>>{
           {R"({"containers":[{"name":"c"}]})", "spec.containers[0].command: Required value"},
           {R"({"containers":[{"name":"c","args":["x"]}]})", "spec.containers[0].command: Required value"},
           {R"({"containers":[{"name":"c","command":["x"],"volumeMounts":[{"name":"v"}]}]})", "spec.containers[0].volumeMounts: Forbidden"},
           {R"({"containers":[{"name":"c","command":["x"],"lifecycle":{"preStop":{"exec":{}}}}]})", "lifecycle.preStop: Forbidden"},
           {R"({"containers":[{"name":"c","command":["x"],"env":[{"name":"E","valueFrom":{"fileKeyRef":{"key":"k"}}}]}]})",
            "env[0].valueFrom.fileKeyRef"},
           {R"({"containers":[{"name":"c","command":["x"],"securityContext":{"capabilities":{"add":["SYS_ADMIN"]}}}]})",
            "capabilities.add"},
           {R"({"containers":[],"dnsPolicy":"None"})", "spec.dnsPolicy"},
           {R"({"containers":[],"os":{"name":"windows"}})", "spec.os.name"},
           {R"({"containers":[],"ephemeralContainers":[{"name":"e"}]})", "spec.ephemeralContainers"},
           {R"({"containers":[],"fromTheFuture":1})", "spec.fromTheFuture: Forbidden: this field is not supported"}}) {
    EXPECT_THAT(Check(spec, warnings), IsStatus(Code::kUnsupported, HasSubstr(text))) << spec;
  }
  EXPECT_THAT(warnings, IsEmpty());
}

TEST(PodRules, PodmanRunsAnImageWithItsOwnCommand) {
  std::vector<std::string> warnings;
  const auto check = [&](std::string_view spec) {
    return CheckPodSpec(Runtime::kPodman, json::Parse(StrCat(R"({"spec":)", spec, "}"))->root(), warnings);
  };
  EXPECT_OK(check(R"({"containers":[{"name":"c","image":"i","securityContext":{"readOnlyRootFilesystem":true}}]})"));
  EXPECT_THAT(warnings, IsEmpty());
  EXPECT_THAT(check(R"({"containers":[{"name":"c","command":["x"]}]})"),
              IsStatus(Code::kUnsupported, HasSubstr("spec.containers[0].image: Invalid value")));
  EXPECT_THAT(
      check(R"({"hostPID":true,"containers":[{"name":"c","image":"tarball:/root/x.tar"}]})"),
      IsStatus(Code::kUnsupported, AllOf(HasSubstr("spec.hostPID: Forbidden"), HasSubstr("spec.containers[0].image: Invalid value"))));
}

}  // namespace
}  // namespace allot::local

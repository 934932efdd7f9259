#include "apiserver/access/user_admission.h"

#include "apiserver/controllers/fake_api.h"
#include "apiserver/refusal.h"
#include "base/test_util.h"
#include "json/json.h"

namespace allot::apiserver {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class UserAdmissionTest : public ::testing::Test {
 protected:
  Kind KindOf(std::string_view group, std::string_view plural) {
    Kind kind;
    kind.type.group = group;
    kind.type.plural = plural;
    return kind;
  }

  json::Value Read(std::string_view text) {
    documents_.push_back(*json::Parse(text));
    return documents_.back().root();
  }

  // What is stored of `text`, or why it is refused.
  Result<json::Value> Admit(const Kind& kind, std::string_view text, std::string_view old = "", std::string_view subresource = "") {
    const json::Value before = old.empty() ? json::Value() : Read(old);
    AdmissionRequest request{old.empty() ? Operation::kCreate : Operation::kUpdate,
                             kind,
                             "alice",
                             "p",
                             subresource,
                             user_,
                             old.empty() ? nullptr : &before,
                             false,
                             api_,
                             warnings_,
                             uid_,
                             groups_};
    ASSIGN_OR_RETURN(const json::Value changed, step_.Mutate(request, edit_, Read(text)));
    TRY(step_.Validate(request, changed));
    return changed;
  }
  std::string AdmitText(const Kind& kind, std::string_view text, std::string_view old = "") {
    const Result<json::Value> admitted = Admit(kind, text, old);
    return admitted.ok() ? json::Write(*admitted) : admitted.status().message();
  }
  // The fields for which a Pod with this spec is refused.
  std::vector<std::string> RefusedFields(std::string_view spec) {
    std::vector<std::string> fields;
    const Result<json::Value> admitted = Admit(pods_, StrCat(R"({"spec":)", spec, "}"));
    if (admitted.ok()) return fields;
    const Refusal* const refusal = RefusalOf(admitted.status());
    EXPECT_EQ(refusal->code, 403);
    for (const FieldError& cause : refusal->causes) {
      EXPECT_EQ(cause.reason, "FieldValueForbidden");
      EXPECT_THAT(admitted.status().message(), HasSubstr(cause.field));
      fields.push_back(cause.field);
    }
    return fields;
  }

  const Kind pods_ = KindOf("", "pods"), deployments_ = KindOf("apps", "deployments"), replica_sets_ = KindOf("apps", "replicasets"),
             jobs_ = KindOf("batch", "jobs");
  const UserAdmission step_{2};
  FakeClock clock_;
  FakeApi api_{clock_};
  std::vector<std::string> warnings_;
  std::string user_ = "alice", uid_ = "1000";
  std::vector<std::string> groups_ = {"system:authenticated", "allot:users"};
  json::Arena arena_;
  json::Editor edit_{arena_};
  std::vector<json::Document> documents_;
};

TEST_F(UserAdmissionTest, APodGetsTheNameOfItsUser) {
  EXPECT_EQ(AdmitText(pods_, R"({"metadata":{"name":"p"}})"), R"({"metadata":{"name":"p","annotations":{"allot.dev/user":"alice"}}})");
  EXPECT_EQ(AdmitText(pods_, R"({"metadata":{"annotations":{"a":"b","allot.dev/user":"alice"}}})"),
            R"({"metadata":{"annotations":{"a":"b","allot.dev/user":"alice"}}})");
}

TEST_F(UserAdmissionTest, WhatMakesPodsHasTheNameOnItsTemplate) {
  for (const Kind* kind : {&deployments_, &replica_sets_, &jobs_}) {
    EXPECT_EQ(AdmitText(*kind, R"({"spec":{"template":{"spec":{}}}})"),
              R"({"spec":{"template":{"spec":{},"metadata":{"annotations":{"allot.dev/user":"alice"}}}}})");
  }
}

TEST_F(UserAdmissionTest, AUserCannotSetAnotherUsersName) {
  const auto pod = Admit(pods_, R"({"metadata":{"annotations":{"allot.dev/user":"bob"}}})");
  ASSERT_THAT(pod, IsStatus(Code::kInvalid,
                            HasSubstr("pods \"p\" is forbidden: metadata.annotations[allot.dev/user]: Forbidden: it must be \"alice\"")));
  EXPECT_EQ(RefusalOf(pod.status())->code, 403);
  EXPECT_EQ(RefusalOf(pod.status())->causes.at(0).field, "metadata.annotations[allot.dev/user]");
  EXPECT_THAT(AdmitText(jobs_, R"({"spec":{"template":{"metadata":{"annotations":{"allot.dev/user":"bob"}}}}})"),
              HasSubstr("spec.template.metadata.annotations[allot.dev/user]: Forbidden"));
}

TEST_F(UserAdmissionTest, AnUpdateThatDropsTheNameKeepsIt) {
  constexpr std::string_view kOld = R"({"metadata":{"annotations":{"allot.dev/user":"alice"}}})";
  EXPECT_EQ(AdmitText(pods_, R"({"metadata":{"labels":{"a":"b"}}})", kOld),
            R"({"metadata":{"labels":{"a":"b"},"annotations":{"allot.dev/user":"alice"}}})");
  EXPECT_THAT(AdmitText(pods_, R"({"metadata":{"annotations":{"allot.dev/user":"root"}}})", kOld), HasSubstr("it must be \"alice\""));
}

TEST_F(UserAdmissionTest, APodOrJobOfAnotherUserCannotBeTakenOver) {
  EXPECT_THAT(AdmitText(pods_, R"({"metadata":{}})", R"({"metadata":{}})"), HasSubstr("it is the admin's"));
  EXPECT_THAT(AdmitText(pods_, R"({"metadata":{}})", R"({"metadata":{"annotations":{"allot.dev/user":"bob"}}})"),
              HasSubstr("it is of user \"bob\""));
  EXPECT_THAT(AdmitText(jobs_, R"({"spec":{"template":{}}})", R"({"spec":{"template":{}}})"), HasSubstr("it is the admin's"));
}

TEST_F(UserAdmissionTest, ADeploymentOfTheAdminRunsAsTheUserWhoChangesIt) {
  EXPECT_THAT(AdmitText(deployments_, R"({"spec":{"template":{}}})", R"({"spec":{"template":{}}})"),
              HasSubstr(R"("allot.dev/user":"alice")"));
}

TEST_F(UserAdmissionTest, AdminsAndControllersPass) {
  constexpr std::string_view kPod = R"({"metadata":{"annotations":{"allot.dev/user":"bob"}},"spec":{"hostNetwork":true}})";
  groups_ = {"system:authenticated", "system:masters"};
  EXPECT_EQ(AdmitText(pods_, kPod), kPod);
  groups_ = {};
  user_ = "system:allot";
  EXPECT_EQ(AdmitText(pods_, kPod), kPod);
  user_ = "alice";
  EXPECT_THAT(AdmitText(pods_, kPod), HasSubstr("is forbidden"));  // a user without groups is not an admin
}

TEST_F(UserAdmissionTest, OtherKindsAndOtherSubresourcesPass) {
  EXPECT_EQ(AdmitText(KindOf("", "configmaps"), R"({"metadata":{}})"), R"({"metadata":{}})");
  EXPECT_EQ(AdmitText(KindOf("lab.example", "pods"), R"({"metadata":{}})"), R"({"metadata":{}})");
  ASSERT_OK_AND_ASSIGN(const json::Value status, Admit(pods_, R"({"metadata":{}})", R"({"metadata":{}})", "status"));
  EXPECT_EQ(json::Write(status), R"({"metadata":{}})");
}

TEST_F(UserAdmissionTest, AnOrdinaryPodPasses) {
  EXPECT_THAT(RefusedFields(R"({"securityContext":{"runAsNonRoot":true,"runAsUser":1000,"seccompProfile":{"type":"RuntimeDefault"}},
    "hostNetwork":false,"priorityClassName":"lab",
    "containers":[{"ports":[{"containerPort":80}],"livenessProbe":{"httpGet":{"path":"/"}},
      "securityContext":{"privileged":false,"allowPrivilegeEscalation":false,"procMount":"Default","capabilities":{"drop":["ALL"]}}}],
    "volumes":[{"name":"a","emptyDir":{}},{"name":"b","configMap":{}},{"name":"c","projected":{}},{"name":"d","persistentVolumeClaim":{}}]})"),
              IsEmpty());
}

TEST_F(UserAdmissionTest, APodMayNotRunAsAnotherUser) {
  EXPECT_THAT(RefusedFields(R"({"securityContext":{"runAsUser":0,"runAsGroup":0,"fsGroup":5,"supplementalGroups":[27]}})"),
              ElementsAre("spec.securityContext.runAsUser", "spec.securityContext.runAsGroup", "spec.securityContext.fsGroup",
                          "spec.securityContext.supplementalGroups"));
  EXPECT_THAT(
      RefusedFields(
          R"({"initContainers":[{"securityContext":{"runAsUser":1000}}],"containers":[{},{"securityContext":{"runAsUser":1001,"runAsGroup":1}}]})"),
      ElementsAre("spec.containers[1].securityContext.runAsUser", "spec.containers[1].securityContext.runAsGroup"));
  uid_ = "";
  EXPECT_THAT(RefusedFields(R"({"securityContext":{"runAsUser":1000}})"), ElementsAre("spec.securityContext.runAsUser"));
}

TEST_F(UserAdmissionTest, APodMayNotReachTheMachine) {
  EXPECT_THAT(RefusedFields(R"({"hostNetwork":true,"hostPID":true,"hostIPC":true})"),
              ElementsAre("spec.hostNetwork", "spec.hostPID", "spec.hostIPC"));
  EXPECT_THAT(
      RefusedFields(
          R"({"containers":[{"securityContext":{"privileged":true,"capabilities":{"add":["SYS_ADMIN"]},"procMount":"Unmasked"}}]})"),
      ElementsAre("spec.containers[0].securityContext.privileged", "spec.containers[0].securityContext.capabilities.add",
                  "spec.containers[0].securityContext.procMount"));
  EXPECT_THAT(
      RefusedFields(
          R"({"securityContext":{"sysctls":[{"name":"kernel.x","value":"1"}],"seLinuxOptions":{},"appArmorProfile":{"type":"Unconfined"}}})"),
      ElementsAre("spec.securityContext.seLinuxOptions", "spec.securityContext.appArmorProfile.type", "spec.securityContext.sysctls"));
  EXPECT_THAT(
      RefusedFields(
          R"({"containers":[{"ports":[{"hostPort":80}],"readinessProbe":{"tcpSocket":{"host":"10.0.0.1"}},"lifecycle":{"preStop":{"httpGet":{"host":"x"}}}}]})"),
      ElementsAre("spec.containers[0].ports[0].hostPort", "spec.containers[0].readinessProbe.tcpSocket.host",
                  "spec.containers[0].lifecycle.preStop.httpGet.host"));
  EXPECT_THAT(
      RefusedFields(R"({"volumes":[{"name":"a","hostPath":{"path":"/"}},{"name":"b","nfs":{}},{"name":"c","volumeOfTomorrow":{}}]})"),
      ElementsAre("spec.volumes[0].hostPath", "spec.volumes[1].nfs", "spec.volumes[2].volumeOfTomorrow"));
  EXPECT_THAT(RefusedFields(R"({"priorityClassName":"system-node-critical"})"), ElementsAre("spec.priorityClassName"));
}

TEST_F(UserAdmissionTest, ATemplateIsHeldToTheSameRules) {
  EXPECT_THAT(AdmitText(deployments_, R"({"spec":{"template":{"spec":{"hostPID":true}}}})"),
              HasSubstr("spec.template.spec.hostPID: Forbidden"));
}

TEST_F(UserAdmissionTest, AContainerThatIsAddedLaterIsHeldToTheSameRules) {
  constexpr std::string_view kOld = R"({"metadata":{"annotations":{"allot.dev/user":"alice"}}})";
  EXPECT_THAT(Admit(pods_, R"({"metadata":{},"spec":{"ephemeralContainers":[{"securityContext":{"privileged":true}}]}})", kOld,
                    "ephemeralcontainers"),
              IsStatus(Code::kInvalid, HasSubstr("spec.ephemeralContainers[0].securityContext.privileged")));
}

TEST_F(UserAdmissionTest, ThousandsOfWrongFieldsAreAShortMessage) {
  std::string containers;
  for (int i = 0; i < 3000; ++i) containers += StrCat(i == 0 ? "" : ",", R"({"securityContext":{"privileged":true}})");
  const Result<json::Value> admitted = Admit(pods_, StrCat(R"({"spec":{"containers":[)", containers, "]}}"));
  ASSERT_THAT(admitted, IsStatus(Code::kInvalid, HasSubstr("and 2992 more")));
  EXPECT_LT(admitted.status().message().size(), 2000u);
}

TEST_F(UserAdmissionTest, ATermOfAffinityIsAboutTheUsersOwnNamespace) {
  EXPECT_THAT(RefusedFields(R"({"affinity":{
    "podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"t"},{"namespaceSelector":{}}]},
    "podAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":1,"podAffinityTerm":{"namespaces":["bob"]}}]}}})"),
              ElementsAre("spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.namespaces",
                          "spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[1].namespaceSelector"));
}

TEST_F(UserAdmissionTest, AnUnconfinedProfileIsRefusedAsAnAnnotationToo) {
  EXPECT_THAT(AdmitText(pods_, R"({"metadata":{"annotations":{"container.apparmor.security.beta.kubernetes.io/c":"unconfined"}}})"),
              HasSubstr("metadata.annotations[container.apparmor.security.beta.kubernetes.io/c]: Forbidden"));
  EXPECT_THAT(AdmitText(pods_, R"({"metadata":{"annotations":{"container.apparmor.security.beta.kubernetes.io/c":"runtime/default"}}})"),
              HasSubstr(R"("allot.dev/user":"alice")"));
}

TEST_F(UserAdmissionTest, NoContainerGetsMorePrivilegesThanItStartsWith) {
  EXPECT_THAT(AdmitText(pods_, R"({"spec":{"initContainers":[{"name":"i"}],"containers":[{"name":"c","securityContext":{}}]}})"),
              HasSubstr(R"({"initContainers":[{"name":"i","securityContext":{"allowPrivilegeEscalation":false}}],)"
                        R"("containers":[{"name":"c","securityContext":{"allowPrivilegeEscalation":false}}]})"));
  EXPECT_THAT(AdmitText(deployments_, R"({"spec":{"template":{"spec":{"containers":[{"name":"c"}]}}}})"),
              HasSubstr(R"("allowPrivilegeEscalation":false)"));
  EXPECT_THAT(RefusedFields(R"({"containers":[{"securityContext":{"allowPrivilegeEscalation":true}}]})"),
              ElementsAre("spec.containers[0].securityContext.allowPrivilegeEscalation"));
}

TEST_F(UserAdmissionTest, WhatCannotBeChangedAnyMoreIsLeftAsItIs) {
  constexpr std::string_view kPod =
      R"({"metadata":{"annotations":{"allot.dev/user":"alice"}},"spec":{"containers":[{"name":"c"}],"ephemeralContainers":[{"name":"old"}]}})";
  EXPECT_EQ(AdmitText(pods_, kPod, kPod), kPod);
  ASSERT_OK_AND_ASSIGN(
      const json::Value more,
      Admit(pods_, R"({"metadata":{},"spec":{"ephemeralContainers":[{"name":"old"},{"name":"new"}]}})", kPod, "ephemeralcontainers"));
  EXPECT_EQ(json::Write(more["spec"]),
            R"({"ephemeralContainers":[{"name":"old"},{"name":"new","securityContext":{"allowPrivilegeEscalation":false}}]})");
}

TEST_F(UserAdmissionTest, AClaimInUseKeepsItsFinalizer) {
  const Kind claims = KindOf("resource.k8s.io", "resourceclaims");
  const auto claim = [](std::string_view finalizers, std::string_view status) {
    return StrCat(R"({"metadata":{"finalizers":[)", finalizers, R"(]},"status":)", status, "}");
  };
  constexpr std::string_view kBoth = R"("a/b","resource.kubernetes.io/delete-protection")", kOther = R"("a/b")";
  for (const std::string_view status : {R"({"allocation":{}})", R"({"reservedFor":[{"uid":"u"}]})"}) {
    EXPECT_THAT(AdmitText(claims, claim(kOther, status), claim(kBoth, status)), HasSubstr("delete the Pods that use the claim"));
    EXPECT_EQ(AdmitText(claims, claim(kBoth, status), claim(kBoth, status)), claim(kBoth, status));
  }
  EXPECT_EQ(AdmitText(claims, claim(kOther, "{}"), claim(kBoth, "{}")), claim(kOther, "{}"));
  user_ = "system:serviceaccount:kube-system:resource-claim-controller";
  EXPECT_EQ(AdmitText(claims, claim("", R"({"allocation":{}})"), claim(kBoth, R"({"allocation":{}})")), claim("", R"({"allocation":{}})"));
}

TEST_F(UserAdmissionTest, AUsersNamespaceHasRoomForSoManyObjectsOfAKind) {
  const auto create = [&](const char* resource, std::string_view text, const std::string& space) {
    const std::shared_ptr<const Kind> kind = api_.BuiltIn(resource);
    ASSERT_OK(api_.Create({}, {kind, space}, Read(text), {}));
  };
  const auto admit = [&](const char* resource) { return AdmitText(*api_.BuiltIn(resource), R"({"metadata":{}})"); };
  create("configmaps", R"({"metadata":{"name":"a"}})", "alice");
  create("configmaps", R"({"metadata":{"name":"a"}})", "bob");
  EXPECT_EQ(admit("configmaps"), R"({"metadata":{}})");
  create("configmaps", R"({"metadata":{"name":"b"}})", "alice");
  EXPECT_THAT(admit("configmaps"), HasSubstr("exceeded quota: a user's namespace has at most 2 configmaps"));
  EXPECT_EQ(admit("secrets"), R"({"metadata":{}})");

  user_ = "system:serviceaccount:kube-system:job-controller";
  groups_ = {"system:authenticated"};
  EXPECT_EQ(admit("configmaps"), R"({"metadata":{}})");
  create("namespaces", R"({"metadata":{"name":"alice","annotations":{"allot.dev/user":"alice"}}})", "");
  EXPECT_THAT(admit("configmaps"), HasSubstr("exceeded quota"));
  groups_ = {"system:masters"};
  EXPECT_EQ(admit("configmaps"), R"({"metadata":{}})");
}

}  // namespace
}  // namespace allot::apiserver

#include "apiserver/kinds/pod/admit_pod.h"
#include "apiserver/json_names.h"

#include "apiserver/kinds/core_test_util.h"
#include "base/test_util.h"

namespace allot::apiserver {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

class AdmitPodTest : public testing::Test, public Lookup {
 protected:
  Result<Value> Find(json::Editor& edit, std::string_view resource, std::string_view space, std::string_view name,
                     std::string_view mention) const override {
    const auto found = objects_.find(StrCat(resource, "/", space, "/", name));
    if (found == objects_.end()) return Value();
    return Mentions(found->second, mention) ? found->second : edit.Object({});
  }
  Result<std::vector<Value>> List(json::Editor&, std::string_view resource, std::string_view mention) const override {
    std::vector<Value> list;
    for (const auto& [key, object] : objects_) {
      if (key.starts_with(StrCat(resource, "/")) && Mentions(object, mention)) list.push_back(object);
    }
    return list;
  }
  static bool Mentions(const Value& object, std::string_view mention) { return json::Write(object).find(mention) != std::string::npos; }

  void Add(std::string_view key, std::string_view yaml) { objects_[std::string(key)] = trees_.Read(yaml); }
  Result<Value> Admit(std::string_view spec) {
    return AdmitNewPod(*this, trees_.edit(), "ns", trees_.Read(StrCat("{metadata: {name: p}, spec: ", spec, "}")));
  }

  Trees trees_;
  std::map<std::string, Value> objects_;
};

TEST_F(AdmitPodTest, TheServiceAccountMustExistUnlessItIsTheDefault) {
  ASSERT_OK_AND_ASSIGN(const Value pod, Admit("{}"));
  EXPECT_EQ(TextOf(pod["spec"]["serviceAccountName"]), "default");
  EXPECT_EQ(TextOf(pod["spec"]["serviceAccount"]), "default");
  EXPECT_THAT(Admit("{serviceAccountName: none}"),
              IsStatus(Code::kInvalid, HasSubstr("error looking up service account ns/none: serviceaccount \"none\" not found")));
}

TEST_F(AdmitPodTest, PullSecretsComeFromTheServiceAccount) {
  Add("serviceaccounts/ns/own", "{imagePullSecrets: [{name: s}]}");
  ASSERT_OK_AND_ASSIGN(const Value pod, Admit("{serviceAccountName: own}"));
  EXPECT_EQ(json::Write(pod["spec"]["imagePullSecrets"]), R"([{"name":"s"}])");
}

TEST_F(AdmitPodTest, TheDefaultPriorityClassIsTaken) {
  Add("priorityclasses.scheduling.k8s.io//a", "{metadata: {name: a}, value: 10, globalDefault: true, preemptionPolicy: Never}");
  Add("priorityclasses.scheduling.k8s.io//b", "{metadata: {name: b}, value: 5}");
  ASSERT_OK_AND_ASSIGN(const Value pod, Admit("{}"));
  EXPECT_EQ(TextOf(pod["spec"]["priorityClassName"]), "a");
  EXPECT_EQ(json::Write(pod["spec"]["priority"]), "10");
  EXPECT_EQ(TextOf(pod["spec"]["preemptionPolicy"]), "Never");
  EXPECT_THAT(Admit("{preemptionPolicy: PreemptLowerPriority}"), IsStatus(Code::kInvalid, HasSubstr("PreemptionPolicy")));
  ASSERT_OK_AND_ASSIGN(const Value named, Admit("{priorityClassName: b, priority: 5}"));
  EXPECT_EQ(TextOf(named["spec"]["preemptionPolicy"]), "PreemptLowerPriority");
}

TEST_F(AdmitPodTest, OnlyOnePriorityClassIsTheDefault) {
  Add("priorityclasses.scheduling.k8s.io//a", "{metadata: {name: a}, value: 10, globalDefault: true}");
  const Value other = trees_.Read("{metadata: {name: b}, globalDefault: true}");
  EXPECT_THAT(CheckOnlyDefaultClass(*this, other, true),
              IsStatus(Code::kInvalid, HasSubstr("PriorityClass a is already marked as default")));
  EXPECT_OK(CheckOnlyDefaultClass(*this, objects_.begin()->second, false));
}

TEST_F(AdmitPodTest, ExistingTolerationsAreNotAddedAgain) {
  ASSERT_OK_AND_ASSIGN(const Value pod, Admit("{tolerations: [{key: node.kubernetes.io/not-ready, operator: Exists}]}"));
  EXPECT_THAT(ItemsOf(pod["spec"]["tolerations"]), SizeIs(2));
  ASSERT_OK_AND_ASSIGN(const Value all, Admit("{tolerations: [{operator: Exists}]}"));
  EXPECT_THAT(ItemsOf(all["spec"]["tolerations"]), SizeIs(1));
}

TEST_F(AdmitPodTest, TheRuntimeClassDecidesOverheadAndPlace) {
  Add("runtimeclasses.node.k8s.io//rc",
      "{overhead: {podFixed: {cpu: 1m}}, scheduling: {nodeSelector: {a: b}, tolerations: [{key: k, operator: Exists}]}}");
  ASSERT_OK_AND_ASSIGN(const Value pod,
                       Admit("{runtimeClassName: rc, nodeSelector: {c: d}, tolerations: [{key: k, operator: Equal, value: v}]}"));
  EXPECT_EQ(json::Write(pod["spec"]["nodeSelector"]), R"({"c":"d","a":"b"})");
  EXPECT_EQ(json::Write(pod["spec"]["overhead"]), R"({"cpu":"1m"})");
  EXPECT_THAT(ItemsOf(pod["spec"]["tolerations"]), SizeIs(3));  // the narrower one of the Pod is gone
  EXPECT_OK(CheckPodOverhead(*this, pod));
  EXPECT_THAT(Admit("{runtimeClassName: rc, nodeSelector: {a: c}}"), IsStatus(Code::kInvalid, HasSubstr("conflict")));
  EXPECT_THAT(Admit("{runtimeClassName: none}"), IsStatus(Code::kInvalid, HasSubstr("RuntimeClass \"none\" not found")));
  EXPECT_THAT(CheckPodOverhead(*this, trees_.Read("{spec: {overhead: {cpu: 1m}}}")),
              IsStatus(Code::kInvalid, HasSubstr("without corresponding")));
}

TEST_F(AdmitPodTest, AnUpdateThatDoesNotKnowThePriorityKeepsIt) {
  const Value pod =
      AdmitChangedPod(trees_.edit(), trees_.Read("{spec: {}}"), trees_.Read("{spec: {priority: 7, preemptionPolicy: Never}}"));
  EXPECT_EQ(json::Write(pod["spec"]["priority"]), "7");
  EXPECT_EQ(TextOf(pod["spec"]["preemptionPolicy"]), "Never");
}

}  // namespace
}  // namespace allot::apiserver

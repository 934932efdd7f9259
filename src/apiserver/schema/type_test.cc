#include "apiserver/schema/type.h"

#include <thread>

#include "base/test_util.h"

namespace allot::apiserver {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kCore = "io.k8s.api.core.v1.";

const Type& BuiltIn(std::string_view name) {
  const Type* const type = Schema::BuiltIn().Find(StrCat(kCore, name));
  CHECK(type != nullptr);
  return *type;
}

const Field& FieldOf(const Type& type, std::string_view name) {
  const Field* const field = type.Find(name);
  CHECK(field != nullptr);
  return *field;
}

TEST(Schema, KnowsTheBuiltInKindsByTheirGroupVersionAndKind) {
  struct {
    std::string_view group, version, kind, name;
  } const cases[] = {
      {"", "v1", "Pod", "io.k8s.api.core.v1.Pod"},
      {"", "v1", "Status", "io.k8s.apimachinery.pkg.apis.meta.v1.Status"},
      {"apps", "v1", "Deployment", "io.k8s.api.apps.v1.Deployment"},
      {"autoscaling", "v1", "Scale", "io.k8s.api.autoscaling.v1.Scale"},
      {"resource.k8s.io", "v1", "ResourceSliceList", "io.k8s.api.resource.v1.ResourceSliceList"},
      {"apiextensions.k8s.io", "v1", "CustomResourceDefinition",
       "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition"},
      {"policy", "v1", "Eviction", "io.k8s.api.policy.v1.Eviction"},
      {"events.k8s.io", "v1", "Event", "io.k8s.api.events.v1.Event"},
  };
  for (const auto& c : cases) {
    const Type* const type = Schema::BuiltIn().FindKind(c.group, c.version, c.kind);
    ASSERT_NE(type, nullptr) << c.kind;
    EXPECT_EQ(type->name, c.name);
    EXPECT_EQ(type, Schema::BuiltIn().Find(c.name));
  }
  EXPECT_EQ(Schema::BuiltIn().FindKind("", "v1", "Deployment"), nullptr);
  EXPECT_EQ(Schema::BuiltIn().Find("io.k8s.api.core.v1.Nonsense"), nullptr);
}

TEST(Schema, FieldsSayHowTheyAreWrittenAndMerged) {
  const Field& containers = FieldOf(BuiltIn("PodSpec"), "containers");
  EXPECT_EQ(containers.type->shape, Shape::kList);
  EXPECT_EQ(containers.type->element, &BuiltIn("Container"));
  EXPECT_EQ(containers.number, 2);
  EXPECT_TRUE(containers.required);
  EXPECT_FALSE(containers.omit_empty);
  EXPECT_EQ(containers.merge, Merge::kMap);
  EXPECT_THAT(containers.keys, ElementsAre("name"));
  EXPECT_TRUE(containers.patch_merge);
  EXPECT_EQ(containers.patch_key, "name");

  const Field& security = FieldOf(BuiltIn("PodSpec"), "securityContext");
  EXPECT_TRUE(security.pointer);
  EXPECT_TRUE(security.omit_empty);
  EXPECT_EQ(security.merge, Merge::kGranular);
  EXPECT_EQ(FieldOf(BuiltIn("PodSpec"), "nodeSelector").merge, Merge::kAtomic);
  EXPECT_EQ(FieldOf(BuiltIn("PodSpec"), "tolerations").merge, Merge::kAtomic);
  EXPECT_TRUE(FieldOf(BuiltIn("PodSpec"), "volumes").patch_retain_keys);
  EXPECT_EQ(BuiltIn("PodSpec").Find("Containers"), nullptr);
}

TEST(Schema, FieldsOfAnInlinedStructKnowTheMessageAroundThem) {
  const Field& path = FieldOf(BuiltIn("Volume"), "hostPath");
  EXPECT_EQ(path.embedded, 2);
  EXPECT_EQ(path.number, 1);
  const Field& kind = FieldOf(BuiltIn("Pod"), "kind");
  EXPECT_EQ(kind.embedded, 0);
  EXPECT_EQ(kind.number, 0);
}

TEST(Schema, AStructThatIsOneValueIsSoInEveryFieldAndInLists) {
  EXPECT_TRUE(BuiltIn("LocalObjectReference").atomic);
  EXPECT_EQ(FieldOf(BuiltIn("PodSpec"), "imagePullSecrets").merge, Merge::kMap);
  EXPECT_EQ(FieldOf(BuiltIn("CSIVolumeSource"), "nodePublishSecretRef").merge, Merge::kAtomic);
}

TEST(Schema, KeysOfListsHaveDefaults) {
  EXPECT_EQ(FieldOf(BuiltIn("ContainerPort"), "protocol").default_value, R"("TCP")");
  EXPECT_EQ(FieldOf(BuiltIn("ContainerPort"), "containerPort").default_value, "0");
  EXPECT_EQ(FieldOf(BuiltIn("Container"), "name").default_value, R"("")");
  EXPECT_EQ(FieldOf(BuiltIn("Container"), "image").default_value, "");
}

TEST(Schema, TypesWithAFormOfTheirOwnHaveItsShape) {
  EXPECT_EQ(FieldOf(BuiltIn("ResourceRequirements"), "limits").type->element->shape, Shape::kQuantity);
  EXPECT_EQ(FieldOf(BuiltIn("Secret"), "data").type->element->shape, Shape::kBytes);
  EXPECT_EQ(FieldOf(BuiltIn("HTTPGetAction"), "port").type->shape, Shape::kIntOrString);
  EXPECT_EQ(FieldOf(BuiltIn("Event"), "eventTime").type->shape, Shape::kMicroTime);
  const Type* const props = Schema::BuiltIn().Find("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps");
  ASSERT_NE(props, nullptr);
  EXPECT_EQ(FieldOf(*props, "default").type->shape, Shape::kAny);
  EXPECT_EQ(FieldOf(*props, "items").type->shape, Shape::kAny);
  EXPECT_EQ(FieldOf(*props, "items").type->element, props);
}

TEST(Schema, EveryFieldIsFoundByItsName) {
  for (const auto& [name, type] : Schema::BuiltIn().types()) {
    for (const Field& field : type->fields) EXPECT_EQ(type->Find(field.name), &field) << name;
    for (size_t begin = 0; begin <= type->fields.size(); ++begin) {  // whichever was asked for before
      for (const Field& field : type->fields) {
        size_t next = begin;
        EXPECT_EQ(type->Find(field.name, next), &field) << name;
        EXPECT_EQ(next, static_cast<size_t>(&field - type->fields.data()) + 1);
      }
    }
    EXPECT_EQ(type->Find(""), nullptr);
    EXPECT_EQ(type->Find("zzz"), nullptr);
  }
}

TEST(Schema, AnyThreadMayBeTheFirstToAsk) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([] { EXPECT_NE(Schema::BuiltIn().FindKind("", "v1", "Pod"), nullptr); });
  for (std::thread& thread : threads) thread.join();
}

TEST(Schema, ATableThatIsWrongNamesTheLine) {
  struct {
    std::string_view table, error;
  } const cases[] = {
      {"package p\nstruct A\n  x Missing 1\n", "line 3 of p: no type \"Missing\""},
      {"package p\nstruct A\n  x string\n", "line 3 of p: expected NAME TYPE NUMBER"},
      {"package p\nstruct A\n  x string 1\n  x string 2\n", "line 4 of p: field x occurs twice"},
      {"package p\nstruct A\n  x string one\n", "line 3 of p: expected a number"},
      {"package p\nstruct A\n  x string 1.\n", "line 3 of p: expected a number"},
      {"package p\nstruct A\n  x string 1 maybe\n", "line 3 of p: unknown word \"maybe\""},
      {"package p\nstruct A kind=B\n", "line 2 of p: expected GROUP/VERSION/KIND"},
      {"package p\nstruct A\nstruct A\n", "line 3 of p: p.A occurs twice"},
      {"package p\nvalue A nothing\n", "line 2 of p: expected a shape"},
      {"package p\n  x string 1\n", "line 2 of p: a field outside of a struct"},
      {"package p\nclass A\n", "line 2 of p: expected a struct or value"},
      {"package p\nstruct A\n  x [][][][][][][][][][][]string 1\n", "line 3 of p: lists and maps more than 8 deep"},
  };
  for (const auto& c : cases) EXPECT_THAT(Schema::Parse({c.table}), IsStatus(Code::kInvalid, HasSubstr(c.error))) << c.table;
}

}  // namespace
}  // namespace allot::apiserver

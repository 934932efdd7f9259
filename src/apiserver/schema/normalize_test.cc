#include "apiserver/schema/normalize.h"

#include "base/test_util.h"
#include "json/json.h"

namespace allot::apiserver {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// What is left of `text` as the kind, or the error.
std::string Written(std::string_view group, std::string_view kind, std::string_view text, std::vector<std::string>* unknown = nullptr) {
  const Type* const type = Schema::BuiltIn().FindKind(group, "v1", kind);
  CHECK(type != nullptr);
  auto document = json::Parse(text);
  CHECK(document.ok());
  json::Editor edit(document->arena());
  auto normalized = Normalize(edit, *type, document->root());
  if (!normalized.ok()) return normalized.status().message();
  if (unknown != nullptr) *unknown = normalized->unknown;
  return json::Write(normalized->value);
}

TEST(Normalize, FieldsAreInTheOrderOfTheTypeAndMapsAreSorted) {
  EXPECT_EQ(Written("", "ConfigMap", R"({"data":{"b":"2","a":"1","B":"0"},"metadata":{"namespace":"n","name":"c"},"kind":"ConfigMap"})"),
            R"({"kind":"ConfigMap","metadata":{"name":"c","namespace":"n"},"data":{"B":"0","a":"1","b":"2"}})");
}

TEST(Normalize, KnownPartsAreSharedAndChangedPartsAreReadAgain) {
  const Type* const pod = Schema::BuiltIn().FindKind("", "v1", "Pod");
  auto document = json::Parse(R"({"metadata":{"name":"p","labels":{"b":"2","a":"1"}},"spec":{"containers":[
      {"name":"c","env":[{"name":"A","value":"1"}],"resources":{"limits":{"cpu":"1000m"}}},{"name":"d"}]}})");
  ASSERT_OK(document);
  json::Editor edit(document->arena());
  ASSERT_OK_AND_ASSIGN(const Normalized known, Normalize(edit, *pod, document->root()));
  const auto containers = json::ItemsOf(known.value["spec"]["containers"]);
  const json::Value limited = edit.SetAt(containers[1], {"resources", "limits", "memory"}, edit.Literal("1024Ki"));
  json::Value changed = edit.SetAt(known.value, {"spec", "containers"}, edit.Array({limited, containers[0], containers[0]}));
  changed = edit.SetAt(changed, {"metadata", "labels", "C"}, edit.Literal("3"));
  changed = edit.SetAt(changed, {"spec", "tolerations"}, edit.Array({}));
  ASSERT_OK_AND_ASSIGN(const Normalized quick, Normalize(edit, *pod, changed, known.value));
  ASSERT_OK_AND_ASSIGN(const Normalized whole, Normalize(edit, *pod, changed));
  EXPECT_EQ(json::Write(quick.value), json::Write(whole.value));
  EXPECT_THAT(json::Write(quick.value), HasSubstr(R"("labels":{"C":"3","a":"1","b":"2"})"));
  ASSERT_OK_AND_ASSIGN(const Normalized same, Normalize(edit, *pod, known.value, known.value));
  EXPECT_EQ(same.value.Members().data(), known.value.Members().data());
  EXPECT_THAT(Normalize(edit, *pod, edit.SetAt(known.value, {"spec", "nodeName"}, edit.Int(1)), known.value), IsStatus(Code::kInvalid));
}

TEST(Normalize, EmptyValuesAreOmittedWhereGoOmitsThem) {
  EXPECT_EQ(Written("", "ConfigMap", R"({"metadata":{"name":"","labels":{},"finalizers":[],"generation":0},"data":{},"immutable":false})"),
            R"({"metadata":{},"immutable":false})");
  EXPECT_EQ(Written("", "ConfigMap", "{}"), R"({"metadata":{}})");
  EXPECT_EQ(Written("", "ConfigMap", "null"), R"({"metadata":{}})");
}

TEST(Normalize, StructsThatAreAlwaysThereAreWrittenWithTheirZeros) {
  EXPECT_EQ(Written("", "Pod", "{}"), R"({"metadata":{},"spec":{"containers":null},"status":{}})");
  EXPECT_EQ(Written("", "Pod", R"({"spec":{"containers":[null]}})"),
            R"({"metadata":{},"spec":{"containers":[{"name":"","resources":{}}]},"status":{}})");
  EXPECT_EQ(Written("resource.k8s.io", "ResourceClaim", "{}"), R"({"metadata":{},"spec":{"devices":{"requests":null}},"status":{}})");
}

TEST(Normalize, AnEmptyListThatIsAlwaysThereIsNullSinceStorageKnowsNoDifference) {
  EXPECT_EQ(Written("resource.k8s.io", "ResourceClaim", R"({"spec":{"devices":{"requests":[]}}})"),
            R"({"metadata":{},"spec":{"devices":{"requests":null}},"status":{}})");
}

TEST(Normalize, PointersAreThereEvenWhenZeroAndAbsentWhenNull) {
  EXPECT_EQ(Written("coordination.k8s.io", "Lease", R"({"spec":{"holderIdentity":"","leaseDurationSeconds":0,"leaseTransitions":null}})"),
            R"({"metadata":{},"spec":{"holderIdentity":"","leaseDurationSeconds":0}})");
}

TEST(Normalize, NullsCountAsAbsent) {
  EXPECT_EQ(Written("", "ConfigMap", R"({"metadata":{"name":null,"creationTimestamp":null,"labels":null},"data":{"k":null}})"),
            R"({"metadata":{},"data":{"k":""}})");
  EXPECT_EQ(Written("", "Secret", R"({"metadata":null,"data":{"k":null}})"), R"({"metadata":{},"data":{"k":""}})");
}

TEST(Normalize, UnknownFieldsAreDroppedAndNamedInTheOrderOfTheText) {
  std::vector<std::string> unknown;
  EXPECT_EQ(Written("resource.k8s.io", "ResourceClaim",
                    R"({"zzz":{"a":{"b":1}},"metadata":{"name":"c","more":2},
                        "spec":{"devices":{"requests":[{"name":"r"},{"name":"s","exactly":{"deviceClassName":"c","nonsense":1}}]}},"Status":{}})",
                    &unknown),
            R"({"metadata":{"name":"c"},"spec":{"devices":{"requests":[{"name":"r"},{"name":"s","exactly":{"deviceClassName":"c"}}]}},)"
            R"("status":{}})");
  EXPECT_THAT(unknown, ElementsAre("zzz", "metadata.more", "spec.devices.requests[1].exactly.nonsense", "Status"));

  Written("resource.k8s.io", "ResourceSlice", R"({"spec":{"devices":[{"capacity":{"example.com/memory":{"valu":"1"}}}]}})", &unknown);
  EXPECT_THAT(unknown, ElementsAre("spec.devices[0].capacity.example.com/memory.valu"));
}

TEST(Normalize, NoMoreThanAHundredUnknownFieldsAreNamed) {
  std::string text = "{";
  for (int i = 0; i < 1000; ++i) text += StrCat(i > 0 ? "," : "", "\"x", i, "\":1");
  std::vector<std::string> unknown;
  Written("", "ConfigMap", text + "}", &unknown);
  EXPECT_THAT(unknown, SizeIs(100));
}

TEST(Normalize, ErrorsNameTheFieldInTheWordsOfGo) {
  struct {
    std::string_view group, kind, text, error;
  } const cases[] = {
      {"", "ConfigMap", R"({"data":{"k":5}})", "json: cannot unmarshal number into Go struct field ConfigMap.data of type string"},
      {"", "ConfigMap", R"({"data":[]})", "json: cannot unmarshal array into Go struct field ConfigMap.data of type map[string]string"},
      {"", "ConfigMap", "[]", "json: cannot unmarshal array into Go value of type v1.ConfigMap"},
      {"", "Pod", R"({"spec":{"containers":{}}})",
       "json: cannot unmarshal object into Go struct field PodSpec.spec.containers of type []v1.Container"},
      {"", "Pod", R"({"spec":{"containers":[{"name":true}]}})",
       "json: cannot unmarshal bool into Go struct field Container.spec.containers.name of type string"},
      {"", "Pod", R"({"spec":"x"})", "json: cannot unmarshal string into Go struct field Pod.spec of type v1.PodSpec"},
      {"", "Pod", R"({"spec":{"priority":2147483648}})",
       "json: cannot unmarshal number 2147483648 into Go struct field PodSpec.spec.priority of type int32"},
      {"", "Pod", R"({"spec":{"activeDeadlineSeconds":1.0}})",
       "json: cannot unmarshal number 1.0 into Go struct field PodSpec.spec.activeDeadlineSeconds of type int64"},
      {"", "ConfigMap", R"({"metadata":{"creationTimestamp":5}})",
       "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.creationTimestamp of type string"},
      {"", "ConfigMap", R"({"metadata":{"creationTimestamp":"x"}})",
       R"(parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006")"},
      {"", "Pod", R"({"spec":{"containers":[{"resources":{"limits":{"cpu":"x"}}}]}})", "quantities must match the regular expression"},
      {"", "Secret", R"({"data":{"k":"!"}})", "illegal base64 data"},
  };
  for (const auto& c : cases) EXPECT_THAT(Written(c.group, c.kind, c.text), HasSubstr(c.error));
}

TEST(Normalize, AnInvalidQuantityIsReportedWithItsPath) {
  EXPECT_THAT(Written("", "Pod", R"({"spec":{"containers":[{},{"resources":{"limits":{"cpu":"x"}}}]}})"),
              HasSubstr("(spec.containers[1].resources.limits.cpu)"));
}

TEST(Normalize, TheFirstErrorIsReportedUnlessALaterOneStopsGo) {
  EXPECT_THAT(Written("", "ConfigMap", R"({"data":{"a":1,"b":true},"immutable":"x"})"),
              HasSubstr("number into Go struct field ConfigMap.data"));
  EXPECT_THAT(Written("", "ConfigMap", R"({"immutable":1,"metadata":{"creationTimestamp":"x","name":1}})"), HasSubstr("parsing time"));
}

TEST(Normalize, QuantitiesAreWrittenAsKubernetesDoes) {
  EXPECT_EQ(
      Written("", "Pod", R"({"spec":{"overhead":{"a":"0.5","b":1.5,"c":1000,"d":"1024Mi","e":null,"f":" 1 ","g":"1e3","h":"100m"}}})"),
      R"({"metadata":{},"spec":{"containers":null,"overhead":{"a":"500m","b":"1500m","c":"1k","d":"1Gi","e":"0","f":"1","g":"1e3",)"
      R"("h":"100m"}},"status":{}})");
}

TEST(Normalize, TimesAreInUtcAndCutToTheirPrecision) {
  EXPECT_EQ(Written("", "ConfigMap", R"({"metadata":{"creationTimestamp":"2026-01-01T00:30:00.123456789+01:00"}})"),
            R"({"metadata":{"creationTimestamp":"2025-12-31T23:30:00Z"}})");
  EXPECT_EQ(Written("", "ConfigMap", R"({"metadata":{"creationTimestamp":"0001-01-01T00:00:00Z"}})"), R"({"metadata":{}})");
  EXPECT_EQ(Written("coordination.k8s.io", "Lease", R"({"spec":{"renewTime":"2026-01-01T00:00:00.000010-00:30"}})"),
            R"({"metadata":{},"spec":{"renewTime":"2026-01-01T00:30:00.000010Z"}})");
  EXPECT_EQ(Written("coordination.k8s.io", "Lease", R"({"spec":{"renewTime":"2026-01-01T00:00:00Z"}})"),
            R"(parsing time "2026-01-01T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000" (spec.renewTime))");
}

TEST(Normalize, IntegersThatMayBeTextStayWhatTheyAre) {
  constexpr std::string_view kDeployment =
      R"({"metadata":{},"spec":{"selector":null,"template":{"metadata":{},"spec":{"containers":null}},"strategy":{"rollingUpdate":)";
  EXPECT_EQ(Written("apps", "Deployment", R"({"spec":{"strategy":{"rollingUpdate":{"maxSurge":"25%","maxUnavailable":1}}}})"),
            StrCat(kDeployment, R"({"maxUnavailable":1,"maxSurge":"25%"}}},"status":{}})"));
  EXPECT_THAT(Written("apps", "Deployment", R"({"spec":{"strategy":{"rollingUpdate":{"maxSurge":1.5}}}})"),
              HasSubstr("number 1.5 into Go struct field RollingUpdateDeployment.spec.strategy.rollingUpdate.maxSurge of type int32"));
}

TEST(Normalize, Base64IsCanonical) {
  EXPECT_EQ(Written("", "Secret", R"({"data":{"a":"YQ==","b":"YR==","c":"Y\nQ==","d":""}})"),
            R"({"metadata":{},"data":{"a":"YQ==","b":"YQ==","c":"YQ==","d":""}})");
  EXPECT_EQ(Written("", "Secret", R"({"data":{"a":[97,null,255],"b":[]}})"), R"({"metadata":{},"data":{"a":"YQD/","b":""}})");
  EXPECT_THAT(Written("", "Secret", R"({"data":{"a":[256]}})"), HasSubstr("number 256 into Go struct field Secret.data of type uint8"));
}

TEST(Normalize, OpenValuesKeepTheirBytes) {
  EXPECT_EQ(
      Written("resource.k8s.io", "DeviceClass",
              R"({"spec":{"config":[{"opaque":{"driver":"d","parameters":{"z":null,"a":[1.0,1e2],"b":{}}}},{"opaque":{"driver":"e"}}]}})"),
      R"({"metadata":{},"spec":{"config":[{"opaque":{"driver":"d","parameters":{"z":null,"a":[1.0,1e2],"b":{}}}},)"
      R"({"opaque":{"driver":"e","parameters":null}}]}})");
}

TEST(Normalize, SchemasWithinSchemasAreReadButTheirUnknownFieldsNotNamed) {
  std::vector<std::string> unknown{"x"};
  const std::string written = Written("apiextensions.k8s.io", "CustomResourceDefinition",
                                      R"({"spec":{"versions":[{"name":"v1","schema":{"openAPIV3Schema":{"type":"object","properties":{
                   "a":{"type":"array","items":{"x":1,"minimum":1.50,"type":"string"}},"b":{"additionalProperties":true}},
                   "default":{"b":1,"a":null}}}}]}})",
                                      &unknown);
  EXPECT_THAT(written, HasSubstr(R"("openAPIV3Schema":{"type":"object","default":{"b":1,"a":null},"properties":{"a":{"type":"array",)"
                                 R"("items":{"type":"string","minimum":1.5}},"b":{"additionalProperties":true}}})"));
  EXPECT_THAT(unknown, IsEmpty());
}

TEST(Normalize, IsStable) {
  const std::string once =
      Written("", "Pod", R"({"spec":{"containers":[{"resources":{"requests":{"cpu":0.1}},"ports":[{}]}],"volumes":[{}]}})");
  EXPECT_EQ(Written("", "Pod", once), once);
}

TEST(Normalize, ATypeMayKeepWhatItDoesNotKnow) {
  auto schema = Schema::Parse({"package p\nstruct A\n  x string 1 omit\n"});
  ASSERT_OK(schema);
  Type open = *(*schema)->Find("p.A");
  open.keep_unknown = true;
  auto document = json::Parse(R"({"z":{"b":null},"x":"1","a":[]})");
  ASSERT_OK(document);
  json::Editor edit(document->arena());
  const auto normalized = Normalize(edit, open, document->root());
  ASSERT_OK(normalized);
  EXPECT_EQ(json::Write(normalized->value), R"({"x":"1","z":{"b":null},"a":[]})");
  EXPECT_THAT(normalized->unknown, IsEmpty());
}

}  // namespace
}  // namespace allot::apiserver

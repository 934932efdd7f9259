#include "apiserver/kinds/custom/kind.h"

#include <deque>

#include "apiserver/kinds/custom/prune.h"
#include "apiserver/kinds/custom/test_util.h"
#include "apiserver/schema/normalize.h"
#include "base/test_util.h"
#include "json/json.h"

namespace allot::apiserver {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kSpec = R"({type: object, required: [size], properties: {
  size: {type: integer, minimum: 1, maximum: 10}, mode: {type: string, enum: [Fast, Slow], default: Fast}, detail: {type: string},
  list: {type: array, items: {type: object, properties: {a: {type: string}, b: {type: string, default: x}}}},
  free: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {known: {type: object, properties: {a: {type: string}}}}},
  limits: {type: object, additionalProperties: {type: integer}}, loose: {type: object, additionalProperties: true},
  tags: {type: array, x-kubernetes-list-type: set, items: {type: string}},
  ports: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [port], items: {type: object, required: [port], properties: {port: {type: integer}}}},
  template: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true},
  amount: {x-kubernetes-int-or-string: true}, any: {x-kubernetes-preserve-unknown-fields: true},
  one: {type: object, x-kubernetes-map-type: atomic, properties: {a: {type: string}}},
  nested: {type: object, default: {}, properties: {enabled: {type: boolean, default: true}}}}})";

class CustomKindTest : public ::testing::Test {
 protected:
  CustomKindTest() : edit_(arena_) {}

  // The first kind of a definition.
  const Kind& Make(const std::string& definition) {
    auto kinds = KindsOf(Yaml(definition).root());
    CHECK(kinds.ok() && !kinds->empty());
    kinds_ = *std::move(kinds);
    return *kinds_[0];
  }
  json::Value Thing(std::string_view spec) {
    documents_.push_back(Yaml(StrCat("{apiVersion: example.com/v1, kind: Thing, metadata: {name: a}, spec: ", spec, "}")));
    return documents_.back().root();
  }
  std::string Defaulted(const Kind& kind, std::string_view spec) {
    return json::Write(kind.rules->Default(edit_, PruneCustom(edit_, *kind.schema, Thing(spec)))["spec"]);
  }

  json::Arena arena_;
  json::Editor edit_;
  std::vector<std::shared_ptr<const Kind>> kinds_;
  std::deque<json::Document> documents_;
};

TEST_F(CustomKindTest, HasTheNamesOfItsDefinition) {
  const Kind& kind =
      Make(Definition(kSpec,
                      "    subresources: {status: {}, scale: {specReplicasPath: .spec.size, statusReplicasPath: .status.count}}\n"
                      "    selectableFields: [{jsonPath: .spec.mode}]"));
  EXPECT_EQ(kind.ApiVersion(), "example.com/v1");
  EXPECT_EQ(kind.type.plural, "things");
  EXPECT_EQ(kind.type.kind, "Thing");
  EXPECT_TRUE(kind.type.namespaced);
  EXPECT_EQ(kind.singular, "thing");
  EXPECT_EQ(kind.list_kind, "ThingList");
  EXPECT_THAT(kind.short_names, ElementsAre("th"));
  EXPECT_THAT(kind.categories, ElementsAre("all"));
  EXPECT_TRUE(kind.custom && kind.has_status && kind.has_generation && !kind.unconditional_update);
  EXPECT_EQ(kind.storage_version, "v1");
  ASSERT_EQ(kind.subresources.size(), 2u);
  EXPECT_EQ(kind.subresources[1].kind, "Scale");
  ASSERT_EQ(kind.selectable.size(), 1u);
  EXPECT_EQ(kind.selectable[0].name, "spec.mode");
  EXPECT_THAT(kind.selectable[0].path, ElementsAre("spec", "mode"));
}

TEST_F(CustomKindTest, EachServedVersionIsAKind) {
  json::Document definition = Yaml(R"({metadata: {name: x}, spec: {group: g.io, scope: Cluster, names: {plural: xs, kind: X}, versions: [
    {name: v1, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}},
    {name: v2, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}},
    {name: v3, served: false, storage: false, schema: {openAPIV3Schema: {type: object}}}]}})");
  ASSERT_OK_AND_ASSIGN(const auto kinds, KindsOf(definition.root()));
  ASSERT_EQ(kinds.size(), 2u);
  EXPECT_EQ(kinds[0]->type.version, "v1");
  EXPECT_EQ(kinds[1]->type.version, "v2");
  EXPECT_EQ(kinds[0]->storage_version, "v2");
  EXPECT_FALSE(kinds[0]->has_status || kinds[0]->type.namespaced);
  EXPECT_THAT(KindsOf(json::Value()), IsStatus(Code::kInvalid));
}

TEST_F(CustomKindTest, ADeprecatedVersionSaysSoAndWhichIsBetter) {
  json::Document definition = Yaml(R"({metadata: {name: x}, spec: {group: g.io, scope: Cluster, names: {plural: xs, kind: X}, versions: [
    {name: v1alpha1, served: true, deprecated: true, deprecationWarning: own words, schema: {openAPIV3Schema: {type: object}}},
    {name: v1beta1, served: true, deprecated: true, schema: {openAPIV3Schema: {type: object}}},
    {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}},
    {name: v2, served: true, deprecated: true, schema: {openAPIV3Schema: {type: object}}}]}})");
  ASSERT_OK_AND_ASSIGN(const auto kinds, KindsOf(definition.root()));
  ASSERT_EQ(kinds.size(), 4u);
  EXPECT_EQ(kinds[0]->deprecation, "own words");
  EXPECT_EQ(kinds[1]->deprecation, "g.io/v1beta1 X is deprecated; use g.io/v1 X");
  EXPECT_EQ(kinds[2]->deprecation, "");
  EXPECT_EQ(kinds[3]->deprecation, "g.io/v2 X is deprecated");
}

TEST_F(CustomKindTest, DefaultsAreFilledInAtEveryDepth) {
  const Kind& kind = Make(Definition(kSpec));
  EXPECT_EQ(Defaulted(kind, "{size: 5}"), R"({"mode":"Fast","nested":{"enabled":true},"size":5})");
  EXPECT_EQ(Defaulted(kind, "{mode: Slow, nested: {enabled: false}, list: [{}, {b: z}]}"),
            R"({"list":[{"b":"x"},{"b":"z"}],"mode":"Slow","nested":{"enabled":false}})");
}

TEST_F(CustomKindTest, NullsThatAreNotAllowedAreMissing) {
  const Kind& kind = Make(Definition(kSpec));
  EXPECT_EQ(Defaulted(kind, "{size: 5, mode: null, detail: null, nested: {}, limits: {a: null}}"),
            R"({"limits":{},"mode":"Fast","nested":{"enabled":true},"size":5})");
}

TEST_F(CustomKindTest, UnknownFieldsArePruned) {
  const Kind& kind = Make(Definition(kSpec));
  documents_.push_back(Yaml(R"({apiVersion: x, kind: y, more: 1, metadata: {name: a, labels: {x: y}}, spec: {nonsense: 1, size: {a: 1},
    free: {any: {thing: [1]}, known: {a: x, b: y}}, list: [{a: x}, {c: y}], limits: {a: 1, b: {c: 1}}, loose: {a: {b: 1}, c: 1},
    template: {apiVersion: v1, kind: K, metadata: {name: x, wrong: 1}, spec: {a: 1}}, any: {x: {z: 1}}, amount: 5, one: {b: 1}}})"));
  std::vector<std::string> unknown;
  const json::Value pruned = PruneCustom(edit_, *kind.schema, documents_.back().root(), &unknown);
  EXPECT_EQ(
      json::Write(pruned["spec"]),
      R"({"amount":5,"any":{"x":{"z":1}},"free":{"any":{"thing":[1]},"known":{"a":"x"}},"limits":{"a":1,"b":{}},"list":[{"a":"x"},{}],)"
      R"("loose":{"a":{},"c":1},"one":{},"size":{},)"
      R"("template":{"apiVersion":"v1","kind":"K","metadata":{"name":"x"},"spec":{"a":1}}})");
  EXPECT_THAT(unknown, ElementsAre("more", "spec.free.known.b", "spec.limits.b.c", "spec.list[1].c", "spec.loose.a.b", "spec.nonsense",
                                   "spec.one.b", "spec.size.a", "spec.template.metadata.wrong"));
}

TEST_F(CustomKindTest, NoMoreUnknownFieldsAreNamedThanKubernetesNames) {
  const Kind& kind = Make(Definition(kSpec));
  std::string fields;
  for (int i = 0; i < 300; ++i) fields += StrCat(i == 0 ? "" : ", ", "x", i, ": 1");
  std::vector<std::string> unknown = {"metadata.x"};
  const json::Value pruned = PruneCustom(edit_, *kind.schema, Thing(StrCat("{loose: {key: {", fields, "}}}")), &unknown);
  EXPECT_EQ(json::Write(pruned["spec"]), R"({"loose":{"key":{}}})");
  EXPECT_EQ(unknown.size(), kMaxUnknownFields);
  EXPECT_EQ(unknown[0], "metadata.x");
}

TEST_F(CustomKindTest, PruningSharesWhatStays) {
  const Kind& kind = Make(Definition(kSpec));
  const json::Value thing = Thing("{list: [{a: x}], size: 1}");
  EXPECT_EQ(PruneCustom(edit_, *kind.schema, thing).Members().data(), thing.Members().data());
}

TEST_F(CustomKindTest, TypesSayHowApplyMerges) {
  const Kind& kind = Make(Definition(kSpec));
  const Type& spec = *kind.schema->Find("spec")->type;
  EXPECT_EQ(spec.Find("list")->merge, Merge::kAtomic);
  EXPECT_EQ(spec.Find("tags")->merge, Merge::kSet);
  EXPECT_EQ(spec.Find("ports")->merge, Merge::kMap);
  EXPECT_THAT(spec.Find("ports")->keys, ElementsAre("port"));
  EXPECT_EQ(spec.Find("nested")->merge, Merge::kGranular);
  EXPECT_EQ(spec.Find("one")->merge, Merge::kAtomic);
  EXPECT_EQ(spec.Find("amount")->type->shape, Shape::kIntOrString);
  EXPECT_EQ(spec.Find("any")->type->shape, Shape::kAny);
  EXPECT_EQ(spec.Find("limits")->type->shape, Shape::kMap);
  EXPECT_TRUE(spec.Find("size")->required);
  EXPECT_EQ(kind.schema->name, "com.example.v1.Thing");
  EXPECT_EQ(kind.schema->Find("metadata")->type->name, "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
}

TEST_F(CustomKindTest, ObjectsAreValidated) {
  const Kind& kind = Make(Definition(kSpec));
  FieldErrors errors;
  kind.rules->Validate(Thing("{size: 0, mode: Other, limits: {x: '1'}, tags: [a, a]}"), errors);
  EXPECT_THAT(Causes(errors), ElementsAre("spec.size: FieldValueInvalid", "spec.mode: FieldValueNotSupported",
                                          "spec.limits.x: FieldValueTypeInvalid", "spec.tags[1]: FieldValueDuplicate"));
  FieldErrors other;
  documents_.push_back(Yaml("{apiVersion: example.com/v2, kind: Thing, spec: {}}"));
  kind.rules->Validate(documents_.back().root(), other);
  EXPECT_THAT(Causes(other), ElementsAre("apiVersion: FieldValueInvalid"));
}

TEST_F(CustomKindTest, StatusIsValidatedOnItsOwn) {
  const Kind& kind = Make(Definition(kSpec, "    subresources: {status: {}}"));
  documents_.push_back(Yaml("{apiVersion: example.com/v1, kind: Thing, spec: {}, status: {ready: 1}}"));
  const json::Value object = documents_.back().root();
  FieldErrors errors;
  kind.rules->ValidateStatus(object, Thing("{}"), errors);
  EXPECT_THAT(Messages(errors), ElementsAre(HasSubstr("ready in body must be of type boolean")));
  EXPECT_THAT(Causes(errors), ElementsAre("status.ready: FieldValueTypeInvalid"));
}

TEST_F(CustomKindTest, ScaleShowsWhereItsPathsLead) {
  const Kind& kind = Make(Definition(
      kSpec, "    subresources: {scale: {specReplicasPath: .spec.size, statusReplicasPath: .status.count, labelSelectorPath: .status.s}}"));
  const auto* const rules = dynamic_cast<const CustomKindRules*>(kind.rules.get());
  ASSERT_NE(rules->scale(), nullptr);
  documents_.push_back(
      Yaml("{apiVersion: example.com/v1, kind: Thing, metadata: {name: a, uid: u}, spec: {size: 3}, status: {count: 2, s: a=b}}"));
  const json::Value object = documents_.back().root();
  EXPECT_EQ(json::Write(rules->scale()->Read(edit_, object)),
            R"({"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"a","uid":"u"},"spec":{"replicas":3},)"
            R"("status":{"replicas":2,"selector":"a=b"}})");
  documents_.push_back(Yaml("{spec: {replicas: 7}}"));
  EXPECT_EQ(json::Write(rules->scale()->Write(edit_, object, documents_.back().root())["spec"]), R"({"size":7})");
  FieldErrors errors;
  rules->Validate(edit_.SetAt(object, {"status", "count"}, edit_.Int(-1)), errors);
  EXPECT_THAT(Causes(errors), ElementsAre(".status.count: FieldValueInvalid"));
}

TEST_F(CustomKindTest, ColumnsAreCells) {
  const Kind& kind = Make(Definition(kSpec, R"(    additionalPrinterColumns:
    - {name: Size, type: integer, jsonPath: .spec.size}
    - {name: Detail, type: string, jsonPath: .spec.detail, priority: 1}
    - {name: Ready, type: string, jsonPath: '.status.conditions[?(@.type=="Ready")].status'}
    - {name: List, type: string, jsonPath: .spec.list}
    - {name: Wrong, type: integer, jsonPath: .spec.detail}
    - {name: Age, type: date, jsonPath: .metadata.creationTimestamp})"));
  ASSERT_EQ(kind.columns.size(), 7u);
  EXPECT_EQ(kind.columns[0].format, "name");
  EXPECT_EQ(kind.columns[2].priority, 1);
  EXPECT_EQ(kind.columns[2].json_path, ".spec.detail");
  documents_.push_back(
      Yaml(R"({metadata: {name: a, creationTimestamp: "1970-01-01T00:00:00Z"}, spec: {size: 5, detail: text, list: [{a: x}]},
    status: {conditions: [{type: Other, status: X}, {type: Ready, status: "True"}]}})"));
  const auto row = kind.row(edit_, documents_.back().root(), WallTime() + std::chrono::seconds(90));
  EXPECT_EQ(json::Write(edit_.Array(row)), R"(["a",5,"text","True","[{\"a\":\"x\"}]",null,"90s"])");
  EXPECT_EQ(json::Write(edit_.Array(kind.row(edit_, json::Value(), WallTime()))), "[null,null,null,null,null,null,null]");
}

TEST_F(CustomKindTest, WithoutColumnsThereIsTheAge) {
  const Kind& kind = Make(Definition(kSpec));
  ASSERT_EQ(kind.columns.size(), 2u);
  EXPECT_EQ(kind.columns[1].name, "Age");
}

}  // namespace
}  // namespace allot::apiserver

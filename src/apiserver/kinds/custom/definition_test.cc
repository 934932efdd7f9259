#include "apiserver/kinds/custom/definition.h"

#include <deque>

#include "apiserver/kinds/custom/test_util.h"
#include "apiserver/kinds/kind_rules.h"
#include "base/test_util.h"
#include "json/json.h"

namespace allot::apiserver {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr std::string_view kSize = "{type: object, properties: {size: {type: integer}}}";

class DefinitionTest : public ::testing::Test {
 protected:
  DefinitionTest() : edit_(arena_), rules_(DefinitionKindRules()) {}

  json::Value Prepared(const std::string& text) {
    documents_.push_back(Yaml(text));
    return rules_->PrepareCreate(edit_, rules_->Default(edit_, documents_.back().root()));
  }
  FieldErrors Create(const std::string& text) {
    FieldErrors errors;
    rules_->Validate(Prepared(text), errors);
    return errors;
  }
  FieldErrors Update(const std::string& text, const json::Value& old) {
    documents_.push_back(Yaml(text));
    FieldErrors errors;
    rules_->ValidateUpdate(rules_->PrepareUpdate(edit_, rules_->Default(edit_, documents_.back().root()), old), old, errors);
    return errors;
  }

  json::Arena arena_;
  json::Editor edit_;
  std::shared_ptr<const KindRules> rules_;
  std::deque<json::Document> documents_;
};

// `text` with the first `from` replaced.
std::string With(std::string text, std::string_view from, std::string_view to) {
  const size_t at = text.find(from);
  CHECK(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

TEST_F(DefinitionTest, DefaultsAreNamesAndConversion) {
  const json::Value made = Prepared(R"({metadata: {name: things.example.com}, spec: {group: example.com, scope: Cluster,
    names: {plural: things, kind: Thing}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}})");
  EXPECT_EQ(json::Write(made["spec"]["names"]), R"({"plural":"things","kind":"Thing","singular":"thing","listKind":"ThingList"})");
  EXPECT_EQ(json::Write(made["spec"]["conversion"]), R"({"strategy":"None"})");
  EXPECT_EQ(json::Write(made["status"]), R"({"storedVersions":["v1"]})");
  FieldErrors errors;
  rules_->Validate(made, errors);
  EXPECT_THAT(Causes(errors), IsEmpty());
}

TEST_F(DefinitionTest, SharedSchemasAreNamedByTheOlderPath) {
  EXPECT_THAT(Causes(Create(Definition("{type: object, properties: {size: {}}}"))),
              ElementsAre("spec.validation.openAPIV3Schema.properties[spec].properties[size].type: FieldValueRequired"));
  const std::string two = StrCat(Definition("{type: object, properties: {size: {}}}"),
                                 "  - {name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}\n");
  EXPECT_THAT(Causes(Create(two)),
              ElementsAre("spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[size].type: FieldValueRequired"));
}

TEST_F(DefinitionTest, AWebhookIsRefusedWhereItWouldBeCalled) {
  const std::string one = With(Definition(kSize), "  scope: Namespaced\n",
                               "  scope: Namespaced\n  conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], "
                               "clientConfig: {url: 'https://example.com'}}}\n");
  const std::string other = "  - {name: v2, served: false, storage: false, schema: {openAPIV3Schema: {type: object}}}\n";
  EXPECT_THAT(Causes(Create(one)), IsEmpty());
  EXPECT_THAT(Causes(Create(StrCat(one, other))), IsEmpty());
  const FieldErrors errors = Create(StrCat(one, With(other, "served: false", "served: true")));
  EXPECT_THAT(Causes(errors), ElementsAre("spec.conversion.strategy: FieldValueNotSupported"));
  EXPECT_THAT(Messages(errors), ElementsAre(HasSubstr("use None")));
}

TEST_F(DefinitionTest, NamesAndVersionsAreChecked) {
  const std::string good = Definition(kSize);
  EXPECT_THAT(Causes(Create(good)), IsEmpty());
  EXPECT_THAT(Causes(Create(With(good, "name: things.example.com", "name: other.example.com"))),
              ElementsAre("metadata.name: FieldValueInvalid"));
  EXPECT_THAT(Causes(Create(With(good, "storage: true", "storage: false"))),
              ElementsAre("spec.versions: FieldValueInvalid", "status.storedVersions: FieldValueInvalid"));
  EXPECT_THAT(Causes(Create(With(good, "scope: Namespaced", "scope: Everywhere"))), ElementsAre("spec.scope: FieldValueNotSupported"));
  EXPECT_THAT(Causes(Create(With(good, "group: example.com", "group: example"))),
              ElementsAre("metadata.name: FieldValueInvalid", "spec.group: FieldValueInvalid"));
  EXPECT_THAT(Causes(Create(With(good, "listKind: ThingList", "listKind: Thing"))), ElementsAre("spec.names.listKind: FieldValueInvalid"));
  EXPECT_THAT(Causes(Create(With(good, "shortNames: [th]", "shortNames: [T]"))),
              ElementsAre("spec.names.shortNames[0]: FieldValueInvalid"));
  EXPECT_THAT(Causes(Create(With(good, "- name: v1", "- name: V1"))),
              ElementsAre("spec.versions[0].name: FieldValueInvalid", "spec.version: FieldValueInvalid"));
  EXPECT_THAT(Causes(Create(With(good, "openAPIV3Schema:", "other:"))),
              ElementsAre("spec.versions[0].schema.openAPIV3Schema: FieldValueRequired"));
  EXPECT_THAT(Causes(Create(With(With(good, "things.example.com", "things.x.k8s.io"), "group: example.com", "group: x.k8s.io"))),
              ElementsAre("metadata.annotations[api-approved.kubernetes.io]: FieldValueRequired"));
}

TEST_F(DefinitionTest, PartsOfVersionsAreChecked) {
  const auto with = [&](std::string_view version) { return Causes(Create(Definition(kSize, version))); };
  EXPECT_THAT(with("    additionalPrinterColumns: [{name: A, type: text, jsonPath: spec.a}, {type: date, jsonPath: .a}]"),
              ElementsAre("spec.additionalPrinterColumns[0].type: FieldValueInvalid",
                          "spec.additionalPrinterColumns[0].JSONPath: FieldValueInvalid",
                          "spec.additionalPrinterColumns[1].name: FieldValueRequired"));
  EXPECT_THAT(with("    subresources: {scale: {specReplicasPath: .status.x}}"),
              ElementsAre("spec.subresources.scale.specReplicasPath: FieldValueInvalid",
                          "spec.subresources.scale.statusReplicasPath: FieldValueRequired"));
  EXPECT_THAT(with("    selectableFields: [{jsonPath: .spec.size}, {jsonPath: .spec}, {jsonPath: .spec.none}, {jsonPath: .spec.size}]"),
              ElementsAre("spec.selectableFields[1].jsonPath: FieldValueInvalid", "spec.selectableFields[2].jsonPath: FieldValueInvalid",
                          "spec.selectableFields[3].jsonPath: FieldValueDuplicate"));
  EXPECT_THAT(with("    deprecationWarning: gone"), ElementsAre("spec.versions[0].deprecationWarning: FieldValueInvalid"));
}

TEST_F(DefinitionTest, SchemasAreStructural) {
  const auto with = [&](std::string_view schema) {
    std::vector<std::string> causes = Causes(Create(Definition(schema)));
    for (std::string& cause : causes) cause = With(cause, "spec.validation.openAPIV3Schema.properties[spec]", "~");
    return causes;
  };
  EXPECT_THAT(with("{type: array}"), ElementsAre("~.items: FieldValueRequired"));
  EXPECT_THAT(with("{type: object, anyOf: [{type: object, description: x}]}"),
              ElementsAre("~.anyOf[0].description: FieldValueForbidden", "~.anyOf[0].type: FieldValueForbidden"));
  EXPECT_THAT(with("{x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]}"), IsEmpty());
  EXPECT_THAT(with("{type: string, pattern: '('}"), ElementsAre("~.pattern: FieldValueInvalid"));
  EXPECT_THAT(with("{type: object, x-kubernetes-embedded-resource: true}"), ElementsAre("~.properties: FieldValueRequired"));
  EXPECT_THAT(with("{type: object, properties: {a: {type: string}}, additionalProperties: {type: string}}"),
              ElementsAre("~.additionalProperties: FieldValueForbidden"));
  EXPECT_THAT(with("{type: string, $ref: x}"), ElementsAre("~.$ref: FieldValueForbidden"));
  EXPECT_THAT(with("{type: text}"), ElementsAre("~.type: FieldValueNotSupported"));
  EXPECT_THAT(with("{type: array, items: {type: string}, uniqueItems: true}"), ElementsAre("~.uniqueItems: FieldValueForbidden"));
  EXPECT_THAT(with("{type: array, x-kubernetes-list-type: map, items: {type: object, properties: {k: {type: string}}}, "
                   "x-kubernetes-list-map-keys: [k, k]}"),
              ElementsAre("~.items.properties[k].default: FieldValueRequired", "~.items.properties[k].default: FieldValueRequired",
                          "~.x-kubernetes-list-map-keys: FieldValueInvalid"));
  EXPECT_THAT(with("{type: array, x-kubernetes-list-type: set, items: {type: object}}"),
              ElementsAre("~.items.x-kubernetes-map-type: FieldValueInvalid"));
  EXPECT_THAT(with("{type: object, x-kubernetes-list-type: set}"), ElementsAre("~.type: FieldValueInvalid"));
}

TEST_F(DefinitionTest, TheRootIsAResource) {
  const auto with = [&](std::string_view root) {
    return Causes(Create(With(Definition(kSize), "        type: object\n        properties:\n",
                              StrCat("        type: object\n", root, "\n        properties:\n"))));
  };
  EXPECT_THAT(with("        nullable: true"), ElementsAre("spec.validation.openAPIV3Schema.nullable: FieldValueForbidden"));
  EXPECT_THAT(with("        allOf: [{properties: {none: {minLength: 1}}}]"),
              ElementsAre("spec.validation.openAPIV3Schema.properties[none]: FieldValueRequired"));
  const std::string metadata =
      With(Definition(kSize),
           "          status:", "          metadata: {type: object, properties: {labels: {type: object}}}\n          status:");
  EXPECT_THAT(Causes(Create(metadata)), ElementsAre("spec.validation.openAPIV3Schema.properties[metadata]: FieldValueForbidden"));
  const std::string status = With(Definition(kSize, "    subresources: {status: {}}"), "        type: object\n",
                                  "        type: object\n        maxProperties: 5\n");
  EXPECT_THAT(Causes(Create(status)), ElementsAre("spec.validation.openAPIV3Schema: FieldValueInvalid"));
}

TEST_F(DefinitionTest, DefaultsMustBeValid) {
  const auto with = [&](std::string_view schema) { return Causes(Create(Definition(schema))); };
  EXPECT_THAT(with("{type: object, properties: {mode: {type: string, enum: [Fast], default: Other}}}"),
              ElementsAre("spec.validation.openAPIV3Schema.properties[spec].properties[mode].default: FieldValueNotSupported"));
  EXPECT_THAT(with("{type: object, properties: {a: {type: object, default: {x: 1}}}}"),
              ElementsAre("spec.validation.openAPIV3Schema.properties[spec].properties[a].default: FieldValueInvalid"));
  EXPECT_THAT(with("{type: object, properties: {a: {type: integer, default: 1, x-kubernetes-validations: [{rule: self > 5}]}}}"),
              ElementsAre("spec.validation.openAPIV3Schema.properties[spec].properties[a].default: FieldValueInvalid"));
  EXPECT_THAT(with("{type: object, default: {size: 1}, properties: {size: {type: integer}}}"), IsEmpty());
}

TEST_F(DefinitionTest, RulesMustCompileAndBeCheap) {
  const auto with = [&](std::string_view schema) { return Create(Definition(schema)); };
  EXPECT_THAT(Causes(with("{type: object, properties: {size: {type: integer}}, x-kubernetes-validations: [{rule: self.none}]}")),
              ElementsAre("spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule: FieldValueInvalid"));
  EXPECT_THAT(Messages(with("{type: object, properties: {l: {type: array, items: {type: string}}}, x-kubernetes-validations: [{rule: "
                            "'self.l.all(x, self.l.all(y, x == y))'}]}")),
              Contains(HasSubstr("estimated rule cost exceeds budget by factor of more than 100x")));
  EXPECT_THAT(
      Causes(with("{type: array, maxItems: 2, items: {type: string, maxLength: 2, x-kubernetes-validations: [{rule: self == oldSelf}]}}")),
      ElementsAre("spec.validation.openAPIV3Schema.properties[spec].items.x-kubernetes-validations[0].rule: FieldValueInvalid"));
  EXPECT_THAT(
      Causes(with(
          "{type: string, x-kubernetes-validations: [{rule: ''}, {rule: 'true', reason: Other, fieldPath: .x, messageExpression: '1'}]}")),
      ElementsAre("spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule: FieldValueRequired",
                  "spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[1].reason: FieldValueNotSupported",
                  "spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[1].fieldPath: FieldValueInvalid"));
}

TEST_F(DefinitionTest, GroupAndEstablishedScopeCannotChange) {
  const json::Value old = Prepared(Definition(kSize));
  EXPECT_THAT(Causes(Update(Definition("{type: object}"), old)), IsEmpty());
  EXPECT_THAT(Causes(Update(With(Definition(kSize), "group: example.com", "group: example.org"), old)),
              ElementsAre("spec.group: FieldValueInvalid"));
  EXPECT_THAT(Causes(Update(With(Definition(kSize), "scope: Namespaced", "scope: Cluster"), old)), IsEmpty());
  documents_.push_back(Yaml("[{type: Established, status: 'True'}]"));
  const json::Value established = edit_.SetAt(old, {"status", "conditions"}, documents_.back().root());
  EXPECT_THAT(
      Causes(Update(With(With(Definition(kSize), "scope: Namespaced", "scope: Cluster"), "kind: Thing", "kind: Thong"), established)),
      ElementsAre("spec.scope: FieldValueInvalid", "spec.names.kind: FieldValueInvalid"));
  EXPECT_THAT(Causes(Update(With(Definition(kSize), "- name: v1", "- name: v2"), old)),
              ElementsAre("status.storedVersions[0]: FieldValueInvalid"));
}

TEST_F(DefinitionTest, UnknownFormatsAreWarnings) {
  std::vector<std::string> warnings;
  rules_->Warn(Prepared(Definition("{type: object, properties: {a: {type: string, format: other}, b: {type: integer, format: int32}}}")),
               warnings);
  EXPECT_THAT(warnings, ElementsAre("unrecognized format \"other\""));
}

TEST_F(DefinitionTest, NonsenseIsAnErrorAndNoCrash) {
  for (const char* const text : {"{}", "{spec: []}", "{spec: {versions: {}}}", "{spec: {versions: [1, [], {schema: 1}], names: 5}}",
                                 "{spec: {versions: [{schema: {openAPIV3Schema: {properties: [1], items: 5, allOf: {}, enum: 1}}}]}}"}) {
    EXPECT_FALSE(Create(text).empty()) << text;
  }
}

}  // namespace
}  // namespace allot::apiserver

#include "apiserver/kinds/custom/rules.h"

#include "apiserver/kinds/custom/test_util.h"
#include "base/test_util.h"

namespace allot::apiserver {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// What the rules of a schema say about a value, and about a change where there is an old one.
FieldErrors Check(std::string_view schema, std::string_view value, std::string_view old = "", int64_t budget = kRuleBudget) {
  const json::Document read = Yaml(schema), now = Yaml(value), before = Yaml(old.empty() ? "{}" : old);
  const auto custom = ReadCustomSchema(read.root());
  const auto rules = CustomRules::Compile(*custom, true);
  FieldErrors errors;
  CHECK(rules != nullptr);
  rules->Validate(now.root(), old.empty() ? nullptr : &before.root(), FieldPath(), errors, budget);
  return errors;
}

constexpr std::string_view kThing = R"yaml({type: object, properties: {spec: {type: object,
  properties: {size: {type: integer}, detail: {type: string}, list: {type: array, items: {type: integer, x-kubernetes-validations: [{rule: self > 0}]}},
    ports: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [port],
            items: {type: object, properties: {port: {type: integer}, name: {type: string}},
                    x-kubernetes-validations: [{rule: self.name == oldSelf.name, message: name stays}]}},
    map: {type: object, additionalProperties: {type: string, x-kubernetes-validations: [{rule: self != '', reason: FieldValueRequired, message: not empty}]}}},
  x-kubernetes-validations: [{rule: "!has(self.detail) || self.size > 2", message: detail needs a size above 2}]}}})yaml";

TEST(CustomRules, RulesThatDoNotHoldAreErrors) {
  EXPECT_THAT(Causes(Check(kThing, "{spec: {size: 3, detail: x}}")), IsEmpty());
  const FieldErrors errors = Check(kThing, "{spec: {size: 1, detail: x}}");
  EXPECT_THAT(Causes(errors), ElementsAre("spec: FieldValueInvalid"));
  EXPECT_THAT(Messages(errors), ElementsAre("Invalid value: detail needs a size above 2"));
  EXPECT_THAT(Messages(Check(kThing, "{spec: {list: [1, 0]}}")), ElementsAre("Invalid value: 0: failed rule: self > 0"));
  EXPECT_THAT(Causes(Check(kThing, "{spec: {list: [1, 0]}}")), ElementsAre("spec.list[1]: FieldValueInvalid"));
  EXPECT_THAT(Causes(Check(kThing, "{spec: {map: {a: '', b: x}}}")), ElementsAre("spec.map[a]: FieldValueRequired"));
}

TEST(CustomRules, TransitionsNeedAnOldValue) {
  EXPECT_THAT(Causes(Check(kThing, "{spec: {ports: [{port: 1, name: a}]}}")), IsEmpty());
  EXPECT_THAT(Causes(Check(kThing, "{spec: {ports: [{port: 2, name: c}, {port: 1, name: b}]}}", "{spec: {ports: [{port: 1, name: a}]}}")),
              ElementsAre("spec.ports[1]: FieldValueInvalid"));
}

TEST(CustomRules, WhatStaysAsItWasMayBeWrong) {
  EXPECT_THAT(Causes(Check(kThing, "{spec: {size: 1, detail: x}}", "{spec: {size: 1, detail: x}}")), IsEmpty());
  EXPECT_THAT(Causes(Check(kThing, "{spec: {size: 0, detail: x}}", "{spec: {size: 1, detail: x}}")),
              ElementsAre("spec: FieldValueInvalid"));
  EXPECT_THAT(Causes(Check(kThing, "{spec: {size: 5, list: [0]}}", "{spec: {size: 4, list: [0]}}")), IsEmpty());
}

TEST(CustomRules, MessagesAndPathsCanBeSaid) {
  constexpr std::string_view kSchema =
      R"yaml({type: object, properties: {a: {type: integer}, m: {type: object, additionalProperties: {type: string}}},
    x-kubernetes-validations: [{rule: self.a > 2, messageExpression: "'a is ' + string(self.a)", message: plain, fieldPath: .a, reason: FieldValueForbidden},
                               {rule: "'k' in self.m", messageExpression: "self.m['none']", message: plain, fieldPath: ".m['k']"}]
})yaml";
  const FieldErrors errors = Check(kSchema, "{a: 1, m: {}}");
  EXPECT_THAT(Causes(errors), ElementsAre("a: FieldValueForbidden", "m[k]: FieldValueInvalid"));
  EXPECT_THAT(Messages(errors), ElementsAre("Forbidden: a is 1", "Invalid value: plain"));
}

TEST(CustomRules, OptionalOldSelfIsAlwaysAsked) {
  constexpr std::string_view kSchema = R"yaml({type: object, properties: {a: {type: integer}},
    x-kubernetes-validations: [{rule: "oldSelf.hasValue() || self.a == 0", optionalOldSelf: true, message: starts at 0}]})yaml";
  EXPECT_THAT(Causes(Check(kSchema, "{a: 1}")), ElementsAre("<nil>: FieldValueInvalid"));
  EXPECT_THAT(Causes(Check(kSchema, "{a: 1}", "{a: 0}")), IsEmpty());
}

TEST(CustomRules, FailuresAreErrors) {
  constexpr std::string_view kSchema = R"yaml({type: object, properties: {a: {type: integer}, s: {x-kubernetes-int-or-string: true}},
    x-kubernetes-validations: [{rule: 1 / self.a > 0}, {rule: self.s < 5}]})yaml";
  EXPECT_THAT(Messages(Check(kSchema, "{a: 0, s: x}")),
              ElementsAre(HasSubstr("division by zero evaluating rule: 1 / self.a > 0"), HasSubstr("call arguments did not match")));
}

TEST(CustomRules, CostsAreBounded) {
  constexpr std::string_view kSchema = R"yaml({type: object, properties: {l: {type: array, items: {type: integer}}},
    x-kubernetes-validations: [{rule: "self.l.all(x, x > 0)"}, {rule: "false"}]
})yaml";
  EXPECT_THAT(Messages(Check(kSchema, "{l: [1, 2, 3]}", "", 10)), ElementsAre(HasSubstr("running out of cost budget")));
  EXPECT_THAT(Messages(Check(kSchema, "{l: [1, 2, 3]}", "", 1000)), ElementsAre("Invalid value: failed rule: false"));
}

TEST(CustomRules, MetadataIsNamesOnly) {
  constexpr std::string_view kSchema =
      "{type: object, x-kubernetes-validations: [{rule: self.metadata.name.startsWith('a') && self.kind == 'T'}]}";
  EXPECT_THAT(Causes(Check(kSchema, "{kind: T, metadata: {name: ab, labels: {x: y}}}")), IsEmpty());
  EXPECT_THAT(Causes(Check(kSchema, "{kind: T, metadata: {name: b}}")), ElementsAre("<nil>: FieldValueInvalid"));
}

TEST(CustomRules, SchemasWithoutRulesHaveNone) {
  EXPECT_EQ(CustomRules::Compile(*ReadCustomSchema(Yaml("{type: object, properties: {a: {type: string}}}").root()), true), nullptr);
}

}  // namespace
}  // namespace allot::apiserver

// Expected reasons and words are those of kube-apiserver 1.36.4.

#include "apiserver/kinds/custom/validate.h"

#include "apiserver/kinds/custom/list_types.h"
#include "apiserver/kinds/custom/test_util.h"
#include "base/test_util.h"

namespace allot::apiserver {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

FieldErrors Validate(std::string_view schema, std::string_view value, std::string_view old = "") {
  const json::Document read = Yaml(schema), now = Yaml(value), before = Yaml(old.empty() ? "{}" : old);
  FieldErrors errors;
  ValidateBySchema(*ReadCustomSchema(read.root()), now.root(), old.empty() ? nullptr : &before.root(), FieldPath(), errors);
  return errors;
}

TEST(CustomValidate, TypesAreChecked) {
  constexpr std::string_view kSchema = R"({type: object, properties: {
    i: {type: integer}, d: {type: number}, s: {type: string}, b: {type: boolean}, l: {type: array, items: {type: string}},
    o: {type: object}, e: {x-kubernetes-int-or-string: true}, x: {type: string, nullable: true}}})";
  EXPECT_THAT(Causes(Validate(kSchema, "{i: 1, d: 1, s: x, b: true, l: [x], o: {}, e: 1}")), IsEmpty());
  EXPECT_THAT(Causes(Validate(kSchema, "{i: 1.0, d: 1.5, e: x, x: null}")), IsEmpty());
  EXPECT_THAT(Messages(Validate(kSchema, "{i: x}")),
              ElementsAre("Invalid value: \"string\": i in body must be of type integer: \"string\""));
  EXPECT_THAT(Messages(Validate(kSchema, "{e: true}")),
              ElementsAre("Invalid value: \"boolean\": e in body must be of type integer,string: \"boolean\""));
  EXPECT_THAT(Causes(Validate(kSchema, "{d: x, s: 1, b: x, l: {}, o: [], i: null}")),
              UnorderedElementsAre("d: FieldValueTypeInvalid", "s: FieldValueTypeInvalid", "b: FieldValueTypeInvalid",
                                   "l: FieldValueTypeInvalid", "o: FieldValueTypeInvalid", "i: FieldValueTypeInvalid"));
  EXPECT_THAT(Causes(Validate(kSchema, "{l: [x, 1]}")), ElementsAre("l[1]: FieldValueTypeInvalid"));
}

TEST(CustomValidate, NumbersHaveLimits) {
  EXPECT_THAT(Messages(Validate("{type: integer, maximum: 10}", "11")),
              ElementsAre("Invalid value: 11:  in body should be less than or equal to 10"));
  EXPECT_THAT(Causes(Validate("{type: integer, maximum: 10, exclusiveMaximum: true}", "10")).size(), 1u);
  EXPECT_THAT(Messages(Validate("{type: number, minimum: 0.5, exclusiveMinimum: true}", "0.5")),
              ElementsAre("Invalid value: 0.5:  in body should be greater than 0.5"));
  EXPECT_THAT(Messages(Validate("{type: number, maximum: 1000000}", "1000001.5")),
              ElementsAre("Invalid value: 1.0000015e+06:  in body should be less than or equal to 1e+06"));
  EXPECT_THAT(Causes(Validate("{type: integer, multipleOf: 2}", "4")), IsEmpty());
  EXPECT_THAT(Messages(Validate("{type: integer, multipleOf: 2}", "3")),
              ElementsAre("Invalid value: 3:  in body should be a multiple of 2"));
  EXPECT_THAT(Causes(Validate("{type: number, multipleOf: 0.1}", "0.3")), IsEmpty());
  EXPECT_THAT(Causes(Validate("{type: integer, format: int32}", "3000000000")), ElementsAre("<nil>: FieldValueInvalid"));
  EXPECT_THAT(Causes(Validate("{type: integer}", "9223372036854775807")), IsEmpty());
}

TEST(CustomValidate, TextsHaveLengthsPatternsAndFormats) {
  EXPECT_THAT(Causes(Validate("{type: string, maxLength: 3}", "äöü")), IsEmpty());
  EXPECT_THAT(Messages(Validate("{type: string, maxLength: 3}", "abcd")), ElementsAre("Too long: may not be more than 3 bytes"));
  EXPECT_THAT(Messages(Validate("{type: string, minLength: 3}", "ab")),
              ElementsAre("Invalid value: \"ab\":  in body should be at least 3 chars long"));
  EXPECT_THAT(Messages(Validate("{type: string, pattern: '^[a-z]+$'}", "A")),
              ElementsAre("Invalid value: \"A\":  in body should match '^[a-z]+$'"));
  EXPECT_THAT(Messages(Validate("{type: string, format: date-time}", "soon")),
              ElementsAre("Invalid value: \"soon\":  in body must be of type date-time: \"soon\""));
  EXPECT_THAT(Causes(Validate("{type: string, format: date-time}", "'2024-05-01T12:00:00Z'")), IsEmpty());
  EXPECT_THAT(Messages(Validate("{type: string, format: date-time}", "5")),
              ElementsAre("Invalid value: \"int64\":  in body must be of type date-time: \"int64\""));
  EXPECT_THAT(Causes(Validate("{type: string, format: no-such-format}", "x")), IsEmpty());
}

TEST(CustomValidate, ListsAndObjectsHaveSizes) {
  EXPECT_THAT(Messages(Validate("{type: array, maxItems: 1, items: {}}", "[1, 2]")), ElementsAre("Too many: 2: must have at most 1 item"));
  EXPECT_THAT(Messages(Validate("{type: array, minItems: 1, items: {}}", "[]")),
              ElementsAre("Invalid value: 0:  in body should have at least 1 items"));
  EXPECT_THAT(Causes(Validate("{type: object, maxProperties: 1}", "{a: 1, b: 2}")), ElementsAre("<nil>: FieldValueTooMany"));
  EXPECT_THAT(Causes(Validate("{type: object, minProperties: 3}", "{a: 1, b: 2}")), ElementsAre("<nil>: FieldValueInvalid"));
  EXPECT_THAT(Causes(Validate("{type: object, required: [a, b]}", "{a: 1}")), ElementsAre("b: FieldValueRequired"));
  EXPECT_THAT(Causes(Validate("{type: object, properties: {m: {type: object, additionalProperties: {type: integer}}}}", "{m: {x: y}}")),
              ElementsAre("m.x: FieldValueTypeInvalid"));
  EXPECT_THAT(Causes(Validate("{type: object, properties: {a: {}}, additionalProperties: false}", "{a: 1, b: 2}")),
              ElementsAre("<nil>: FieldValueInvalid"));
}

TEST(CustomValidate, EnumsSayWhatIsSupported) {
  EXPECT_THAT(Messages(Validate("{type: string, enum: [Fast, Slow]}", "Other")),
              ElementsAre("Unsupported value: \"Other\": supported values: \"Fast\", \"Slow\""));
  EXPECT_THAT(Messages(Validate("{type: integer, enum: [1, 2]}", "3")),
              ElementsAre("Unsupported value: 3: supported values: \"1\", \"2\""));
  EXPECT_THAT(Causes(Validate("{type: integer, enum: [1, 2]}", "2.0")), IsEmpty());
  EXPECT_THAT(Causes(Validate("{properties: {a: {type: string, nullable: true, enum: [x]}}}", "{a: null}")),
              ElementsAre("a: FieldValueNotSupported"));
}

TEST(CustomValidate, AlternativesMustMatch) {
  constexpr std::string_view kOne = "{type: object, oneOf: [{required: [a]}, {required: [b]}]}";
  EXPECT_THAT(Causes(Validate(kOne, "{a: 1}")), IsEmpty());
  EXPECT_THAT(Messages(Validate(kOne, "{}")),
              ElementsAre("Invalid value: \"\": \"\" must validate one and only one schema (oneOf). Found none valid", "Required value"));
  EXPECT_THAT(Messages(Validate(kOne, "{a: 1, b: 2}")),
              ElementsAre("Invalid value: \"\": \"\" must validate one and only one schema (oneOf). Found 2 valid alternatives"));
  EXPECT_THAT(Messages(Validate("{anyOf: [{maxLength: 1}, {pattern: b}]}", "aa")),
              Contains("Invalid value: \"\": \"\" must validate at least one schema (anyOf)"));
  EXPECT_THAT(Messages(Validate("{allOf: [{maxLength: 1}, {maxLength: 5}]}", "aa")),
              ElementsAre("Too long: may not be more than 1 byte", "Invalid value: \"\": \"\" must validate all the schemas (allOf)"));
  EXPECT_THAT(Messages(Validate("{not: {enum: [x]}}", "x")), ElementsAre("Invalid value: \"\": \"\" must not validate the schema (not)"));
}

TEST(CustomValidate, WhatStaysAsItWasMayBeWrong) {
  constexpr std::string_view kSchema = R"({type: object, properties: {a: {type: string, maxLength: 1}, b: {type: string, maxLength: 1},
    ports: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [port],
            items: {type: object, properties: {port: {type: integer}, name: {type: string, maxLength: 1}}}}}})";
  EXPECT_THAT(Causes(Validate(kSchema, "{a: xx, b: z}", "{a: xx, b: x}")), IsEmpty());
  EXPECT_THAT(Causes(Validate(kSchema, "{a: xx, b: yy}", "{a: xx, b: x}")), ElementsAre("b: FieldValueTooLong"));
  EXPECT_THAT(Causes(Validate(kSchema, "{ports: [{port: 2, name: nn}, {port: 1, name: mm}]}", "{ports: [{port: 1, name: mm}]}")),
              ElementsAre("ports[0].name: FieldValueTooLong"));
}

TEST(CustomValidate, AListOfNothingButErrorsDoesNotMakeAGiantAnswer) {
  std::string items;
  for (int i = 0; i < 20'000; ++i) items += "x,";
  EXPECT_EQ(Validate("{type: array, items: {type: integer}}", StrCat("[", items, "]")).size(), 10'000u);
  EXPECT_EQ(
      Validate("{type: object, allOf: [{properties: {a: {type: array, items: {type: integer}}}}]}", StrCat("{a: [", items, "]}")).size(),
      10'000u);
}

TEST(CustomValidate, SetsAndMapsHaveNothingTwice) {
  const auto lists = [](std::string_view schema, std::string_view value) {
    const json::Document read = Yaml(schema), now = Yaml(value);
    FieldErrors errors;
    ValidateListTypes(*ReadCustomSchema(read.root()), now.root(), FieldPath(), errors);
    return errors;
  };
  constexpr std::string_view kSet = "{type: object, properties: {s: {type: array, x-kubernetes-list-type: set, items: {}}}}";
  EXPECT_THAT(Causes(lists(kSet, "{s: [1, 2, a, '1']}")), IsEmpty());
  EXPECT_THAT(Causes(lists(kSet, "{s: [1, 2, 1, 1, 2]}")), ElementsAre("s[2]: FieldValueDuplicate", "s[4]: FieldValueDuplicate"));
  EXPECT_THAT(Causes(lists(kSet, "{s: [{a: 1, b: 2}, {b: 2, a: 1}]}")), ElementsAre("s[1]: FieldValueDuplicate"));
  constexpr std::string_view kMap =
      "{type: object, properties: {m: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k, l], items: {}}}}";
  EXPECT_THAT(Causes(lists(kMap, "{m: [{k: 1, l: 1}, {k: 1, l: 2}, {k: 1}]}")), IsEmpty());
  EXPECT_THAT(Messages(lists(kMap, "{m: [{l: 1, k: 1, x: 1}, {k: 1, l: 1, x: 2}]}")), ElementsAre("Duplicate value: {\"k\":1,\"l\":1}"));
  EXPECT_THAT(Causes(lists(kMap, "{m: [1]}")), ElementsAre("m[0]: FieldValueInvalid"));
}

TEST(CustomValidate, EmbeddedObjectsSayWhatTheyAre) {
  const json::Document schema = Yaml("{type: object, properties: {t: {type: object, x-kubernetes-embedded-resource: true}}}");
  const json::Document value = Yaml("{t: {kind: A_b, metadata: {name: a/b, labels: {x y: z}}}}");
  FieldErrors errors;
  ValidateEmbedded(*ReadCustomSchema(schema.root()), value.root(), FieldPath(), errors);
  EXPECT_THAT(Causes(errors), ElementsAre("t.apiVersion: FieldValueRequired", "t.kind: FieldValueInvalid",
                                          "t.metadata.name: FieldValueInvalid", "t.metadata.labels: FieldValueInvalid"));
}

}  // namespace
}  // namespace allot::apiserver

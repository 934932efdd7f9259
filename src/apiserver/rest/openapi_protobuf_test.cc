#include "apiserver/rest/openapi_protobuf.h"

#include <set>

#include "apiserver/rest/openapi.h"
#include "apiserver/schema/wire_format.h"
#include "base/test_util.h"
#include "json/editor.h"
#include "json/json.h"

namespace allot::apiserver {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string Convert(std::string_view json) {
  auto bytes = OpenApiV2Protobuf(json);
  EXPECT_OK(bytes);
  return bytes.ok() ? *bytes : std::string();
}

// The definition "D" alone.
std::string ConvertSchema(std::string_view schema) { return Convert(StrCat(R"({"definitions":{"D":)", schema, "}}")); }

// What is at the end of a path of field numbers, in every message along it.
std::vector<std::string> At(std::string_view message, std::initializer_list<int> path) {
  std::vector<std::string> found{std::string(message)};
  for (const int number : path) {
    std::vector<std::string> next;
    for (const std::string& one : found) {
      EXPECT_OK(ForEachField(one, [&](const WireField& field) {
        if (field.number == number) next.push_back(field.type == WireType::kVarint ? StrCat(field.integer) : std::string(field.bytes));
        return Status();
      }));
    }
    found = std::move(next);
  }
  return found;
}

std::vector<std::string> InSchema(std::string_view schema, std::initializer_list<int> path) {
  const auto schemas = At(ConvertSchema(schema), {9, 1, 2});
  EXPECT_THAT(schemas, SizeIs(1));
  return schemas.empty() ? schemas : At(schemas[0], path);
}

std::shared_ptr<const Kind> MakeKind(std::string group, std::string version, std::string plural, std::string name) {
  auto kind = std::make_shared<Kind>();
  kind->schema = Schema::BuiltIn().FindKind(group, version, name);
  kind->type = {.group = group, .version = version, .plural = plural, .kind = name, .namespaced = true};
  kind->list_kind = name + "List";
  kind->subresources = {{.name = "status", .group = "", .version = "", .kind = "", .verbs = {"get", "patch", "update"}}};
  return kind;
}

// All texts, and the names of members that are data and not part of OpenAPI.
void CollectTexts(const json::Value& value, bool named, std::set<std::string_view>& texts) {
  if (value.IsString() && !value.AsString().empty()) texts.insert(value.AsString());
  for (const json::Value& item : json::ItemsOf(value)) CollectTexts(item, false, texts);
  for (const json::Member& member : json::MembersOf(value)) {
    if (named) texts.insert(member.key);
    const bool map = !named && (member.key == "properties" || member.key == "definitions" || member.key == "paths");
    CollectTexts(member.value, map, texts);
  }
}

TEST(OpenApiProtobuf, ASmallDocumentHasTheBytesOfGnostic) {
  using namespace std::string_view_literals;
  const std::string_view schema =
      "\xb2\x01\x08\x0a\x06object"                      // type = 22: value = 1
      "\xca\x01\x0a\x0a\x08\x0a\x01p\x12\x03\x0a\x01#"  // properties = 25: a pair = 1: name = 1, value = 2: $ref = 1
      "\xfa\x01\x0d\x0a\x03x-k\x12\x06\x12\x04true"sv;  // an extension = 31: name = 1, value = 2: yaml = 2
  const std::string_view before =
      "\x0a\x03\x32.0"                        // swagger = 1
      "\x12\x07\x0a\x01T\x12\x02v1"           // info = 2: title = 1, version = 2
      "\x42\x00"                              // paths = 8, empty
      "\x4a\x2f\x0a\x2d\x0a\x01N\x12\x28"sv;  // definitions = 9: a pair = 1: name = 1, value = 2
  EXPECT_EQ(Convert(R"({"swagger":"2.0","info":{"title":"T","version":"v1"},"paths":{},
                        "definitions":{"N":{"type":"object","properties":{"p":{"$ref":"#"}},"x-k":true}}})"),
            StrCat(before, schema));
}

TEST(OpenApiProtobuf, ASchemaHasItsScalarsListsAndMaps) {
  EXPECT_THAT(InSchema(R"({"type":"integer","format":"int64"})", {22, 1}), ElementsAre("integer"));
  EXPECT_THAT(InSchema(R"({"type":"integer","format":"int64"})", {2}), ElementsAre("int64"));
  EXPECT_THAT(InSchema(R"({"type":"array","items":{"type":"string"}})", {23, 1, 22, 1}), ElementsAre("string"));
  EXPECT_THAT(InSchema(R"({"type":"object","additionalProperties":{"$ref":"#/definitions/E"}})", {21, 1, 1}),
              ElementsAre("#/definitions/E"));
  EXPECT_THAT(InSchema(R"({"description":"Words.","$ref":"#/definitions/E"})", {4}), ElementsAre("Words."));
}

TEST(OpenApiProtobuf, ListsAndMembersKeepTheirOrder) {
  EXPECT_THAT(InSchema(R"({"required":["b","a","c"]})", {19}), ElementsAre("b", "a", "c"));
  EXPECT_THAT(InSchema(R"({"properties":{"b":{},"a":{}}})", {25, 1, 1}), ElementsAre("b", "a"));
  EXPECT_THAT(InSchema(R"({"x-b":1,"type":"object","x-a":2})", {31, 1}), ElementsAre("x-b", "x-a"));
}

// Clients take an object that has properties, if only none of them, for a struct, and one without for a map of anything.
TEST(OpenApiProtobuf, NoPropertiesAreNotTheSameAsEmptyOnes) {
  EXPECT_THAT(InSchema(R"({"type":"object"})", {25}), IsEmpty());
  EXPECT_THAT(InSchema(R"({"type":"object","properties":{}})", {25}), ElementsAre(""));
}

TEST(OpenApiProtobuf, ExtensionsAreJson) {
  EXPECT_THAT(InSchema(R"({"x-kubernetes-group-version-kind":[{"group":"","kind":"Pod","version":"v1"}]})", {31, 2, 2}),
              ElementsAre(R"([{"group":"","kind":"Pod","version":"v1"}])"));
  EXPECT_THAT(InSchema(R"({"x-kubernetes-list-type":"map"})", {31, 2, 2}), ElementsAre(R"("map")"));
}

TEST(OpenApiProtobuf, AFieldMayHaveTheNameOfAKeyword) {
  EXPECT_THAT(InSchema(R"({"properties":{"properties":{"type":"string"},"x-y":{"type":"boolean"}}})", {25, 1, 1}),
              ElementsAre("properties", "x-y"));
  EXPECT_THAT(InSchema(R"({"properties":{"x-y":{"type":"boolean"}}})", {31}), IsEmpty());
}

// kubectl looks for fieldValidation among the parameters of the patch of a kind.
TEST(OpenApiProtobuf, AnOperationHasItsParametersBodyAndAnswer) {
  const std::string patch = R"({"patch":{"operationId":"patchIt","consumes":["c"],"produces":["p"],
      "parameters":[{"description":"Words.","in":"query","name":"fieldValidation","type":"string","uniqueItems":true},
                    {"in":"body","name":"body","required":true,"schema":{"$ref":"#/definitions/D"}}],
      "responses":{"200":{"description":"OK","schema":{"$ref":"#/definitions/D"}}},"x-kubernetes-action":"patch"},
    "parameters":[{"in":"path","name":"namespace","required":true,"type":"string","uniqueItems":true}]})";
  const auto paths = At(Convert(StrCat(R"({"paths":{"/p":)", patch, "}}")), {8, 2});
  ASSERT_THAT(paths, SizeIs(1));
  EXPECT_THAT(At(paths[0], {1}), ElementsAre("/p"));
  const auto operations = At(paths[0], {2, 8});
  ASSERT_THAT(operations, SizeIs(1));
  EXPECT_THAT(At(operations[0], {5}), ElementsAre("patchIt"));
  EXPECT_THAT(At(operations[0], {6}), ElementsAre("p"));
  EXPECT_THAT(At(operations[0], {7}), ElementsAre("c"));
  EXPECT_THAT(At(operations[0], {8, 1, 2, 3, 4}), ElementsAre("fieldValidation"));
  EXPECT_THAT(At(operations[0], {8, 1, 2, 3, 6}), ElementsAre("string"));
  EXPECT_THAT(At(operations[0], {8, 1, 2, 3, 20}), ElementsAre("1"));
  EXPECT_THAT(At(operations[0], {8, 1, 1, 2}), ElementsAre("body"));
  EXPECT_THAT(At(operations[0], {8, 1, 1, 5, 1}), ElementsAre("#/definitions/D"));
  EXPECT_THAT(At(operations[0], {9, 1, 1}), ElementsAre("200"));
  EXPECT_THAT(At(operations[0], {9, 1, 2, 1, 2, 1, 1}), ElementsAre("#/definitions/D"));
  EXPECT_THAT(At(operations[0], {13, 2, 2}), ElementsAre(R"("patch")"));
  EXPECT_THAT(At(paths[0], {2, 9, 1, 2, 4, 4}), ElementsAre("namespace"));
  EXPECT_THAT(At(paths[0], {2, 9, 1, 2, 4, 1}), ElementsAre("1"));
}

TEST(OpenApiProtobuf, EverythingAboutAKindIsEncoded) {
  const std::vector<std::shared_ptr<const Kind>> kinds{MakeKind("", "v1", "configmaps", "ConfigMap"),
                                                       MakeKind("resource.k8s.io", "v1", "resourceclaims", "ResourceClaim")};
  const std::string json = OpenApiV2(kinds).json;
  const std::string bytes = Convert(json);
  ASSERT_OK_AND_ASSIGN(const json::Document document, json::Parse(json));
  std::set<std::string_view> texts;
  CollectTexts(document.root(), false, texts);
  EXPECT_GT(texts.size(), 100);
  for (const std::string_view text : texts) EXPECT_THAT(bytes, HasSubstr(std::string(text)));
}

TEST(OpenApiProtobuf, TheDeepestDocumentOfAKindIsRead) {
  std::string schema, end;
  for (int depth = 0; depth < 128; ++depth) {
    schema += R"({"type":"object","properties":{"p":)";
    end += "}}";
  }
  EXPECT_THAT(ConvertSchema(StrCat(schema, "{}", end)), testing::Not(IsEmpty()));
}

TEST(OpenApiProtobuf, TextThatIsNotADocumentIsRefusedOrEmpty) {
  EXPECT_THAT(OpenApiV2Protobuf("{"), IsStatus(Code::kInvalid));
  EXPECT_THAT(OpenApiV2Protobuf(std::string(1000, '[')), IsStatus(Code::kExhausted));
  for (const std::string_view json : {"[]", "1", R"({"info":1,"paths":[1],"definitions":"x"})"}) EXPECT_EQ(Convert(json), "");
  EXPECT_THAT(InSchema(R"({"type":1,"items":[],"required":"a","properties":[]})", {22}), IsEmpty());
}

}  // namespace
}  // namespace allot::apiserver

#include "apiserver/rest/openapi.h"
#include "apiserver/json_names.h"

#include <algorithm>
#include <set>

#include "apiserver/kinds/custom/kind.h"
#include "base/test_growth.h"
#include "base/test_util.h"

namespace allot::apiserver {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

std::shared_ptr<Kind> MakeKind(std::string group, std::string version, std::string plural, std::string name, bool namespaced = true) {
  auto kind = std::make_shared<Kind>();
  kind->schema = Schema::BuiltIn().FindKind(group, version, name);
  kind->type = {.group = group, .version = version, .plural = plural, .kind = name, .namespaced = namespaced};
  kind->list_kind = name + "List";
  return kind;
}

Subresource StatusPart() { return {.name = "status", .group = "", .version = "", .kind = "", .verbs = {"get", "patch", "update"}}; }

// Every kind of the tables that has lists.
std::vector<std::shared_ptr<const Kind>> AllKinds() {
  std::vector<std::shared_ptr<const Kind>> kinds;
  for (const auto& [name, type] : Schema::BuiltIn().types()) {
    if (type->kind.empty() || Schema::BuiltIn().FindKind(type->group, type->version, type->kind + "List") == nullptr) continue;
    std::string plural = type->kind + (type->kind.ends_with("s") ? "es" : "s");
    std::ranges::transform(plural, plural.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    auto kind = MakeKind(type->group, type->version, plural, type->kind);
    kind->subresources = {StatusPart()};
    kinds.push_back(kind);
  }
  return kinds;
}

json::Document Read(const std::string& text) {
  auto document = json::Parse(text);
  CHECK(document.ok());
  return *std::move(document);
}

const Value& At(const Value& value, std::initializer_list<std::string_view> path) {
  const Value* at = &value;
  for (const std::string_view key : path) at = &(*at)[key];
  return *at;
}

std::string Json(const Value& value) { return json::Write(value); }

const OpenApiDocument* Find(const std::vector<OpenApiDocument>& documents, std::string_view path) {
  const auto found = std::ranges::find(documents, path, &OpenApiDocument::path);
  return found == documents.end() ? nullptr : &*found;
}

// All {"$ref": ...} of a document.
void CollectRefs(const Value& value, std::set<std::string_view>& refs) {
  for (const Value& item : json::ItemsOf(value)) CollectRefs(item, refs);
  for (const json::Member& member : json::MembersOf(value)) {
    if (member.key == "$ref" && member.value.IsString()) refs.insert(member.value.AsString());
    CollectRefs(member.value, refs);
  }
}

TEST(OpenApi, TheIndexNamesADocumentForEachGroupAndVersionWithItsHash) {
  const std::vector<std::shared_ptr<const Kind>> kinds{MakeKind("", "v1", "pods", "Pod"),
                                                       MakeKind("apps", "v1", "deployments", "Deployment")};
  const auto documents = OpenApiV3(kinds);
  ASSERT_EQ(documents.size(), 2);
  const auto index = Read(OpenApiV3Index(documents));
  EXPECT_EQ(json::TextOf(At(index.root(), {"paths", "api/v1", "serverRelativeURL"})), "/openapi/v3/api/v1?hash=" + documents[0].hash);
  EXPECT_THAT(std::string(json::TextOf(At(index.root(), {"paths", "apis/apps/v1", "serverRelativeURL"}))),
              StartsWith("/openapi/v3/apis/apps/v1?hash="));
  EXPECT_NE(documents[0].hash, documents[1].hash);
}

TEST(OpenApi, TheSameKindsGiveTheSameBytes) {
  EXPECT_EQ(OpenApiV2(AllKinds()).json, OpenApiV2(AllKinds()).json);
  EXPECT_EQ(OpenApiV3Index(OpenApiV3(AllKinds())), OpenApiV3Index(OpenApiV3(AllKinds())));
}

TEST(OpenApi, OneDocumentIsMadeAloneAndOnlyWhereThereIsOne) {
  const auto kinds = AllKinds();
  for (const OpenApiDocument& document : OpenApiV3(kinds)) {
    const auto alone = OpenApiV3At(kinds, document.path);
    ASSERT_TRUE(alone) << document.path;
    EXPECT_EQ(alone->json, document.json) << document.path;
  }
  for (const std::string_view path : {"", "api", "api/v2", "apis/apps", "apis/apps/v1/x", "apis/none.example.com/v1"}) {
    EXPECT_FALSE(OpenApiV3At(kinds, path)) << path;
  }
}

TEST(OpenApi, EveryReferenceLeadsToADefinition) {
  for (const auto& document : OpenApiV3(AllKinds())) {
    const auto tree = Read(document.json);
    std::set<std::string_view> refs;
    CollectRefs(tree.root(), refs);
    EXPECT_THAT(refs, Not(IsEmpty()));
    for (const std::string_view ref : refs) {
      ASSERT_THAT(std::string(ref), StartsWith("#/components/schemas/"));
      EXPECT_TRUE(At(tree.root(), {"components", "schemas", ref.substr(21)}).IsObject()) << ref;
    }
  }
  const auto tree = Read(OpenApiV2(AllKinds()).json);
  std::set<std::string_view> refs;
  CollectRefs(tree.root(), refs);
  for (const std::string_view ref : refs) EXPECT_TRUE(At(tree.root(), {"definitions", ref.substr(14)}).IsObject()) << ref;
}

TEST(OpenApi, KindsHaveTheirGroupVersionAndKind) {
  const std::vector<std::shared_ptr<const Kind>> kinds{MakeKind("resource.k8s.io", "v1", "resourceclaims", "ResourceClaim")};
  const std::string expected = R"([{"group":"resource.k8s.io","kind":"ResourceClaim","version":"v1"}])";
  const auto v3 = Read(OpenApiV3(kinds)[0].json);
  EXPECT_EQ(json::TextOf(v3.root()["openapi"]), "3.0.0");
  const std::string_view name = "io.k8s.api.resource.v1.ResourceClaim";
  EXPECT_EQ(Json(At(v3.root(), {"components", "schemas", name, "x-kubernetes-group-version-kind"})), expected);
  const auto v2 = Read(OpenApiV2(kinds).json);
  EXPECT_EQ(json::TextOf(v2.root()["swagger"]), "2.0");
  EXPECT_EQ(Json(At(v2.root(), {"definitions", name, "x-kubernetes-group-version-kind"})), expected);
}

TEST(OpenApi, FieldsSayTheirTypeAndHowTheyAreMerged) {
  const std::vector<std::shared_ptr<const Kind>> kinds{MakeKind("", "v1", "pods", "Pod")};
  const auto v3 = Read(OpenApiV3(kinds)[0].json);
  const Value& schemas = At(v3.root(), {"components", "schemas"});
  const Value& spec = schemas["io.k8s.api.core.v1.PodSpec"];
  EXPECT_EQ(Json(spec["required"]), R"(["containers"])");
  const Value& containers = At(spec, {"properties", "containers"});
  EXPECT_EQ(json::TextOf(containers["type"]), "array");
  EXPECT_EQ(Json(containers["items"]), R"({"$ref":"#/components/schemas/io.k8s.api.core.v1.Container"})");
  EXPECT_EQ(Json(containers["x-kubernetes-list-map-keys"]), R"(["name"])");
  EXPECT_EQ(json::TextOf(containers["x-kubernetes-list-type"]), "map");
  EXPECT_EQ(json::TextOf(containers["x-kubernetes-patch-merge-key"]), "name");
  EXPECT_EQ(json::TextOf(containers["x-kubernetes-patch-strategy"]), "merge");
  EXPECT_EQ(json::TextOf(At(spec, {"properties", "volumes", "x-kubernetes-patch-strategy"})), "merge,retainKeys");
  EXPECT_EQ(Json(At(spec, {"properties", "terminationGracePeriodSeconds"})), R"({"type":"integer","format":"int64"})");
  EXPECT_EQ(json::TextOf(At(spec, {"properties", "nodeSelector", "x-kubernetes-map-type"})), "atomic");
  EXPECT_EQ(Json(At(schemas, {"io.k8s.apimachinery.pkg.apis.meta.v1.Time"})), R"({"type":"string","format":"date-time"})");
  const Value& quantity = schemas["io.k8s.apimachinery.pkg.api.resource.Quantity"];
  EXPECT_EQ(Json(quantity["oneOf"]), R"([{"type":"string"},{"type":"number"}])");
  EXPECT_EQ(json::TextOf(At(schemas, {"io.k8s.apimachinery.pkg.util.intstr.IntOrString", "format"})), "int-or-string");
}

TEST(OpenApi, AFieldWithADescriptionAndAReferenceKeepsBoth) {
  const std::vector<std::shared_ptr<const Kind>> kinds{MakeKind("resource.k8s.io", "v1", "resourceclaims", "ResourceClaim")};
  const auto v3 = Read(OpenApiV3(kinds)[0].json);
  const std::string_view name = "io.k8s.api.resource.v1.ExactDeviceRequest";
  const Value& in_v3 = At(v3.root(), {"components", "schemas", name, "properties", "capacity"});
  EXPECT_THAT(std::string(json::TextOf(in_v3["description"])), HasSubstr("shared"));
  EXPECT_EQ(Json(in_v3["allOf"]), R"([{"$ref":"#/components/schemas/io.k8s.api.resource.v1.CapacityRequirements"}])");
  const auto v2 = Read(OpenApiV2(kinds).json);
  const Value& in_v2 = At(v2.root(), {"definitions", name, "properties", "capacity"});
  EXPECT_EQ(json::TextOf(in_v2["$ref"]), "#/definitions/io.k8s.api.resource.v1.CapacityRequirements");
  EXPECT_TRUE(in_v2["description"].IsString());
}

// kubectl (cli-runtime's query_param_verifier_v3.go) looks for the parameter at a PATCH of the kind before it relies on the server.
TEST(OpenApi, PatchesTakeFieldValidationAndDryRun) {
  auto pods = MakeKind("", "v1", "pods", "Pod");
  pods->subresources = {StatusPart()};
  const std::vector<std::shared_ptr<const Kind>> kinds{pods};
  const auto v3 = Read(OpenApiV3(kinds)[0].json);
  for (const std::string_view path : {"/api/v1/namespaces/{namespace}/pods/{name}", "/api/v1/namespaces/{namespace}/pods/{name}/status"}) {
    const Value& patch = At(v3.root(), {"paths", path, "patch"});
    EXPECT_EQ(Json(patch["x-kubernetes-group-version-kind"]), R"({"group":"","kind":"Pod","version":"v1"})");
    std::vector<std::string> names;
    for (const Value& parameter : json::ItemsOf(patch["parameters"])) {
      EXPECT_EQ(json::TextOf(parameter["in"]), "query");
      names.emplace_back(json::TextOf(parameter["name"]));
    }
    EXPECT_THAT(names, ElementsAre("dryRun", "fieldManager", "fieldValidation", "force"));
    EXPECT_TRUE(At(patch, {"requestBody", "content", "application/strategic-merge-patch+json"}).IsObject());
  }
}

TEST(OpenApi, PathsAreThoseOfTheKindsScope) {
  const std::vector<std::shared_ptr<const Kind>> kinds{MakeKind("", "v1", "pods", "Pod"), MakeKind("", "v1", "nodes", "Node", false)};
  const auto v2 = Read(OpenApiV2(kinds).json);
  std::vector<std::string_view> paths;
  for (const json::Member& member : json::MembersOf(v2.root()["paths"])) paths.push_back(member.key);
  EXPECT_THAT(paths, ElementsAre("/api/v1/namespaces/{namespace}/pods", "/api/v1/namespaces/{namespace}/pods/{name}", "/api/v1/nodes",
                                 "/api/v1/nodes/{name}", "/api/v1/pods"));
}

TEST(OpenApi, OperationsHaveNamesOfTheirOwn) {
  const auto tree = Read(OpenApiV2(AllKinds()).json);
  std::set<std::string_view> names;
  size_t operations = 0;
  for (const json::Member& path : json::MembersOf(tree.root()["paths"])) {
    for (const json::Member& operation : json::MembersOf(path.value)) {
      if (!operation.value.IsObject()) continue;
      ++operations;
      names.insert(json::TextOf(operation.value["operationId"]));
    }
  }
  EXPECT_GT(operations, 100);
  EXPECT_EQ(names.size(), operations);
  EXPECT_TRUE(names.contains("listCoreV1NamespacedPod"));
}

TEST(OpenApi, KindsThatAreOnlyListedHaveNoWrites) {
  auto kind = MakeKind("storage.k8s.io", "v1", "storageclasses", "StorageClass", false);
  kind->empty = true;
  ASSERT_EQ(kind->schema, nullptr);
  const auto v3 = Read(OpenApiV3(std::vector<std::shared_ptr<const Kind>>{kind})[0].json);
  const Value& path = At(v3.root(), {"paths", "/apis/storage.k8s.io/v1/storageclasses"});
  EXPECT_TRUE(path["get"].IsObject());
  EXPECT_TRUE(path["post"].IsNull());
  const Value& schema = At(v3.root(), {"components", "schemas", "io.k8s.api.storage.v1.StorageClass"});
  EXPECT_TRUE(schema["x-kubernetes-preserve-unknown-fields"].AsBool());
}

TEST(OpenApi, SubresourcesOfAnotherKindHaveThatKind) {
  auto pods = MakeKind("", "v1", "pods", "Pod");
  pods->subresources = {{.name = "eviction", .group = "policy", .version = "v1", .kind = "Eviction", .verbs = {"create"}}};
  const auto v3 = Read(OpenApiV3(std::vector<std::shared_ptr<const Kind>>{pods})[0].json);
  const Value& path = At(v3.root(), {"paths", "/api/v1/namespaces/{namespace}/pods/{name}/eviction"});
  EXPECT_EQ(Json(At(path, {"post", "x-kubernetes-group-version-kind"})), R"({"group":"policy","kind":"Eviction","version":"v1"})");
  EXPECT_TRUE(path["get"].IsNull());
  EXPECT_TRUE(At(v3.root(), {"components", "schemas", "io.k8s.api.policy.v1.Eviction"}).IsObject());
}

// What a definition's schema becomes: types without names.
std::shared_ptr<Kind> CustomKind(Schema& schema) {
  const Type* text = schema.Add({.name = "", .shape = Shape::kString});
  const Type* either = schema.Add({.name = "", .shape = Shape::kIntOrString});
  const Type* any = schema.Add({.name = "", .shape = Shape::kAny});
  const Type* texts = schema.Add({.name = "", .shape = Shape::kList, .fields = {}, .element = text});
  Type spec{.name = "", .shape = Shape::kStruct};
  spec.fields.push_back({.name = "size", .type = either, .required = true});
  spec.fields.push_back({.name = "names", .type = texts, .merge = Merge::kSet});
  spec.fields.push_back({.name = "free", .type = any});
  const Type* made = schema.Add(std::move(spec));
  Type root{.name = "", .shape = Shape::kStruct};
  root.fields.push_back({.name = "spec", .type = made, .merge = Merge::kGranular});
  auto kind = MakeKind("x.example.com", "v1", "things", "Thing");
  kind->schema = schema.Add(std::move(root));
  kind->custom = true;
  return kind;
}

TEST(OpenApi, CustomKindsAreDescribedByTheirOwnSchema) {
  Schema schema;
  const auto v3 = Read(OpenApiV3(std::vector<std::shared_ptr<const Kind>>{CustomKind(schema)})[0].json);
  const Value& thing = At(v3.root(), {"components", "schemas", "com.example.x.v1.Thing"});
  EXPECT_EQ(Json(thing["x-kubernetes-group-version-kind"]), R"([{"group":"x.example.com","kind":"Thing","version":"v1"}])");
  EXPECT_EQ(Json(At(thing, {"properties", "spec", "properties"})),
            R"({"free":{"x-kubernetes-preserve-unknown-fields":true},)"
            R"("names":{"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"set"},)"
            R"("size":{"x-kubernetes-int-or-string":true}})");
  EXPECT_EQ(Json(At(thing, {"properties", "spec", "required"})), R"(["size"])");
  EXPECT_TRUE(At(v3.root(), {"components", "schemas", "com.example.x.v1.ThingList", "properties", "items"}).IsObject());
  const Value& content =
      At(v3.root(), {"paths", "/apis/x.example.com/v1/namespaces/{namespace}/things/{name}", "patch", "requestBody", "content"});
  EXPECT_TRUE(content["application/merge-patch+json"].IsObject());
  EXPECT_TRUE(content["application/strategic-merge-patch+json"].IsNull());
}

TEST(OpenApi, CustomKindsHaveTheWordsOfTheirDefinition) {
  const auto definition =
      Read(R"({"spec":{"group":"x.example.com","scope":"Namespaced","names":{"plural":"things","kind":"Thing"},"versions":[
      {"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","description":"A thing.","properties":{
       "spec":{"type":"object","description":"What is wanted.","properties":{"size":{"type":"integer","description":"How large."}}}}}}}]}})");
  const auto v3 = Read(OpenApiV3(*KindsOf(definition.root()))[0].json);
  const Value& thing = At(v3.root(), {"components", "schemas", "com.example.x.v1.Thing"});
  EXPECT_EQ(Json(thing["description"]), R"("A thing.")");
  EXPECT_EQ(Json(At(thing, {"properties", "spec", "description"})), R"("What is wanted.")");
  EXPECT_EQ(Json(At(thing, {"properties", "spec", "properties", "size", "description"})), R"("How large.")");
}

TEST(OpenApi, ASchemaWithoutEndIsCut) {
  Schema schema;
  Type* loop = schema.Add({.name = "", .shape = Shape::kList});
  loop->element = loop;
  Type root{.name = "", .shape = Shape::kStruct};
  root.fields.push_back({.name = "spec", .type = loop});
  auto kind = MakeKind("x.example.com", "v1", "things", "Thing");
  kind->schema = schema.Add(std::move(root));
  kind->custom = true;
  EXPECT_THAT(OpenApiV3(std::vector<std::shared_ptr<const Kind>>{kind})[0].json, HasSubstr("x-kubernetes-preserve-unknown-fields"));
}

TEST(OpenApi, AllKindsTakeLessThanAMoment) {
  const auto kinds = AllKinds();
  const double begin = ThreadSeconds();
  const auto v3 = OpenApiV3(kinds);
  const auto v2 = OpenApiV2(kinds);
  const double took = ThreadSeconds() - begin;
  EXPECT_GT(v2.json.size(), 100'000);
  // A tenth of it without a sanitizer; the limit is for what grows with the square of the fields.
  EXPECT_LT(took, 2);
  ASSERT_NE(Find(v3, "apis/resource.k8s.io/v1"), nullptr);
}

}  // namespace
}  // namespace allot::apiserver

#include "apiserver/schema/protobuf.h"

#include "apiserver/schema/wire_format.h"
#include "base/test_growth.h"
#include "base/test_util.h"
#include "json/json.h"

namespace allot::apiserver {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using namespace std::string_view_literals;

const Type* FindBuiltIn(std::string_view api_version, std::string_view kind) {
  const size_t slash = api_version.find('/');
  if (slash == api_version.npos) return Schema::BuiltIn().FindKind("", api_version, kind);
  return Schema::BuiltIn().FindKind(api_version.substr(0, slash), api_version.substr(slash + 1), kind);
}

// A body around an object's message.
std::string Body(std::string_view api_version, std::string_view kind, std::string_view message) {
  WireWriter out;
  out.Bytes(2, message);
  const size_t end = out.size();
  out.Bytes(2, kind);
  out.Bytes(1, api_version);
  out.Message(1, end);
  out.Raw("k8s\0"sv);
  return std::move(out).Take();
}

Result<std::string> Decode(std::string_view body) {
  json::Arena arena;
  json::Editor edit(arena);
  ASSIGN_OR_RETURN(const json::Value object, DecodeProtobuf(edit, body, FindBuiltIn));
  return json::Write(object);
}

// The object as JSON after a way through protobuf.
Result<std::string> RoundTrip(std::string_view text) {
  ASSIGN_OR_RETURN(const auto document, json::Parse(text));
  const auto api_version = json::TextOf(document.root()["apiVersion"]), kind = json::TextOf(document.root()["kind"]);
  ASSIGN_OR_RETURN(const std::string body, EncodeProtobuf(*FindBuiltIn(api_version, kind), api_version, kind, document.root()));
  return Decode(body);
}

TEST(Protobuf, AnObjectIsWrappedInAnEnvelopeWithItsKind) {
  ASSERT_OK_AND_ASSIGN(const auto document, json::Parse(R"({"metadata":{"name":"a"},"data":{"k":"v"}})"));
  ASSERT_OK_AND_ASSIGN(const std::string body, EncodeProtobuf(*FindBuiltIn("v1", "ConfigMap"), "v1", "ConfigMap", document.root()));
  EXPECT_EQ(body,
            "k8s\0"
            "\x0a\x0f\x0a\x02v1\x12\x09"
            "ConfigMap"
            "\x12\x0d"
            "\x0a\x03\x0a\x01"
            "a"
            "\x12\x06\x0a\x01k\x12\x01v"sv);
}

constexpr std::string_view kObjects[] = {
    R"({"kind":"Secret","apiVersion":"v1","metadata":{"name":"a","creationTimestamp":"2026-11-16T00:38:43Z","labels":{"x":"","y":"ü"}},)"
    R"("data":{"k":"AAEC"},"type":"Opaque"})",
    R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","managedFields":[{"manager":"m","fieldsV1":{"f:spec":{".":{}}}}]},)"
    R"("spec":{"volumes":[{"name":"v","emptyDir":{"sizeLimit":"1Gi"}}],"containers":[{"name":"c","image":"i",)"
    R"("resources":{"limits":{"memory":"6Gi"}},"livenessProbe":{"httpGet":{"port":"http"},"periodSeconds":-1}}],)"
    R"("terminationGracePeriodSeconds":0,"hostNetwork":false,"securityContext":{"supplementalGroups":[1,-2]}}})",
    R"({"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"l"},)"
    R"("spec":{"holderIdentity":"","renewTime":"2026-11-16T00:38:43.000120Z"}})",
    R"({"kind":"ResourceClaim","apiVersion":"resource.k8s.io/v1","metadata":{"name":"half"},"spec":{"devices":{"requests":)"
    R"([{"name":"gpu","exactly":{"deviceClassName":"gpu","capacity":{"requests":{"memory":"6Gi"}}}}],)"
    R"("config":[{"requests":["gpu"],"opaque":{"driver":"d","parameters":{"b":1.50,"a":null}}}]}}})",
    R"({"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1","spec":{"versions":[{"name":"v1","schema":)"
    R"({"openAPIV3Schema":{"maximum":1.5,"enum":["a",1],"items":{"type":"string"},"additionalProperties":false,)"
    R"("dependencies":{"a":["b"],"c":{"type":"x"}}}}}]}})",
    R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7","remainingItemCount":3},)"
    R"("items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]})",
    R"({"kind":"SubjectAccessReview","apiVersion":"authorization.k8s.io/v1","spec":{"extra":{"a":["x","y"],"b":[]}}})",
};

TEST(Protobuf, ObjectsComeBackAsTheyWere) {
  for (const std::string_view text : kObjects) {
    ASSERT_OK_AND_ASSIGN(const std::string again, RoundTrip(text));
    const auto expected = json::Parse(text), got = json::Parse(again);
    ASSERT_TRUE(expected.ok() && got.ok()) << text;
    EXPECT_TRUE(json::Equal(expected->root(), got->root())) << text << "\n" << again;
  }
}

TEST(Protobuf, FieldsOfAnEmbeddedStructAreInAMessageOfTheirOwn) {
  // volumes[0] of a Pod's spec: 1 is the name, 2 the source, in which emptyDir is 2.
  EXPECT_THAT(Decode(Body("v1", "Pod", "\x12\x0b\x0a\x09\x0a\x01v\x12\x04\x12\x02\x0a\x00"sv)),
              IsOkAndHolds(R"({"kind":"Pod","apiVersion":"v1","spec":{"volumes":[{"name":"v","emptyDir":{"medium":""}}]}})"));
}

TEST(Protobuf, ABodyMayLeaveItsKindToThePath) {
  json::Arena arena;
  json::Editor edit(arena);
  const auto find = [](std::string_view api_version, std::string_view kind) {
    EXPECT_EQ(api_version, "");
    EXPECT_EQ(kind, "");
    return FindBuiltIn("v1", "ConfigMap");
  };
  ASSERT_OK_AND_ASSIGN(const json::Value object, DecodeProtobuf(edit, "k8s\0\x12\x05\x0a\x03\x0a\x01x"sv, find));
  EXPECT_EQ(json::Write(object), R"({"metadata":{"name":"x"}})");
}

TEST(Protobuf, BytesThatAreNotProtobufAreRefused) {
  EXPECT_THAT(Decode(""), IsStatus(Code::kInvalid, HasSubstr("k8s\\0")));
  EXPECT_THAT(Decode("{}"), IsStatus(Code::kInvalid, HasSubstr("k8s\\0")));
  EXPECT_THAT(Decode(Body("v1", "Nonsense", "")), IsStatus(Code::kNotFound, R"(no kind "Nonsense" is registered for version "v1")"));
  EXPECT_THAT(Decode("k8s\0\x0a\x7f"sv), IsStatus(Code::kInvalid, HasSubstr("longer than the message")));
}

TEST(Protobuf, ErrorsNameTheField) {
  EXPECT_THAT(Decode(Body("v1", "ConfigMap", "\x0a\x02\x08\x01")),
              IsStatus(Code::kInvalid, AllOf(StartsWith("metadata: name: "), HasSubstr("wrong encoding"))));
  EXPECT_THAT(Decode(Body("v1", "ConfigMap", "\x0a\x02\x0a\x05")), IsStatus(Code::kInvalid, StartsWith("metadata: ")));
}

TEST(Protobuf, UnknownFieldsAreSkipped) {
  EXPECT_THAT(Decode(Body("v1", "ConfigMap", "\xa2\x06\x01z\xa8\x06\x05\x0a\x03\x0a\x01x")),
              IsOkAndHolds(R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"x"}})"));
}

TEST(Protobuf, TheLastOfAScalarCountsAndMessagesAreMerged) {
  // metadata twice: a name, another name and a namespace.
  EXPECT_THAT(Decode(Body("v1", "ConfigMap", "\x0a\x03\x0a\x01x\x0a\x06\x0a\x01y\x1a\x01n")),
              IsOkAndHolds(R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"y","namespace":"n"}})"));
  EXPECT_THAT(Decode(Body("v1", "ConfigMap",
                          "\x12\x06\x0a\x01k\x12\x01v\x12\x03\x0a\x01"
                          "a\x12\x06\x0a\x01k\x12\x01w")),
              IsOkAndHolds(R"({"kind":"ConfigMap","apiVersion":"v1","data":{"a":"","k":"w"}})"));
}

TEST(Protobuf, ListsOfNumbersMayBePacked) {
  // securityContext (14) of a Pod's spec; supplementalGroups is 4.
  EXPECT_THAT(Decode(Body("v1", "Pod", "\x12\x08\x72\x06\x22\x02\x01\x02\x20\x03")),
              IsOkAndHolds(HasSubstr(R"("supplementalGroups":[1,2,3])")));
}

TEST(Protobuf, ATimeThatIsEmptyIsNull) {
  EXPECT_THAT(Decode(Body("v1", "ConfigMap", "\x0a\x02\x42\x00"sv)), IsOkAndHolds(HasSubstr(R"("creationTimestamp":null)")));
}

TEST(Protobuf, WhatJsonCouldNotHoldIsTooDeep) {
  // A schema whose `not` (28) is a schema, and so on: spec.versions[].schema.openAPIV3Schema of a definition.
  const auto nested = [](int levels) {
    WireWriter out;
    for (int i = 0; i < levels; ++i) out.Message(28, 0);
    out.Message(1, 0);
    out.Message(4, 0);
    out.Message(7, 0);
    out.Message(2, 0);
    return Body("apiextensions.k8s.io/v1", "CustomResourceDefinition", std::move(out).Take());
  };
  // Around the outermost schema are the definition, spec, versions, a version and its schema.
  ASSERT_OK_AND_ASSIGN(const std::string deepest, Decode(nested(122)));
  EXPECT_OK(json::Parse(deepest));
  EXPECT_THAT(Decode(nested(123)), IsStatus(Code::kInvalid, HasSubstr("128 deep")));
  EXPECT_THAT(Decode(nested(100'000)), IsStatus(Code::kInvalid, HasSubstr("128 deep")));
}

TEST(Protobuf, InvalidRawJsonIsRefused) {
  // spec.devices.config[].opaque.parameters of a claim.
  const auto claim = [](std::string_view raw) {
    WireWriter out;
    out.Bytes(1, raw);
    for (const int number : {2, 1, 2, 3, 1, 2}) out.Message(number, 0);
    return Body("resource.k8s.io/v1", "ResourceClaim", std::move(out).Take());
  };
  EXPECT_THAT(Decode(claim(R"({"a":1.50})")), IsOkAndHolds(HasSubstr(R"("parameters":{"a":1.50})")));
  EXPECT_THAT(Decode(claim("{")), IsStatus(Code::kInvalid, HasSubstr("parameters")));
  EXPECT_THAT(Decode(claim(std::string(130, '[') + std::string(130, ']'))), IsStatus(Code::kInvalid, HasSubstr("deep")));
}

TEST(Protobuf, ManyFieldsAndItemsCostNoMoreThanTheirBytes) {
  const double growth = GrowthAtFourTimes(5'000, [](size_t count) {
    std::string labels;
    for (size_t i = 0; i < count; ++i) labels += std::string_view("\x5a\x05\x0a\x03k\x01\x01", 7);  // the same label again and again
    WireWriter out;
    out.Bytes(1, labels);
    std::string message = std::move(out).Take();
    for (size_t i = 0; i < 5 * count; ++i) message += std::string_view("\x0a\x00", 2);  // metadata again and again
    EXPECT_OK(Decode(Body("v1", "ConfigMap", message)));
  });
  EXPECT_LT(growth, 9);
}

TEST(Protobuf, AValueOfTheWrongTypeIsNotWritten) {
  ASSERT_OK_AND_ASSIGN(const auto document, json::Parse(R"({"metadata":{"labels":{"a":1}}})"));
  EXPECT_THAT(EncodeProtobuf(*FindBuiltIn("v1", "ConfigMap"), "v1", "ConfigMap", document.root()),
              IsStatus(Code::kInvalid, "metadata: labels: a: a number instead of a string"));
}

TEST(Protobuf, KindsWithoutFieldNumbersHaveNoProtobuf) {
  EXPECT_TRUE(HasProtobuf(*FindBuiltIn("v1", "Status")));
  Type custom{.name = "", .shape = Shape::kStruct};
  custom.fields.push_back({.name = "spec"});
  EXPECT_FALSE(HasProtobuf(custom));
}

TEST(Protobuf, AnEventOfAWatchHasItsLengthInFront) {
  EXPECT_EQ(EncodeProtobufEvent("ADDED", "k8s"),
            "\0\0\0\x0e\x0a\x05"
            "ADDED\x12\x05\x0a\x03k8s"sv);
}

}  // namespace
}  // namespace allot::apiserver

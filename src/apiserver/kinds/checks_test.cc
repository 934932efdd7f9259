#include "apiserver/kinds/checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_util.h"
#include "json/json.h"

namespace allot::apiserver {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// "field reason" of each error.
std::vector<std::string> Causes(const FieldErrors& errors) {
  std::vector<std::string> causes;
  for (const FieldError& error : errors.all()) causes.push_back(StrCat(error.field, " ", error.reason));
  return causes;
}

// The errors that `check` adds for `json`, at the field "x".
template <typename Check>
std::vector<std::string> CausesOf(std::string_view text, Check check) {
  const auto document = json::Parse(text);
  CHECK(document.ok());
  FieldErrors errors;
  check(FieldPath("x"), document->root(), errors);
  return Causes(errors);
}

TEST(DnsLabel, HasAtMost63LowerCaseBytes) {
  for (const std::string_view good : {"a", "1", "a-b", "123-abc"}) EXPECT_THAT(DnsLabelProblems(good), IsEmpty()) << good;
  EXPECT_THAT(DnsLabelProblems(std::string(63, 'a')), IsEmpty());
  EXPECT_THAT(DnsLabelProblems(std::string(64, 'a')), ElementsAre("must be no more than 63 bytes"));
  EXPECT_THAT(DnsLabelProblems("a.b"), ElementsAre("must not contain dots"));
  for (const std::string_view bad : {"", "A", "a_b", "-a", "a-", "a..b", "a\n", "\xc3\xa9"}) {
    EXPECT_THAT(DnsLabelProblems(bad), ElementsAre(HasSubstr("a lowercase RFC 1123 label must consist of"))) << bad;
  }
}

TEST(DnsSubdomain, HasAtMost253BytesOfLabels) {
  std::string longest;
  for (int i = 0; i < 63; ++i) longest += "aaa.";
  EXPECT_THAT(DnsSubdomainProblems(longest + "a"), IsEmpty());
  EXPECT_THAT(DnsSubdomainProblems(longest + "aa"), ElementsAre("must be no more than 253 bytes"));
  for (const std::string_view bad : {"", ".", "a.", ".a", "a..b", "a.-b", "A.b"}) {
    EXPECT_THAT(DnsSubdomainProblems(bad), ElementsAre(HasSubstr("RFC 1123 subdomain"))) << bad;
  }
}

TEST(LabelKey, IsANameAfterAnOptionalDomain) {
  for (const std::string_view good : {"a", "A_b.c-d", "example.com/A", "9"}) EXPECT_THAT(LabelKeyProblems(good), IsEmpty()) << good;
  EXPECT_THAT(LabelKeyProblems(""), ElementsAre("name part must be non-empty", HasSubstr("name part must consist of")));
  EXPECT_THAT(LabelKeyProblems("/a"), ElementsAre("prefix part must be non-empty"));
  EXPECT_THAT(LabelKeyProblems("A/a"), ElementsAre(HasSubstr("prefix part a lowercase RFC 1123 subdomain")));
  EXPECT_THAT(LabelKeyProblems("a/b/c"), ElementsAre(HasSubstr("with an optional DNS subdomain prefix and '/'")));
  EXPECT_THAT(LabelKeyProblems(std::string(64, 'a')), ElementsAre("name part must be no more than 63 bytes"));
}

TEST(LabelValue, MayBeEmptyAndHasNoDomain) {
  for (const std::string_view good : {"", "a", "A_b.c-d"}) EXPECT_THAT(LabelValueProblems(good), IsEmpty()) << good;
  for (const std::string_view bad : {"a/b", "a b", "_a", "a."})
    EXPECT_THAT(LabelValueProblems(bad), ElementsAre(HasSubstr("a valid label")));
  EXPECT_THAT(LabelValueProblems(std::string(64, 'a')), ElementsAre("must be no more than 63 bytes"));
}

TEST(CIdentifier, DoesNotBeginWithADigit) {
  for (const std::string_view good : {"a", "_", "A_9"}) EXPECT_THAT(CIdentifierProblems(good), IsEmpty()) << good;
  for (const std::string_view bad : {"", "9a", "a-b", "a.b"}) EXPECT_THAT(CIdentifierProblems(bad), ElementsAre(HasSubstr("C identifier")));
}

TEST(DriverName, IsRequiredAndMayHaveUpperCase) {
  const auto causes = [](std::string_view name) {
    FieldErrors errors;
    CheckDriverName(FieldPath("x"), name, errors);
    return Causes(errors);
  };
  EXPECT_THAT(causes("Gpu.Example.com"), IsEmpty());
  EXPECT_THAT(causes(""), ElementsAre("x FieldValueRequired"));
  EXPECT_THAT(causes("a_b"), ElementsAre("x FieldValueInvalid"));
  EXPECT_THAT(causes(std::string(64, 'a')), ElementsAre("x FieldValueTooLong"));
}

TEST(Labels, AreBlamedOnTheMap) {
  EXPECT_THAT(CausesOf(R"({"a": "b", "x/y": ""})", CheckLabels), IsEmpty());
  EXPECT_THAT(CausesOf(R"({"a": "not ok"})", CheckLabels), ElementsAre("x FieldValueInvalid"));
  EXPECT_THAT(CausesOf("null", CheckLabels), IsEmpty());
}

TEST(Annotations, HaveKeysInAnyCaseAnd256KiBTogether) {
  EXPECT_THAT(CausesOf(R"({"Example.COM/a": "any text at all"})", CheckAnnotations), IsEmpty());
  EXPECT_THAT(CausesOf(R"({"a b": ""})", CheckAnnotations), ElementsAre("x FieldValueInvalid"));
  const auto annotation = [](size_t bytes) { return StrCat(R"({"a": ")", std::string(bytes, 'v'), "\"}"); };
  EXPECT_THAT(CausesOf(annotation(256 * 1024 - 1), CheckAnnotations), IsEmpty());
  EXPECT_THAT(CausesOf(annotation(256 * 1024), CheckAnnotations), ElementsAre("x FieldValueTooLong"));
}

TEST(ExtendedResourceName, HasADomainThatIsNotOfKubernetes) {
  EXPECT_TRUE(IsExtendedResourceName("nvidia.com/gpu"));
  for (const std::string_view bad :
       {"", "gpu", "kubernetes.io/gpu", "x.kubernetes.io/gpu", "requests.nvidia.com/gpu", "A_B/gpu", "a/b/c"}) {
    EXPECT_FALSE(IsExtendedResourceName(bad)) << bad;
  }
  EXPECT_FALSE(IsExtendedResourceName(StrCat("nvidia.com/", std::string(64, 'a'))));
}

TEST(NodeSelector, NeedsATermAndOperatorsThatFitTheValues) {
  const auto causes = [](std::string_view term) { return CausesOf(StrCat(R"({"nodeSelectorTerms": [{)", term, "}]}"), CheckNodeSelector); };
  EXPECT_THAT(CausesOf("{}", CheckNodeSelector), ElementsAre("x.nodeSelectorTerms FieldValueRequired"));
  EXPECT_THAT(causes(""), IsEmpty());
  EXPECT_THAT(causes(R"("matchExpressions": [{"key": "k", "operator": "In", "values": ["v"]}])"), IsEmpty());
  EXPECT_THAT(causes(R"("matchExpressions": [{"key": "k", "operator": "In"}])"),
              ElementsAre("x.nodeSelectorTerms[0].matchExpressions[0].values FieldValueRequired"));
  EXPECT_THAT(causes(R"("matchExpressions": [{"key": "k", "operator": "Exists", "values": ["v"]}])"),
              ElementsAre("x.nodeSelectorTerms[0].matchExpressions[0].values FieldValueForbidden"));
  EXPECT_THAT(causes(R"("matchExpressions": [{"key": "k", "operator": "Gt", "values": ["1", "2"]}])"),
              ElementsAre("x.nodeSelectorTerms[0].matchExpressions[0].values FieldValueRequired"));
  EXPECT_THAT(causes(R"("matchExpressions": [{"key": "a b", "operator": "Like", "values": ["!"]}])"),
              ElementsAre("x.nodeSelectorTerms[0].matchExpressions[0].operator FieldValueInvalid",
                          "x.nodeSelectorTerms[0].matchExpressions[0].key FieldValueInvalid",
                          "x.nodeSelectorTerms[0].matchExpressions[0].values[0] FieldValueInvalid"));
}

TEST(NodeSelector, OfFieldsKnowsTheNameOnly) {
  const auto causes = [](std::string_view requirement) {
    return CausesOf(StrCat(R"({"matchFields": [{)", requirement, "}]}"), CheckNodeSelectorTerm);
  };
  EXPECT_THAT(causes(R"("key": "metadata.name", "operator": "In", "values": ["n1"])"), IsEmpty());
  EXPECT_THAT(causes(R"("key": "metadata.name", "operator": "In", "values": ["a", "b"])"),
              ElementsAre("x.matchFields[0].values FieldValueRequired"));
  EXPECT_THAT(causes(R"("key": "metadata.name", "operator": "Exists")"), ElementsAre("x.matchFields[0].operator FieldValueInvalid"));
  EXPECT_THAT(causes(R"("key": "spec.x", "operator": "In", "values": ["a"])"), ElementsAre("x.matchFields[0].key FieldValueInvalid"));
  EXPECT_THAT(causes(R"("key": "metadata.name", "operator": "In", "values": ["A_B"])"),
              ElementsAre("x.matchFields[0].values[0] FieldValueInvalid"));
}

TEST(Conditions, AreCompleteAndHaveDifferentTypes) {
  const std::string good = R"({"type": "Ready", "status": "True", "reason": "Fine", "lastTransitionTime": "2026-01-01T00:00:00Z"})";
  EXPECT_THAT(CausesOf(StrCat("[", good, "]"), CheckConditions), IsEmpty());
  EXPECT_THAT(CausesOf(StrCat("[", good, ",", good, "]"), CheckConditions), ElementsAre("x[1].type FieldValueDuplicate"));
  EXPECT_THAT(CausesOf(R"([{"type": "a b", "status": "Yes", "reason": "1", "observedGeneration": -1}])", CheckConditions),
              ElementsAre("x[0].type FieldValueInvalid", "x[0].status FieldValueNotSupported", "x[0].observedGeneration FieldValueInvalid",
                          "x[0].lastTransitionTime FieldValueRequired", "x[0].reason FieldValueInvalid"));
}

TEST(Sets, AreNotLookedAtBeyondTheirLimit) {
  const auto check = [](const FieldPath& field, const json::Value& list, FieldErrors& errors) {
    CheckSet(field, list, 2, errors, json::TextOf, [&](const FieldPath& at, const json::Value& item) {
      if (json::TextOf(item) == "bad") errors.Forbidden(at, "");
    });
  };
  EXPECT_THAT(CausesOf(R"(["a", "bad"])", check), ElementsAre("x[1] FieldValueForbidden"));
  EXPECT_THAT(CausesOf(R"(["a", "a"])", check), ElementsAre("x[1] FieldValueDuplicate"));
  EXPECT_THAT(CausesOf(R"(["bad", "bad", "bad"])", check), ElementsAre("x FieldValueTooMany"));
  EXPECT_THAT(CausesOf("null", check), IsEmpty());
}

TEST(Amounts, AreZeroIfAbsent) {
  ASSERT_OK_AND_ASSIGN(const auto document, json::Parse(R"({"q": "6Gi", "n": 5, "i": 9223372036854775807})"));
  EXPECT_EQ(QuantityOf(document.root()["q"]).Value(), 6ll << 30);
  EXPECT_EQ(QuantityOf(document.root()["n"]).Value(), 5);
  EXPECT_TRUE(QuantityOf(document.root()["none"]).IsZero());
  EXPECT_EQ(IntOf(document.root()["i"]), INT64_MAX);
  EXPECT_EQ(IntOf(document.root()["none"]), 0);
}

}  // namespace
}  // namespace allot::apiserver

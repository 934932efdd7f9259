#include "base/test_util.h"
#include "cli/fake_api.h"

namespace allot::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string Slice(std::string_view name, int generation, int count, std::string_view devices) {
  return StrCat(R"({"metadata":{"name":")", name, R"("},"spec":{"driver":"d","nodeName":"n","pool":{"name":"p","generation":)", generation,
                R"(,"resourceSliceCount":)", count, R"(},"devices":[)", devices, "]}}");
}

constexpr std::string_view kShared = R"({"name":"gpu-0","allowMultipleAllocations":true,"capacity":{"memory":{"value":"24Gi"}}})";
constexpr std::string_view kWhole = R"({"name":"gpu-1"})";

std::string List(std::string_view items, std::string_view next = "") {
  return StrCat(R"({"metadata":{"resourceVersion":"1","continue":")", next, R"("},"items":[)", items, "]}");
}

std::string Claim(std::string_view device) {
  return StrCat(
      R"({"metadata":{"name":"half","namespace":"lab","uid":"u"},"status":{"allocation":{"devices":{"results":[{"request":"gpu","driver":"d","pool":"p","device":")",
      device,
      R"(","shareID":"s","consumedCapacity":{"memory":"6Gi"}}]},"nodeSelector":{"nodeSelectorTerms":[{"matchFields":[{"key":"metadata.name","operator":"In","values":["n"]}]}]}}}})");
}

// `allot describe node n` where the server has these slices, and answers so to who lists claims.
std::string DescribeNode(const std::string& slices, const std::function<http::Response(const std::string&)>& claims) {
  FakeApi api([&](const http::Request& request) {
    if (request.target.starts_with("/api/v1/nodes/n")) return FakeApi::Json(200, R"({"kind":"Node","metadata":{"name":"n"}})");
    if (request.target.find("/resourceslices") != std::string::npos) return FakeApi::Json(200, List(slices));
    if (request.target.find("/resourceclaims") != std::string::npos) return claims(request.target);
    return FakeApi::Json(200, List(""));
  });
  const FakeApi::Outcome outcome = api.Run({"describe", "node", "n"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return outcome.out;
}

TEST(DescribeNode, WhoHoldsADeviceIsNotKnownWhereClaimsMayNotBeListed) {
  const std::string text = DescribeNode(Slice("a", 1, 1, StrCat(kShared, ",", kWhole)),
                                        [](const std::string&) { return FakeApi::Refused(403, "Forbidden", "no claims for you"); });
  EXPECT_THAT(text, AllOf(HasSubstr("memory <unknown> of 24Gi"), HasSubstr("Held:     <unknown>"), HasSubstr("Holders:  <unknown>"),
                          HasSubstr("holders unknown"), Not(HasSubstr("free")), Not(HasSubstr("Holders:  <none>"))));
}

TEST(DescribeNode, SomePagesOfTheClaimsAreNotEnough) {
  const std::string text = DescribeNode(Slice("a", 1, 1, kShared), [](const std::string& target) {
    return target.find("continue=") == std::string::npos ? FakeApi::Json(200, List(Claim("gpu-0"), "more"))
                                                         : FakeApi::Refused(500, "InternalError", "gone");
  });
  EXPECT_THAT(text, AllOf(HasSubstr("memory <unknown> of 24Gi"), HasSubstr("Holders:  <unknown>"), Not(HasSubstr("lab/half"))));
}

http::Response NoClaims(const std::string&) { return FakeApi::Json(200, List("")); }

TEST(DescribeNode, AnIncompletePoolOffersNothing) {
  const std::string text = DescribeNode(Slice("a", 1, 2, StrCat(kShared, ",", kWhole)), NoClaims);
  EXPECT_THAT(text, AllOf(HasSubstr("memory 0 of 24Gi, the rest cannot be allocated"), HasSubstr("no, but it cannot be allocated"),
                          HasSubstr("Pool:     incomplete: 1 of its 2 slices are there"), Not(HasSubstr("free"))));
}

TEST(DescribeNode, SlicesOfAnOlderGenerationAreNotCounted) {
  const std::string text = DescribeNode(StrCat(Slice("a", 1, 1, kWhole), ",", Slice("b", 2, 1, kShared)), NoClaims);
  EXPECT_THAT(text, AllOf(HasSubstr("d/p/gpu-0"), Not(HasSubstr("d/p/gpu-1")), HasSubstr("d       p     1       1\n")));
}

TEST(DescribeNode, ADeviceThatIsGoneIsListedWithItsHolders) {
  const std::string text =
      DescribeNode(Slice("a", 2, 1, kWhole), [](const std::string&) { return FakeApi::Json(200, List(Claim("gpu-0"))); });
  EXPECT_THAT(text, HasSubstr("  d/p/gpu-0:\n    Held:     yes, but it is gone: no slice has it any more\n    Holders:  lab/half 6Gi\n"));
}

TEST(DescribeNode, ATaintedDeviceIsFreeForThoseWhoTolerateIt) {
  const std::string tainted =
      R"({"name":"gpu-1","taints":[{"key":"hot","effect":"NoSchedule"}]},{"name":"gpu-2","taints":[{"key":"note","effect":"None"}]})";
  const std::string text = DescribeNode(Slice("a", 1, 1, tainted), NoClaims);
  EXPECT_THAT(text, AllOf(HasSubstr("no, all of it is free for claims that tolerate its taints\n    Taints:   hot:NoSchedule"),
                          HasSubstr("no, all of it is free\n    Taints:   note:None")));
}

constexpr std::string_view kDiscovery =
    R"({"kind":"APIGroupDiscoveryList","items":[{"metadata":{"name":""},"versions":[{"version":"v1","resources":[
  {"resource":"secrets","responseKind":{"kind":"Secret"},"scope":"Namespaced","singularResource":"secret","verbs":["get","list"]},
  {"resource":"services","responseKind":{"kind":"Service"},"scope":"Namespaced","singularResource":"service","verbs":["get","list"]}]}]}]})";

FakeApi Objects(const std::string& object) {
  return FakeApi([object](const http::Request& request) {
    if (request.target == "/api") return FakeApi::Json(200, kDiscovery);
    if (request.target == "/apis") return FakeApi::Json(200, R"({"kind":"APIGroupDiscoveryList","items":[]})");
    if (request.target.find("/events") != std::string::npos) return FakeApi::Json(200, List(""));
    return FakeApi::Json(200, object);
  });
}

TEST(Describe, OfASecretOnlyTheSizesAreShown) {
  FakeApi api = Objects(R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"s","namespace":"default"},"type":"Opaque",
    "data":{"password":"czNjcmV0IQ==","a":""},"stringData":{"b":"czNjcmV0IQ=="}})");
  const FakeApi::Outcome outcome = api.Run({"describe", "secret", "s"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("Type:  Opaque\n\nData\n====\na:         0 bytes\npassword:  7 bytes\n"), Not(HasSubstr("czNj")),
                                 Not(HasSubstr("s3cret")), Not(HasSubstr("Password"))));
}

TEST(Describe, KeysThatAPersonChoseStayAsTheyAre) {
  FakeApi api = Objects(R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"s","namespace":"default"},
    "spec":{"selector":{"app":"x","myTier":"y"},"clusterIP":"None"}})");
  EXPECT_THAT(api.Run({"describe", "service", "s"}).out,
              AllOf(HasSubstr("  Selector:\n    app:     x\n    myTier:  y\n"), HasSubstr("Cluster IP:  None")));
}

TEST(Describe, WhatIsThereIsShownBesideWhatIsNot) {
  FakeApi api([](const http::Request& request) {
    if (request.target.find("/pods/") == std::string::npos) return FakeApi::Json(200, List(""));
    if (request.target.find("/pods/nope") != std::string::npos) return FakeApi::Refused(404, "NotFound", "pods \"nope\" not found");
    return FakeApi::Json(200,
                         StrCat(R"({"kind":"Pod","metadata":{"name":")", request.target.substr(request.target.rfind('/') + 1), "\"}}"));
  });
  const FakeApi::Outcome outcome = api.Run({"describe", "pod", "a", "nope", "b"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("Name:         a\n"), HasSubstr("Name:         b\n")));
  EXPECT_EQ(outcome.err, "Error from server (NotFound): pods \"nope\" not found\n");
}

}  // namespace
}  // namespace allot::cli

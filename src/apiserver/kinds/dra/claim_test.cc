// Rules of claims, templates and classes beyond the contract cases (dra_contract_test.cc).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/kinds/dra/admin_access.h"
#include "apiserver/kinds/dra/claim_status.h"
#include "apiserver/kinds/kind_rules.h"
#include "base/test_util.h"
#include "json/json.h"

namespace allot::apiserver {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::string_view kShare = "5f4d3c2b-1a09-4876-8543-210fedcba987";

json::Document Read(std::string_view text) {
  auto document = json::Parse(text);
  CHECK(document.ok());
  return *std::move(document);
}

std::vector<std::string> Causes(const FieldErrors& errors) {
  std::vector<std::string> causes;
  for (const FieldError& error : errors.all()) causes.push_back(StrCat(error.field, " ", error.reason));
  return causes;
}

std::vector<std::string> Refusals(const KindRules& rules, std::string_view text) {
  json::Document document = Read(text);
  json::Editor edit(document.arena());
  FieldErrors errors;
  rules.Validate(rules.Default(edit, document.root()), errors);
  return Causes(errors);
}

std::vector<std::string> ClaimRefusals(std::string_view devices) {
  return Refusals(*ResourceClaimKindRules(), StrCat(R"({"spec": {"devices": {)", devices, "}}}"));
}

// A claim with one allocated device and whatever else its status has.
std::string Allocated(std::string_view rest, std::string_view share = "") {
  const std::string id = share.empty() ? "" : StrCat(R"(, "shareID": ")", share, "\"");
  return StrCat(R"({"spec": {"devices": {"requests": [{"name": "gpu"}]}}, "status": {"allocation": {"devices": {"results": [)",
                R"({"request": "gpu", "driver": "d.example.com", "pool": "p", "device": "dev")", id, "}]}}", rest, "}}");
}

std::vector<std::string> StatusRefusals(std::string_view claim, std::string_view old) {
  const json::Document document = Read(claim), before = Read(old);
  FieldErrors errors;
  ResourceClaimKindRules()->ValidateStatus(document.root(), before.root(), errors);
  return Causes(errors);
}

constexpr std::string_view kRequest = R"("requests": [{"name": "gpu", "exactly": {"deviceClassName": "c"}}])";

TEST(Claim, HasNoLimitOfTolerationsAsKubernetes136) {
  std::string tolerations;
  for (int i = 0; i < 17; ++i) tolerations += StrCat(i == 0 ? "" : ",", R"({"key": "k)", i, "\"}");
  EXPECT_THAT(
      ClaimRefusals(StrCat(R"("requests": [{"name": "gpu", "exactly": {"deviceClassName": "c", "tolerations": [)", tolerations, "]}}]")),
      IsEmpty());
}

TEST(Claim, LooksAtMatchAttributeOnlyWhereBothKindsOfConstraintAreThere) {
  EXPECT_THAT(ClaimRefusals(StrCat(kRequest, R"(, "constraints": [{"matchAttribute": "a.b/c", "distinctAttribute": "!"}])")), IsEmpty());
  EXPECT_THAT(ClaimRefusals(StrCat(kRequest, R"(, "constraints": [{"distinctAttribute": "c"}])")),
              ElementsAre("spec.devices.constraints[0].distinctAttribute FieldValueInvalid"));
}

TEST(Claim, RefersToRequestsByAtMostTwoNames) {
  EXPECT_THAT(ClaimRefusals(StrCat(kRequest, R"(, "constraints": [{"requests": ["gpu/a/b"], "matchAttribute": "a.b/c"}])")),
              ElementsAre("spec.devices.constraints[0].requests[0] FieldValueInvalid"));
  EXPECT_THAT(ClaimRefusals(StrCat(kRequest, R"(, "constraints": [{"requests": ["gpu/a"], "matchAttribute": "a.b/c"}])")),
              ElementsAre("spec.devices.constraints[0].requests[0] FieldValueInvalid"));
}

TEST(Claim, TakesParametersOf10KiBAndNotMore) {
  const auto with = [](size_t bytes) {
    const std::string text(bytes - std::string_view(R"({"x":""})").size(), 'x');
    return ClaimRefusals(StrCat(kRequest, R"(, "config": [{"opaque": {"driver": "d.example.com", "parameters": {"x": ")", text, "\"}}}]"));
  };
  EXPECT_THAT(with(10240), IsEmpty());
  EXPECT_THAT(with(10241), ElementsAre("spec.devices.config[0].opaque.parameters FieldValueTooLong"));
}

TEST(Claim, IsNotCheckedAgainWhereOnlyMetadataChanges) {
  const json::Document bad = Read(R"({"spec": {"devices": {"requests": [{"name": "A_B"}]}}})");
  FieldErrors errors;
  ResourceClaimKindRules()->ValidateUpdate(bad.root(), bad.root(), errors);
  EXPECT_THAT(Causes(errors), IsEmpty());
}

TEST(Template, MayHaveLabelsAndAnnotationsOnly) {
  EXPECT_THAT(Refusals(*ResourceClaimTemplateKindRules(),
                       R"({"spec": {"metadata": {"labels": {"a": "b"}, "name": "n", "uid": "u", "creationTimestamp": null}}})"),
              ElementsAre("spec.metadata.name FieldValueForbidden", "spec.metadata.uID FieldValueForbidden"));
}

TEST(DeviceClass, KeepsStoredParametersThatAreTooLongByNow) {
  const std::string big(11000, 'x');
  const json::Document stored =
      Read(StrCat(R"({"spec": {"config": [{"opaque": {"driver": "d.example.com", "parameters": {"x": ")", big, "\"}}}]}}"));
  FieldErrors errors;
  DeviceClassKindRules()->ValidateUpdate(stored.root(), stored.root(), errors);
  EXPECT_THAT(Causes(errors), IsEmpty());
  DeviceClassKindRules()->ValidateUpdate(stored.root(), Read("{}").root(), errors);
  EXPECT_THAT(Causes(errors), ElementsAre("spec.config[0].opaque.parameters FieldValueTooLong"));
}

TEST(ClaimStatus, GetsTheOperatorOfTolerations) {
  json::Document claim = Read(R"({"status": {"allocation": {"devices": {"results": [{"tolerations": [{"key": "k"}]}]}}}})");
  json::Editor edit(claim.arena());
  EXPECT_EQ(json::Write(ResourceClaimKindRules()->Default(edit, claim.root())),
            R"({"status":{"allocation":{"devices":{"results":[{"tolerations":[{"key":"k","operator":"Equal"}]}]}}}})");
}

TEST(ClaimStatus, LosesTheDevicesThatLeftTheAllocation) {
  const std::string devices = StrCat(R"(, "devices": [{"driver": "d.example.com", "pool": "p", "device": "dev"},)",
                                     R"({"driver": "d.example.com", "pool": "p", "device": "dev", "shareID": ")", kShare, "\"}]");
  json::Document claim = Read(Allocated(devices, kShare)), old = Read(Allocated(devices));
  json::Editor edit(claim.arena());
  const json::Value prepared = ResourceClaimKindRules()->PrepareStatus(edit, claim.root(), old.root());
  ASSERT_EQ(json::ItemsOf(prepared["status"]["devices"]).size(), 1u);
  EXPECT_EQ(json::TextOf(prepared["status"]["devices"].Items()[0]["shareID"]), kShare);

  const json::Value none = edit.WithoutAt(old.root(), {"status", "allocation"});
  const json::Value kept = ResourceClaimKindRules()->PrepareStatus(edit, none, old.root());
  ASSERT_EQ(json::ItemsOf(kept["status"]["devices"]).size(), 1u) << "what never was allocated is refused, not dropped";
}

TEST(ClaimStatus, NamesDevicesWithTheirShare) {
  const std::string device = R"({"driver": "d.example.com", "pool": "p", "device": "dev"})";
  EXPECT_THAT(StatusRefusals(Allocated(StrCat(R"(, "devices": [)", device, "]")), "{}"), IsEmpty());
  EXPECT_THAT(StatusRefusals(Allocated(StrCat(R"(, "devices": [)", device, "]"), kShare), "{}"),
              ElementsAre("status.devices[0] FieldValueInvalid"));
  EXPECT_THAT(StatusRefusals(Allocated(StrCat(R"(, "devices": [)", device, ",", device, "]")), "{}"),
              ElementsAre("status.devices[1] FieldValueDuplicate"));
}

TEST(ClaimStatus, DoesNotConfuseASlashOfThePoolWithOneBeforeTheShare) {
  const std::string device = StrCat(R"({"driver": "d.example.com", "pool": "p/dev", "device": ")", kShare, "\"}");
  EXPECT_THAT(StatusRefusals(Allocated(StrCat(R"(, "devices": [)", device, "]"), kShare), "{}"),
              ElementsAre("status.devices[0] FieldValueInvalid"));
}

TEST(ClaimStatus, LetsConsumersLeaveWhileTheClaimIsDeleted) {
  const auto reserved = [](std::string_view names) {
    std::string claim = Allocated(StrCat(R"(, "reservedFor": [)", names, "]"));
    return StrCat(R"({"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}, )", claim.substr(1));
  };
  const std::string_view a = R"({"resource": "pods", "name": "a", "uid": "1"})", b = R"({"resource": "pods", "name": "b", "uid": "2"})";
  EXPECT_THAT(StatusRefusals(reserved(a), reserved(StrCat(a, ",", b))), IsEmpty());
  EXPECT_THAT(StatusRefusals(reserved(StrCat(a, ",", b)), reserved(a)), ElementsAre("status.reservedFor FieldValueForbidden"));
}

TEST(ClaimStatus, TakesAddressesInTheirOneFormOnly) {
  const auto with = [](std::string_view address) {
    return StatusRefusals(Allocated(StrCat(R"(, "devices": [{"driver": "d.example.com", "pool": "p", "device": "dev", "networkData": )",
                                           R"({"ips": [")", address, "\"]}}]")),
                          "{}");
  };
  for (const std::string_view good : {"10.1.2.3/24", "2001:db8::1/64", "::1/128"}) EXPECT_THAT(with(good), IsEmpty()) << good;
  for (const std::string_view bad : {"", "10.1.2.3", "10.1.2.3/33", "010.1.2.3/24", "2001:DB8::1/64", "::ffff:1.2.3.4/120"}) {
    EXPECT_THAT(with(bad), ElementsAre("status.devices[0].networkData.ips[0] FieldValueInvalid")) << bad;
  }
}

TEST(AdminAccess, IsFoundInSpecsOfNewObjectsAndInNewStatuses) {
  const json::Document claim = Read(R"({"spec": {"devices": {"requests": [{"name": "a"}, {"exactly": {"adminAccess": true}}]}}})");
  EXPECT_EQ(FindAdminAccess("ResourceClaim", "", claim.root(), nullptr).text(), "spec.devices.requests[1].adminAccess");
  EXPECT_EQ(FindAdminAccess("ResourceClaim", "", claim.root(), &claim.root()).text(), "");
  EXPECT_EQ(FindAdminAccess("DeviceClass", "", claim.root(), nullptr).text(), "");
  const json::Document granted = Read(R"({"status": {"allocation": {"devices": {"results": [{"adminAccess": true}]}}}})");
  EXPECT_EQ(FindAdminAccess("ResourceClaim", "status", granted.root(), &claim.root()).text(),
            "status.allocation.devices.results[0].adminAccess");
  EXPECT_EQ(FindAdminAccess("ResourceClaim", "status", granted.root(), &granted.root()).text(), "");
}

}  // namespace
}  // namespace allot::apiserver

// ResourceClaim and ResourceClaimTemplate.

#include "apiserver/kinds/checks.h"
#include "apiserver/kinds/dra/claim_spec.h"
#include "apiserver/kinds/dra/claim_status.h"
#include "apiserver/kinds/kind_rules.h"

namespace allot::apiserver {

namespace {

class Claim final : public KindRules {
 public:
  json::Value Default(json::Editor& edit, const json::Value& object) const override {
    json::Value claim = object;
    if (const json::Value& spec = object["spec"]; spec.IsObject()) claim = edit.Set(claim, "spec", DefaultClaimSpec(edit, spec));
    if (const json::Value& status = object["status"]; status.IsObject())
      claim = edit.Set(claim, "status", DefaultClaimStatus(edit, status));
    return claim;
  }

  json::Value PrepareStatus(json::Editor& edit, const json::Value& object, const json::Value& old) const override {
    return DropDeallocatedDevices(edit, object, old);
  }

  void Validate(const json::Value& object, FieldErrors& errors) const override {
    CheckClaimSpec(FieldPath("spec"), object["spec"], errors);
  }
  // Does not check immutable parts again: newer rules must not prevent a write of metadata.
  void ValidateUpdate(const json::Value& object, const json::Value& old, FieldErrors& errors) const override {
    CheckImmutable(FieldPath("spec"), object["spec"], old["spec"], errors);
  }
  void ValidateStatus(const json::Value& object, const json::Value& old, FieldErrors& errors) const override {
    CheckClaimStatus(object, old, errors);
  }
};

class ClaimTemplate final : public KindRules {
 public:
  json::Value Default(json::Editor& edit, const json::Value& object) const override {
    const json::Value& spec = object["spec"]["spec"];
    return spec.IsObject() ? edit.SetAt(object, {"spec", "spec"}, DefaultClaimSpec(edit, spec)) : object;
  }

  void Validate(const json::Value& object, FieldErrors& errors) const override {
    const json::Value& metadata = object["spec"]["metadata"];
    const FieldPath at = FieldPath("spec").Child("metadata");
    CheckAnnotations(at.Child("annotations"), metadata["annotations"], errors);
    CheckLabels(at.Child("labels"), metadata["labels"], errors);
    for (const json::Member& member : json::MembersOf(metadata)) {
      if (member.value.IsNull() || member.key == "annotations" || member.key == "labels") continue;
      // kube-apiserver derives the path from the Go field name.
      errors.Forbidden(at.Child(member.key == "uid" ? "uID" : member.key), "cannot be set");
    }
    CheckClaimSpec(FieldPath("spec").Child("spec"), object["spec"]["spec"], errors);
  }
  void ValidateUpdate(const json::Value& object, const json::Value& old, FieldErrors& errors) const override {
    Validate(object, errors);
    CheckImmutable(FieldPath("spec"), object["spec"], old["spec"], errors);
  }
};

}  // namespace

std::shared_ptr<const KindRules> ResourceClaimKindRules() { return std::make_shared<Claim>(); }
std::shared_ptr<const KindRules> ResourceClaimTemplateKindRules() { return std::make_shared<ClaimTemplate>(); }

}  // namespace allot::apiserver

#pragma once
// The spec of a ResourceClaim, which a ResourceClaimTemplate has too.

#include <map>
#include <set>
#include <string_view>

#include "apiserver/field_errors.h"
#include "json/editor.h"

namespace allot::apiserver {

// The requests that a claim's spec.devices has, by their names. Refers to the text of the claim.
class RequestNames {
 public:
  explicit RequestNames(const json::Value& devices);

  // "gpu" for a request, "gpu/big" for one of its alternatives.
  bool Has(std::string_view name) const;

 private:
  std::map<std::string_view, std::set<std::string_view>> names_;
};

// A name in constraints, config and results.
void CheckRequestReference(const FieldPath& field, std::string_view name, const RequestNames& names, FieldErrors& errors);
// A list of different ones, at most 32.
void CheckRequestReferences(const FieldPath& field, const json::Value& list, const RequestNames& names, FieldErrors& errors);

// allocationMode and count of requests, and the operator of tolerations.
json::Value DefaultClaimSpec(json::Editor& edit, const json::Value& spec);
// The operator of tolerations, in whatever holds them: a request or a result of an allocation.
json::Value DefaultTolerations(json::Editor& edit, const json::Value& holder);

void CheckClaimSpec(const FieldPath& field, const json::Value& spec, FieldErrors& errors);

}  // namespace allot::apiserver

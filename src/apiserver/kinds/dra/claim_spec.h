#pragma once
// The spec of a ResourceClaim, which a ResourceClaimTemplate also contains.

#include <map>
#include <set>
#include <string_view>

#include "apiserver/field_errors.h"
#include "json/editor.h"

namespace allot::apiserver {

// The names of the requests in a claim's spec.devices. Refers to the text of the claim.
class RequestNames {
 public:
  explicit RequestNames(const json::Value& devices);

  // "gpu" is a request, "gpu/big" one of its alternatives.
  bool Has(std::string_view name) const;

 private:
  std::map<std::string_view, std::set<std::string_view>> names_;
};

// Checks a name in constraints, config or results.
void CheckRequestReference(const FieldPath& field, std::string_view name, const RequestNames& names, FieldErrors& errors);
// Checks a list of at most 32 distinct names.
void CheckRequestReferences(const FieldPath& field, const json::Value& list, const RequestNames& names, FieldErrors& errors);

// Sets allocationMode and count of requests, and the operator of tolerations.
json::Value DefaultClaimSpec(json::Editor& edit, const json::Value& spec);
// Sets the operator of tolerations in a request or a result of an allocation.
json::Value DefaultTolerations(json::Editor& edit, const json::Value& holder);

void CheckClaimSpec(const FieldPath& field, const json::Value& spec, FieldErrors& errors);

}  // namespace allot::apiserver

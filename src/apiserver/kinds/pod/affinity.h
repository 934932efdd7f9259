#pragma once
// The rules for affinity, tolerations and topology spread of a Pod.

#include "apiserver/kinds/core_checks.h"

namespace allot::apiserver {

// Checks spec.affinity.
void CheckAffinity(const FieldPath& field, const json::Value& affinity, FieldErrors& errors);

// Checks spec.tolerations, also of a RuntimeClass.
void CheckTolerations(const FieldPath& field, const json::Value& tolerations, FieldErrors& errors);

// Checks spec.topologySpreadConstraints.
void CheckTopologySpread(const FieldPath& field, const json::Value& constraints, FieldErrors& errors);

// Checks the effect of a taint or toleration. REQUIRES: not empty.
void CheckTaintEffect(const FieldPath& field, std::string_view effect, FieldErrors& errors);

}  // namespace allot::apiserver

#pragma once
// The rules for what a Pod says about nodes and other Pods.

#include "apiserver/kinds/core_checks.h"

namespace allot::apiserver {

// spec.affinity.
void CheckAffinity(const FieldPath& field, const json::Value& affinity, FieldErrors& errors);

// spec.tolerations, also those of a RuntimeClass.
void CheckTolerations(const FieldPath& field, const json::Value& tolerations, FieldErrors& errors);

// spec.topologySpreadConstraints.
void CheckTopologySpread(const FieldPath& field, const json::Value& constraints, FieldErrors& errors);

// The effect of a taint or toleration that has one.
void CheckTaintEffect(const FieldPath& field, std::string_view effect, FieldErrors& errors);

}  // namespace allot::apiserver

#pragma once
// Rules that several kinds of resource.k8s.io share: names of pools and attributes, selectors, configuration, taints, binding conditions.
// As kube-apiserver 1.36 with its default feature gates; its declarative validation of these kinds is in shadow mode there, so that the
// fields and reasons are those of the written one.

#include <string_view>

#include "apiserver/field_errors.h"
#include "json/value.h"

namespace allot::apiserver {

// Entries of requests, constraints, config, selectors, and results of an allocation.
inline constexpr size_t kMaxDeviceEntries = 32;
inline constexpr size_t kMaxParameterBytes = 10 * 1024;

// "rack-1/node-a": DNS subdomains with slashes between them, 253 bytes together.
void CheckPoolName(const FieldPath& field, std::string_view name, FieldErrors& errors);

// A C identifier of 32 bytes, optionally behind a domain and a slash. Names with more than one slash are taken, as by kube-apiserver.
void CheckQualifiedName(const FieldPath& field, std::string_view name, FieldErrors& errors);
// The same with a domain.
void CheckFullyQualifiedName(const FieldPath& field, std::string_view name, FieldErrors& errors);

// 36 bytes in lower case.
void CheckUuid(const FieldPath& field, std::string_view text, FieldErrors& errors);

// At most 32 selectors, each with a CEL expression that compiles and cannot cost too much.
void CheckSelectors(const FieldPath& field, const json::Value& selectors, FieldErrors& errors);

// The `opaque` of a configuration. What is already stored has no limit of its size.
void CheckDeviceConfiguration(const FieldPath& field, const json::Value& config, bool stored, FieldErrors& errors);
// Any JSON object that is not longer than `max_bytes`.
void CheckRawObject(const FieldPath& field, const json::Value& raw, size_t max_bytes, FieldErrors& errors);

void CheckDeviceTaint(const FieldPath& field, const json::Value& taint, FieldErrors& errors);
void CheckDeviceToleration(const FieldPath& field, const json::Value& toleration, FieldErrors& errors);

// bindingConditions and bindingFailureConditions of a device or of a result: both or none, and nothing in both.
void CheckBindingConditions(const FieldPath& field, const json::Value& device, FieldErrors& errors);

}  // namespace allot::apiserver

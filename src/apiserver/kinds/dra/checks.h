#pragma once
// Checks shared by the kinds of resource.k8s.io: names of pools and attributes, selectors, configuration, taints, binding conditions. They
// follow kube-apiserver 1.36 with its default feature gates. Its declarative validation of these kinds only runs in shadow mode, so fields
// and reasons are those of the handwritten validation.

#include <string_view>

#include "apiserver/field_errors.h"
#include "json/value.h"

namespace allot::apiserver {

// Entries of requests, constraints, config, selectors, and results of an allocation.
inline constexpr size_t kMaxDeviceEntries = 32;
inline constexpr size_t kMaxParameterBytes = 10 * 1024;

// "rack-1/node-a": DNS subdomains separated by slashes, 253 bytes in total.
void CheckPoolName(const FieldPath& field, std::string_view name, FieldErrors& errors);

// A C identifier of 32 bytes, optionally after a domain and a slash. Like kube-apiserver, accepts names with more than one slash.
void CheckQualifiedName(const FieldPath& field, std::string_view name, FieldErrors& errors);
// The same with a mandatory domain.
void CheckFullyQualifiedName(const FieldPath& field, std::string_view name, FieldErrors& errors);

// 36 bytes in lower case.
void CheckUuid(const FieldPath& field, std::string_view text, FieldErrors& errors);

// At most 32 selectors, each a CEL expression that compiles within the cost limit.
void CheckSelectors(const FieldPath& field, const json::Value& selectors, FieldErrors& errors);

// Checks the `opaque` part of a configuration. A configuration that is already stored has no size limit.
void CheckDeviceConfiguration(const FieldPath& field, const json::Value& config, bool stored, FieldErrors& errors);
// Checks a JSON object of at most `max_bytes`.
void CheckRawObject(const FieldPath& field, const json::Value& raw, size_t max_bytes, FieldErrors& errors);

void CheckDeviceTaint(const FieldPath& field, const json::Value& taint, FieldErrors& errors);
void CheckDeviceToleration(const FieldPath& field, const json::Value& toleration, FieldErrors& errors);

// Checks bindingConditions and bindingFailureConditions of a device or of a result: both or neither, without overlap.
void CheckBindingConditions(const FieldPath& field, const json::Value& device, FieldErrors& errors);

}  // namespace allot::apiserver

#pragma once
// Normalizes a body: decodes it into its type and encodes it again, as Kubernetes does.
//
// The result has only the fields of the type, in their order. Maps are sorted. Nulls and empty values are omitted or written as Go's
// encoder would. Quantities, times and base64 have their canonical form. Equal objects therefore have equal bytes.

#include <string>
#include <vector>

#include "apiserver/schema/type.h"
#include "base/status.h"
#include "json/editor.h"

namespace allot::apiserver {

// How many unknown fields are reported; the same as kube-apiserver's decoder.
inline constexpr size_t kMaxUnknownFields = 100;

struct Normalized {
  json::Value value;
  std::vector<std::string> unknown;  // paths of dropped fields: `spec.devices.requests[0].exactly.nonsense`, in the order found
};

// Returns kInvalid, with the field, if a value has the wrong type (kube-apiserver's 400). Unchanged parts of `value` are not copied, so it
// must live as long as the arena.
// `known` is a previous result of Normalize that `value` was derived from, if any: parts that are still the same memory are skipped.
Result<Normalized> Normalize(json::Editor& edit, const Type& type, const json::Value& value, const json::Value& known = json::Value());

}  // namespace allot::apiserver

#pragma once
// A body as Kubernetes understands it: decoded into its type and written again.
//
// The result has the fields of the type, in their order, and no others; maps are sorted; nulls and empty values are left out or written
// as Go's encoder would; quantities, times and base64 are in their canonical form. So equal objects have equal bytes.

#include <string>
#include <vector>

#include "apiserver/schema/type.h"
#include "base/status.h"
#include "json/editor.h"

namespace allot::apiserver {

// Paths of unknown fields that are named; kube-apiserver's decoder names no more either.
inline constexpr size_t kMaxUnknownFields = 100;

struct Normalized {
  json::Value value;
  std::vector<std::string> unknown;  // paths of fields that were dropped: `spec.devices.requests[0].exactly.nonsense`, sorted as found
};

// kInvalid, naming the field, where a value has the wrong type (as kube-apiserver's 400). Nothing of `value` is copied where it stays the
// same: it must live as long as the arena.
// `known` is what Normalize made of the value before it was changed, if it was: what is still the same piece of memory is not looked at.
Result<Normalized> Normalize(json::Editor& edit, const Type& type, const json::Value& value, const json::Value& known = json::Value());

}  // namespace allot::apiserver

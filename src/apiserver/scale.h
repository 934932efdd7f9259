#pragma once
// The scale subresource: shows an object with replicas as an autoscaling/v1 Scale, and changes it by one.

#include "apiserver/api.h"
#include "json/editor.h"

namespace allot::apiserver {

// Returns the Scale of an object, without spec.replicas if the object does not set it.
json::Value ReadScale(json::Editor& edit, const Kind& kind, const json::Value& object);

// Sets the object's replicas to those of `scale`. Returns the object. `scale` may be any parsed JSON: 400 if it is not a Scale of this
// object, 422 for an invalid number. Its uid and resourceVersion, if set, are preconditions.
Result<Answer> WriteScale(Api& api, const Caller& caller, const Target& whole, const json::Value& scale, const WriteOptions& options);

// The same for a patch of the current Scale. Calls `patch` again if another writer was faster, unless the resulting Scale names another
// resourceVersion or uid.
using PatchScaleFunction = std::function<Result<json::Value>(json::Editor&, const json::Value& scale)>;
Result<Answer> PatchScale(Api& api, const Caller& caller, const Target& whole, const PatchScaleFunction& patch,
                          const WriteOptions& options);

}  // namespace allot::apiserver

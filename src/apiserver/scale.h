#pragma once
// The scale subresource: an object that has replicas, shown as an autoscaling/v1 Scale and changed by one.

#include "apiserver/api.h"
#include "json/editor.h"

namespace allot::apiserver {

// The Scale of an object. Without spec.replicas where the object does not say how many.
json::Value ReadScale(json::Editor& edit, const Kind& kind, const json::Value& object);

// Gives the object as many replicas as `scale` asks for; the answer is the object. `scale` may be anything that was parsed: 400 for what is
// no Scale of this object, 422 for a number that cannot be. Its uid and resourceVersion are preconditions where it has them.
Result<Answer> WriteScale(Api& api, const Caller& caller, const Target& whole, const json::Value& scale, const WriteOptions& options);

// The same for a Scale that is made by patching the one that is there. `patch` is called again when somebody else was faster, unless the
// Scale that it makes names another resourceVersion or uid.
using PatchScaleFunction = std::function<Result<json::Value>(json::Editor&, const json::Value& scale)>;
Result<Answer> PatchScale(Api& api, const Caller& caller, const Target& whole, const PatchScaleFunction& patch,
                          const WriteOptions& options);

}  // namespace allot::apiserver

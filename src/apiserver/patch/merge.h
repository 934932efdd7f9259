#pragma once
// Server-side apply on values: what a configuration makes of an object, and an object without some of its fields.

#include "apiserver/patch/typed.h"

namespace allot::apiserver {

// `config` laid over `live`: nothing is removed; items of lists are merged by their keys and come in the order of `config`, with those that
// only `live` has kept where they stood between the others. REQUIRES a config in which WhatIsWrong finds nothing.
json::Value MergeConfig(json::Editor& edit, const ValuePlace& place, const json::Value& live, const json::Value& config);

// The value without the members of `fields`; a list or map that loses all it has becomes null.
json::Value WithoutFields(json::Editor& edit, const ValuePlace& place, const json::Value& value, const FieldSet& fields);

}  // namespace allot::apiserver

#pragma once
// Server-side apply on values: merges a configuration into an object, and removes fields from an object.

#include "apiserver/patch/typed.h"

namespace allot::apiserver {

// Merges `config` into `live`. Removes nothing. Items of lists are merged by key and follow the order of `config`; items that only `live`
// has keep their position between the others. REQUIRES: WhatIsWrong finds nothing in the config.
json::Value MergeConfig(json::Editor& edit, const ValuePlace& place, const json::Value& live, const json::Value& config);

// Returns the value without the members of `fields`. A list or map that loses everything becomes null.
json::Value WithoutFields(json::Editor& edit, const ValuePlace& place, const json::Value& value, const FieldSet& fields);

}  // namespace allot::apiserver

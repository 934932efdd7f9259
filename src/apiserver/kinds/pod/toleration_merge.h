#pragma once
// Merges the tolerations of a Pod with those of its RuntimeClass.

#include "json/editor.h"

namespace allot::apiserver {

// Returns both lists, in order, without redundant tolerations.
json::Value MergeTolerations(json::Editor& edit, const json::Value& first, const json::Value& second);

}  // namespace allot::apiserver

#pragma once
// The tolerations of a Pod and of its RuntimeClass together.

#include "json/editor.h"

namespace allot::apiserver {

// Both lists, in their order, without those that another one makes redundant.
json::Value MergeTolerations(json::Editor& edit, const json::Value& first, const json::Value& second);

}  // namespace allot::apiserver

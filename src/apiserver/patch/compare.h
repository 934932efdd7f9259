#pragma once
// Compares two versions of an object field by field.

#include "apiserver/patch/typed.h"

namespace allot::apiserver {

struct Comparison {
  FieldSet changed;  // added, or with another value
  FieldSet removed;

  bool empty() const { return changed.empty() && removed.empty(); }
};

// Skips parts that the two trees share (json/editor.h).
Comparison CompareObjects(json::Editor& edit, const ValuePlace& place, const json::Value& before, const json::Value& after);

}  // namespace allot::apiserver

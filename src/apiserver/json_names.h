#pragma once
// The names of the JSON tree that most files of this area use, without their namespace.

#include "json/editor.h"
#include "json/json.h"

namespace allot::apiserver {

using json::Editor;
using json::ItemsOf;
using json::MembersOf;
using json::TextOf;
using json::Value;

}  // namespace allot::apiserver

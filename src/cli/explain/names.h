#pragma once
// The names of an explanation's kinds in JSON, which programs rely on, and the facts that go with a headline. docs/cli.md lists them.

#include <string_view>

#include "json/builder.h"
#include "view/explain/answer.h"

namespace allot::cli {

std::string_view NameOf(view::Answer::State state);
std::string_view NameOf(view::Headline::Kind kind);
std::string_view NameOf(view::Fix::Kind kind);

// Writes the keys "kind" and "facts" into the object that is open. Facts that the kind does not have are left out. An obstacle has the kind
// of the obstacle (sched/reason_json.h).
void WriteHeadline(const view::Headline& headline, json::Builder& b);

}  // namespace allot::cli

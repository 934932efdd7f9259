#pragma once
// The names of an explanation's kinds in JSON, which programs rely on, and the facts that go with them. docs/cli.md lists both.

#include <string_view>

#include "json/builder.h"
#include "view/explain/answer.h"

namespace allot::cli {

std::string_view NameOf(view::Answer::State state);
std::string_view NameOf(view::Headline::Kind kind);
std::string_view NameOf(view::Fix::Kind kind);
std::string_view NameOf(view::Detail::Kind kind);
std::string_view NameOf(view::Note::Kind kind);

// Writes the keys "kind" and "facts" into the object that is open. Facts that the kind does not have are left out. An obstacle has the kind
// of the obstacle (sched/reason_json.h).
void WriteHeadline(const view::Headline& headline, json::Builder& b);

// Write an object with "kind", "facts" and "text".
void WriteDetail(const view::Detail& detail, json::Builder& b);
void WriteNote(const view::Note& note, std::string_view text, json::Builder& b);

}  // namespace allot::cli

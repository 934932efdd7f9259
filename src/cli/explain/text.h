#pragma once
// What `allot explain` prints, for people and for programs.

#include <string>
#include <vector>

#include "base/clock.h"
#include "cli/status/screen.h"
#include "json/value.h"
#include "view/explain/answer.h"

namespace allot::cli {

// Lines of the screen's width where words allow it. Nothing in them can control the terminal.
std::string ExplainText(const view::Answer& answer, const Screen& screen, WallTime now);
// What could not be seen; empty where there are no notes.
std::string NotesText(const std::vector<view::Note>& notes, const Screen& screen);

// docs/cli.md has the fields.
json::Document ExplainJson(const std::vector<view::Answer>& answers, const std::vector<view::Note>& notes);

}  // namespace allot::cli

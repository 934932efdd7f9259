#pragma once
// What `allot explain` shows to people.

#include <string>
#include <vector>

#include "base/clock.h"
#include "cli/explain_answer.h"
#include "cli/status_screen.h"

namespace allot::cli {

// Lines of the screen's width where words allow it, in which nothing can control the terminal.
std::string ExplainText(const ExplainAnswer& answer, const Screen& screen, WallTime now);
// What could not be seen; empty: nothing.
std::string NotesText(const std::vector<std::string>& notes, const Screen& screen);

}  // namespace allot::cli

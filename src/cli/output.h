#pragma once
// What the program says: results on standard output, everything else on standard error.

#include <string_view>

#include "base/status.h"

namespace allot::cli {

// kUnavailable, with what the kernel said, for a full disk or a pipe that nobody reads.
Status Print(std::string_view text);
Status Flush();

// A line on standard error.
void Note(std::string_view text);

// The error as kubectl words it: `Error from server (NotFound): pods "x" not found`, or "error: ..." where no server said it.
std::string ErrorText(const Status& status);

// Flushes and gives the exit code: 0; 1 with the error's text for one that is not ok.
int Exit(const Status& status);

}  // namespace allot::cli

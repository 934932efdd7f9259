#pragma once
// What the program says: results on standard output, everything else on standard error.

#include <string_view>

#include "base/status.h"

namespace allot::cli {

// kUnavailable, with what the kernel said, for a full disk or a standard output that is closed. A pipe that nobody reads any more ends the
// program at once and without a word, by SIGPIPE, as it ends every program of a pipeline.
Status Print(std::string_view text);
Status Flush();
// Whether that has failed before: there is nobody to tell of what is done next.
bool OutputFailed();

// Puts something in place of standard files that are closed, which fails what reads or writes it: the next socket would get their number,
// and what is printed would go to the server. Before anything is opened.
void HoldStandardFiles();

// A line on standard error.
void Note(std::string_view text);

// The error as kubectl words it: `Error from server (NotFound): pods "x" not found`, or "error: ..." where no server said it.
std::string ErrorText(const Status& status);

// Flushes and gives the exit code: 0; 1 with the error's text for one that is not ok.
int Exit(const Status& status);
// 2, with the error's text: the command line makes no sense, and nothing was tried.
int BadUsage(std::string_view what);

}  // namespace allot::cli

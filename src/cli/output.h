#pragma once
// The program's output: results go to standard output, everything else to standard error.

#include <string_view>

#include "base/status.h"

namespace allot::cli {

// kUnavailable, with the kernel's message, for a full disk or a closed standard output. If the reader of a pipe has gone, SIGPIPE ends the
// program at once and without a message, as it ends every program of a pipeline.
Status Print(std::string_view text);
Status Flush();
// Whether an earlier write to standard output failed.
bool OutputFailed();

// Opens /dev/null, in the wrong direction, in place of closed standard files. Otherwise the next socket would get their number, and output
// would go to the server. Reads and writes still fail. Call it before anything is opened.
void HoldStandardFiles();

// Prints a line on standard error.
void Note(std::string_view text);

// The error as kubectl prints it: `Error from server (NotFound): pods "x" not found`, or "error: ..." if it is not the server's.
std::string ErrorText(const Status& status);

// Flushes and returns the exit code: 0, or 1 after printing the error.
int Exit(const Status& status);
// Prints the error and returns 2: the command line is invalid, and nothing was tried.
int BadUsage(std::string_view what);

}  // namespace allot::cli

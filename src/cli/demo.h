#pragma once
// `allot demo`: a day on a shared machine, decided by the real allocator.

namespace allot::cli {

// Prints to standard output; returns the exit code.
int Demo();

}  // namespace allot::cli

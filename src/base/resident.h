#pragma once
// How much of the program's own files is in memory. For programs that must run in a few MiB.

namespace allot {

// Drops the pages of the program and its libraries that readahead brought in, and limits further readahead: under a memory limit those
// pages would push out pages in use. A disk may read 8 MiB ahead. Call it again after loading a library. Best effort; each page that is
// used again costs one page fault.
void ForgetReadahead();

}  // namespace allot

#pragma once
// How much of the program's own files is in memory. For programs that have to live in a few MiB.

namespace allot {

// Drops the pages of the program and its libraries that came along when their neighbours were read, and has the kernel read only what is
// used from now on: behind a limit on memory the rest would push out what is needed. A disk may be set to read 8 MiB ahead. Again after a
// library was loaded. Best effort; costs a page fault for each page that is used again.
void ForgetReadahead();

}  // namespace allot

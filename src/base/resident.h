#pragma once
// How much of the program's own files is in memory. For programs that have to live in a few MiB.

namespace allot {

// Asks the kernel to read only the pages of our mapped files that are used, and not their surroundings: behind a limit on memory those
// would push out what is needed. Again after a library was loaded. Best effort.
void AvoidReadahead();

// Gives back what the program is not using at the moment: free heap, and pages of its code, which are read again (most of them from the
// kernel's cache) when they are needed. For moments without work.
void ReleaseIdleMemory();

}  // namespace allot

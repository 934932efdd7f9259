#pragma once
// How many files a process may have open: a server needs as many as it can get, what it starts should have what the server was given.

#include <cstdint>

namespace allot::local {

// Raises our limit as far as it goes. Gives the limit from before, 0 where the kernel does not tell; with fewer files it serves fewer
// clients.
uint64_t RaiseOpenFiles();

// Our limit from now on, as far as it is allowed; 0 leaves it alone. Programs that we become or start inherit it.
void SetOpenFiles(uint64_t limit);

}  // namespace allot::local

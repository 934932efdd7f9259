#pragma once
// The limit of open files: a server raises its own as far as it can; programs that it starts get the limit that the server started with.

#include <cstdint>

namespace allot::local {

// Raises our limit as far as possible. Returns the earlier limit, 0 if the kernel does not tell.
uint64_t RaiseOpenFiles();

// Sets our limit, as far as allowed; 0 changes nothing. Programs that we execute or start inherit it.
void SetOpenFiles(uint64_t limit);

}  // namespace allot::local

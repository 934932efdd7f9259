#include "tests/bench/measure.h"

#include <cstdlib>
#include <new>

namespace {

uint64_t allocations = 0;  // benchmarks are single-threaded

}  // namespace

void* operator new(size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace allot::bench {

uint64_t HeapAllocations() { return allocations; }

}  // namespace allot::bench

#include "base/resident.h"

#include <malloc.h>
#include <sys/mman.h>

#include <charconv>
#include <cstdint>
#include <string>

#include "base/file_system.h"

namespace allot {

namespace {

constexpr size_t kMaxMaps = 4 << 20;

// Calls with each mapping of a file, and whether it is code: a line of /proc/self/maps is "begin-end rwxp offset device inode path".
template <typename Function>
void EachFileMapping(Function function) {
  const Result<std::string> maps = PosixFileSystem().ReadFile("/proc/self/maps", kMaxMaps);
  if (!maps.ok()) return;
  for (const std::string_view line : Split(*maps, '\n')) {
    const size_t dash = line.find('-'), space = line.find(' ');
    if (dash == std::string_view::npos || space == std::string_view::npos || line.find(" /") == std::string_view::npos) continue;
    uintptr_t begin = 0, end = 0;
    std::from_chars(line.data(), line.data() + dash, begin, 16);
    std::from_chars(line.data() + dash + 1, line.data() + space, end, 16);
    if (begin < end) function(reinterpret_cast<void*>(begin), end - begin, line.substr(space + 1, 4) == "r-xp");
  }
}

}  // namespace

void AvoidReadahead() {
  EachFileMapping([](void* begin, size_t size, bool) { ::madvise(begin, size, MADV_RANDOM); });
}

void ReleaseIdleMemory() {
  ::malloc_trim(0);
  // Only code: other pages, also those that are read-only now, may have been changed when the program was loaded (relocations).
  EachFileMapping([](void* begin, size_t size, bool is_code) {
    if (is_code) ::madvise(begin, size, MADV_DONTNEED);
  });
}

}  // namespace allot

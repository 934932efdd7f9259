#include "base/resident.h"

#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

namespace allot {

namespace {

constexpr uintptr_t kPiece = 16 << 10;

void ForgetSegment(uintptr_t begin, uintptr_t end, bool is_constant) {
  const auto advise = [](uintptr_t from, uintptr_t to, int advice) { ::madvise(reinterpret_cast<void*>(from), to - from, advice); };
  advise(begin, end, MADV_RANDOM);
  if (!is_constant) return;  // Some of these pages differ from the file.
  // Since Linux 6.16 MADV_RANDOM does not stop readahead of code, but readahead never crosses the end of a mapping. Setting MADV_DONTDUMP,
  // which has no other effect here, on every second piece splits the mapping into small ones.
  for (uintptr_t at = begin; at < end; at += 2 * kPiece) advise(at, std::min(at + kPiece, end), MADV_DONTDUMP);
  advise(begin, end, MADV_DONTNEED);
}

int ForgetObject(dl_phdr_info* object, size_t, void*) {
  const uintptr_t page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& segment = object->dlpi_phdr[i];
    const uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD) ForgetSegment(begin / page * page, begin + segment.p_filesz, (segment.p_flags & PF_W) == 0);
  }
  // The pages are unmapped now, so the kernel can drop those that no other process uses.
  const bool is_program = *object->dlpi_name == '\0';
  if (const int file = ::open(is_program ? "/proc/self/exe" : object->dlpi_name, O_RDONLY | O_CLOEXEC); file >= 0) {
    ::posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    ::close(file);
  }
  return 0;
}

}  // namespace

void ForgetReadahead() { ::dl_iterate_phdr(ForgetObject, nullptr); }

}  // namespace allot

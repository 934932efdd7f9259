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
  if (!is_constant) return;  // Some of its pages are no longer what the file has.
  // Since Linux 6.16 that advice is not heeded for code, but what is read ahead ends with the mapping. So there shall be many: every second
  // piece differs in a flag that has no meaning here, that it is left out of core dumps.
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
  // Now that they are not mapped, the kernel can drop the pages that nobody else uses.
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

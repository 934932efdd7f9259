#include "local/open_files.h"

#include <sys/resource.h>

#include <algorithm>

namespace allot::local {

uint64_t RaiseOpenFiles() {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  const uint64_t before = limit.rlim_cur;
  SetOpenFiles(limit.rlim_max);
  return before;
}

void SetOpenFiles(uint64_t wanted) {
  rlimit limit = {};
  if (wanted == 0 || ::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(wanted, limit.rlim_max);
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace allot::local

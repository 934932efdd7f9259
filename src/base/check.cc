#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace allot {

void CheckFailed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: this is a bug in allot: CHECK(%s) failed\n", file, line, condition);
  std::abort();
}

}  // namespace allot

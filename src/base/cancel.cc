#include "base/cancel.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

#include "base/check.h"

namespace allot {

Cancel::Cancel() : fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) { CHECK(fd_ >= 0); }

Cancel::~Cancel() { close(fd_); }

void Cancel::Request() {
  if (requested_.exchange(true, std::memory_order_acq_rel)) return;
  const uint64_t one = 1;
  CHECK(write(fd_, &one, sizeof one) == sizeof one);
}

}  // namespace allot

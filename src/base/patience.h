#pragma once
// The deadline of a call, and a request that ends it sooner.

#include <optional>

#include "base/cancel.h"
#include "base/clock.h"

namespace allot {

struct Patience {
  std::optional<MonotonicTime> deadline;  // on the steady clock; nullopt: wait forever
  const Cancel* cancel = nullptr;         // nullptr: the call cannot be cancelled
};

}  // namespace allot

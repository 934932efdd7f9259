#pragma once
// A pause that a request to stop ends early.

#include <poll.h>

#include <chrono>

#include "base/cancel.h"

namespace allot {

// Sleeps for `time` or until `stop` is requested. Returns false if it was requested.
inline bool Rest(std::chrono::milliseconds time, const Cancel& stop) {
  pollfd asked = {stop.fd(), POLLIN, 0};
  poll(&asked, 1, static_cast<int>(time.count()));
  return !stop.requested();
}

}  // namespace allot

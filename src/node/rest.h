#pragma once
// Waiting that a request to stop ends.

#include <poll.h>

#include <chrono>

#include "base/cancel.h"

namespace allot::node {

// False: asked to stop.
inline bool Rest(std::chrono::milliseconds time, const Cancel& stop) {
  pollfd asked = {stop.fd(), POLLIN, 0};
  poll(&asked, 1, static_cast<int>(time.count()));
  return !stop.requested();
}

}  // namespace allot::node

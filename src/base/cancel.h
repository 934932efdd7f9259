#pragma once
// A request to stop, that somebody who waits for bytes hears too.
//
// Thread-safe. Requested once, it stays so.

#include <atomic>

namespace allot {

class Cancel {
 public:
  Cancel();
  ~Cancel();
  Cancel(const Cancel&) = delete;
  Cancel& operator=(const Cancel&) = delete;

  void Request();
  bool requested() const { return requested_.load(std::memory_order_acquire); }
  // Becomes readable with Request() and stays so: for poll(2) beside other descriptors.
  int fd() const { return fd_; }

 private:
  std::atomic<bool> requested_{false};
  const int fd_;
};

}  // namespace allot

#pragma once
// A request to stop that also wakes a thread blocked in poll(2).
//
// Thread-safe. A request cannot be withdrawn.

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
  // Becomes readable when Request() is called and stays readable. Poll it beside other descriptors.
  int fd() const { return fd_; }

 private:
  std::atomic<bool> requested_{false};
  const int fd_;
};

}  // namespace allot

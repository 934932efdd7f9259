#pragma once
// Signals that stop a program which runs until it is stopped.

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <string_view>
#include <thread>

#include "base/cancel.h"
#include "base/check.h"

namespace allot::cli {

// The first such signal requests `stop`. The second one ends the program at once, after writing `last_words` to standard output (which
// restores a terminal). `last_words` must outlive this object.
class StopSignals {
 public:
  // If `patient`, a second signal does not end the program at once.
  explicit StopSignals(std::string_view last_words = "", bool patient = false) {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int one : {SIGTERM, SIGINT, SIGHUP, SIGQUIT}) {
      struct sigaction now = {};
      // Signals that the caller ignores (nohup) stay ignored.
      if (one != SIGTERM && ::sigaction(one, nullptr, &now) == 0 && now.sa_handler == SIG_IGN) continue;
      sigaddset(&signals, one);
    }
    CHECK(pthread_sigmask(SIG_BLOCK, &signals, nullptr) == 0);
    thread_ = std::thread([this, signals, last_words, patient] {
      int got = 0;
      if (sigwait(&signals, &got) != 0 || ended_) return;
      stop.Request();
      do sigwait(&signals, &got);
      while (patient && !ended_);
      if (ended_) return;
      if (!last_words.empty() && ::write(STDOUT_FILENO, last_words.data(), last_words.size()) < 0) _exit(1);
      _exit(128 + got);
    });
  }
  ~StopSignals() {
    ended_ = true;
    pthread_kill(thread_.native_handle(), SIGTERM);
    thread_.join();
  }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  Cancel stop;

 private:
  std::atomic<bool> ended_ = false;
  std::thread thread_;
};

}  // namespace allot::cli

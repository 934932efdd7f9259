// The test program also is
//   a shim (`local_test shim FOLDER`);
//   a shim that takes two seconds to start, as on a slow disk (`local_test slow-shim FOLDER`);
//   a node that a test can kill (`local_test node URL FOLDER`).

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <string>
#include <string_view>
#include <thread>

#include "local/containers/shim.h"

namespace allot::local {
int RunTestNode(const char* url, const char* folder);  // pods_restart_test.cc
}

// Locks the folder as a shim does while it starts its container, and continues after its caller has timed out.
static int RunSlowShim(const std::string& folder) {
  const int lock = ::open((folder + "/spec.json").c_str(), O_RDONLY | O_CLOEXEC);
  if (lock < 0 || ::flock(lock, LOCK_EX | LOCK_NB) != 0) return 1;
  if (::fork() != 0) return 0;
  ::setsid();
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(null, fd);
  std::this_thread::sleep_for(std::chrono::milliseconds(2000));
  ::close(lock);
  return allot::local::RunShim(folder);
}

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  if (argc == 3 && std::string_view(argv[1]) == "shim") return allot::local::RunShim(argv[2]);
  if (argc == 3 && std::string_view(argv[1]) == "slow-shim") return RunSlowShim(argv[2]);
  if (argc == 4 && std::string_view(argv[1]) == "node") return allot::local::RunTestNode(argv[2], argv[3]);
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}

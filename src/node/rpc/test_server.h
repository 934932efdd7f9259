#pragma once
// A server with methods for tests, on its own socket. Included by tests only.

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/test_util.h"
#include "http/test_client.h"
#include "node/rpc/server.h"
#include "node/rpc/test_client.h"

namespace allot::node::rpc::test {

using http::test::Eventually;
using http::test::Signal;

inline constexpr char kEcho[] = "/test.Test/Echo";    // the request
inline constexpr char kQuick[] = "/test.Test/Quick";  // the same, on the server's own thread
inline constexpr char kFail[] = "/test.Test/Fail";    // kExhausted with the request as message
inline constexpr char kWait[] =
    "/test.Test/Wait";  // waits for `release`, the caller's cancel or deadline; then the request, or kUnavailable
inline constexpr char kWatch[] = "/test.Test/Watch";  // a stream that goes into `streams`

class ServerTest : public ::testing::Test {
 protected:
  ServerTest() { std::filesystem::create_directories(dir_); }
  ~ServerTest() override {
    release.Request();
    server.reset();
    std::filesystem::remove_all(dir_);
  }

  void Start(EndpointOptions endpoint = {}, WorkerOptions workers = {}) {
    auto services = std::make_shared<Services>();
    const auto echo = [](const Call&, std::string_view request) -> Result<std::string> { return std::string(request); };
    services->Add(kEcho, echo);
    services->AddQuick(kQuick, echo);
    services->Add(kFail, [](const Call&, std::string_view request) -> Result<std::string> { return Exhausted(request); });
    services->Add(kWait, [this](const Call& call, std::string_view request) { return Wait(call, request); });
    services->AddStream(kWatch, [this](const Call&, std::string_view request, std::shared_ptr<Stream> stream) {
      if (request == "no") return Invalid("not for you");
      const std::lock_guard lock(mutex_);
      streams_.push_back(std::move(stream));
      watched.Raise();
      return Status();
    });
    auto started = Server::Start({.workers = workers});
    ASSERT_OK(started);
    server = *std::move(started);
    auto listener = http::Listener::Unix(path, 0600);
    ASSERT_OK(listener);
    server->Serve(*std::move(listener), std::move(services), endpoint);
  }

  Result<std::string> Wait(const Call& call, std::string_view request) {
    {
      const std::lock_guard lock(mutex_);
      last_call_ = call;
    }
    waiting.Raise();
    pollfd fds[] = {{.fd = call.patience.cancel->fd(), .events = POLLIN, .revents = 0},
                    {.fd = release.fd(), .events = POLLIN, .revents = 0}};
    int timeout = 30'000;
    if (call.patience.deadline) {
      timeout =
          static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(*call.patience.deadline - SystemClock().MonotonicNow()).count());
    }
    poll(fds, 2, std::max(timeout, 0));
    if (call.patience.cancel->requested()) cancelled.Raise();
    if (release.requested()) return std::string(request);
    return Unavailable("gave up");
  }

  std::shared_ptr<Stream> stream(size_t index) {
    const std::lock_guard lock(mutex_);
    return streams_.at(index);
  }
  // The last call that waited; its cancel and path are no longer valid.
  Call last_call() {
    const std::lock_guard lock(mutex_);
    return last_call_;
  }
  void DropStreams() {
    const std::lock_guard lock(mutex_);
    streams_.clear();
  }

  const std::filesystem::path dir_ = std::filesystem::temp_directory_path() / StrCat("allot-rpc-test-", getpid());
  const std::string path = dir_ / "x.sock";
  Cancel release;
  Signal waiting, cancelled, watched;
  std::unique_ptr<Server> server;

 private:
  std::mutex mutex_;
  Call last_call_;
  std::vector<std::shared_ptr<Stream>> streams_;
};

inline MonotonicTime In(std::chrono::milliseconds time) { return SystemClock().MonotonicNow() + time; }

}  // namespace allot::node::rpc::test

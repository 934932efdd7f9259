#include "node/rpc/exchange.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>
#include <utility>

#include "base/check.h"

namespace allot::node::rpc {
namespace {

// A handler's reference to the stream. When the last one is gone, the stream ends.
class StreamHandle final : public Stream {
 public:
  explicit StreamHandle(std::shared_ptr<Exchange> exchange) : exchange_(std::move(exchange)) {}
  ~StreamHandle() override { exchange_->End({GrpcCode::kUnavailable, "the server gave the stream up"}); }
  StreamHandle(const StreamHandle&) = delete;
  StreamHandle& operator=(const StreamHandle&) = delete;

  bool Send(std::string message) override { return exchange_->Send(std::move(message)); }
  void End(Status status) override { exchange_->End(OutcomeOf(status)); }
  bool closed() const override { return exchange_->closed(); }

 private:
  const std::shared_ptr<Exchange> exchange_;
};

}  // namespace

Mailbox::Mailbox() : fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) { CHECK(fd_ >= 0); }

Mailbox::~Mailbox() { close(fd_); }

void Mailbox::Post(std::shared_ptr<Exchange> exchange) {
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return;
    posted_.push_back(std::move(exchange));
    if (posted_.size() > 1) return;  // the first exchange woke the loop
  }
  Wake();
}

void Mailbox::Wake() const {
  const uint64_t one = 1;
  CHECK(write(fd_, &one, sizeof one) == sizeof one);
}

std::vector<std::shared_ptr<Exchange>> Mailbox::Take() {
  uint64_t count = 0;
  [[maybe_unused]] const ssize_t drained = read(fd_, &count, sizeof count);  // fails if nothing woke the loop, which is fine
  const std::lock_guard lock(mutex_);
  return std::exchange(posted_, {});
}

void Mailbox::Close() {
  std::vector<std::shared_ptr<Exchange>> dropped;  // destroyed after the lock is released
  const std::lock_guard lock(mutex_);
  closed_ = true;
  posted_.swap(dropped);
}

void Exchange::Run() {
  std::string message;
  Cancel cancel;
  {
    const std::lock_guard lock(mutex_);
    if (aborted_) return;
    message = std::move(request_.message);
    running_ = &cancel;
  }
  RunHandler({.path = request_.path, .patience = {.deadline = request_.deadline, .cancel = &cancel}, .peer = request_.peer}, message);
  const std::lock_guard lock(mutex_);
  running_ = nullptr;
}

void Exchange::RunHandler(const Call& call, std::string_view message) {
  if (const Status patience = http::Check(call.patience); !patience.ok()) return End(Judge(call, patience));
  if (kind() == Method::Kind::kStream) {
    const auto handle = std::make_shared<StreamHandle>(shared_from_this());  // kept until an error of the handler has ended the stream
    if (const Status status = request_.method->stream(call, message, handle); !status.ok()) End(Judge(call, status));
    return;
  }
  auto answer = request_.method->unary(call, message);
  if (!answer.ok()) return End(Judge(call, answer.status()));
  // Both under one lock, so that the loop sends them together.
  std::unique_lock lock(mutex_);
  if (std::exchange(ended_, true)) return;
  news_ = {.message = *std::move(answer), .end = Outcome{}};
  Notify(std::move(lock));
}

// If the caller gave up or its deadline passed, the error gets the code for that.
Outcome Exchange::Judge(const Call& call, const Status& status) const {
  Outcome outcome = OutcomeOf(status);
  if (call.patience.deadline && SystemClock().MonotonicNow() >= *call.patience.deadline) outcome.code = GrpcCode::kDeadlineExceeded;
  return outcome;
}

bool Exchange::Send(std::string message) {
  std::unique_lock lock(mutex_);
  if (ended_) return false;
  news_.message = std::move(message);
  Notify(std::move(lock));
  return true;
}

void Exchange::End(Outcome outcome) {
  std::unique_lock lock(mutex_);
  if (std::exchange(ended_, true)) return;
  news_.end = std::move(outcome);
  Notify(std::move(lock));
}

bool Exchange::closed() const {
  const std::lock_guard lock(mutex_);
  return ended_;
}

Exchange::News Exchange::Take() {
  const std::lock_guard lock(mutex_);
  notified_ = false;
  return std::exchange(news_, {});
}

void Exchange::Abort() {
  session = nullptr;
  const std::lock_guard lock(mutex_);
  if (running_ != nullptr) running_->Request();
  aborted_ = ended_ = true;
  news_ = {};
  request_.message = {};  // frees the memory of a call that waits for a worker
}

void Exchange::Notify(std::unique_lock<std::mutex> locked) {
  if (std::exchange(notified_, true)) return;
  locked.unlock();
  mailbox_->Post(shared_from_this());
}

}  // namespace allot::node::rpc

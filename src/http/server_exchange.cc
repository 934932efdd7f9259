#include "http/server_exchange.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <ctime>
#include <utility>

#include "base/check.h"
#include "http/codec.h"

namespace allot::http {

namespace {

constexpr size_t kShort = 16 << 10;  // bytes of a response that the writer sends itself: a TLS record

}  // namespace

Mailbox::Mailbox() : fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) { CHECK(fd_ >= 0); }

Mailbox::~Mailbox() { close(fd_); }

bool Mailbox::Post(std::shared_ptr<Exchange> exchange) {
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return false;
    first = posted_.empty();
    posted_.push_back(std::move(exchange));
  }
  if (first) Wake();
  return true;
}

void Mailbox::Wake() const {
  const uint64_t one = 1;
  CHECK(write(fd_, &one, sizeof one) == sizeof one || errno == EAGAIN);
}

std::vector<std::shared_ptr<Exchange>> Mailbox::Take() {
  uint64_t count = 0;
  CHECK(read(fd_, &count, sizeof count) == sizeof count || errno == EAGAIN);
  const std::lock_guard lock(mutex_);
  return std::exchange(posted_, {});
}

std::vector<std::shared_ptr<Exchange>> Mailbox::Close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  return std::exchange(posted_, {});
}

std::string HttpDate(WallTime time) {
  static constexpr const char* kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const time_t seconds = std::chrono::system_clock::to_time_t(time);
  tm utc = {};
  gmtime_r(&seconds, &utc);
  char text[64];
  // strftime would use the process's locale.
  const int length = std::snprintf(text, sizeof text, "%s, %02d %s %d %02d:%02d:%02d GMT", kDays[utc.tm_wday], utc.tm_mday,
                                   kMonths[utc.tm_mon], utc.tm_year + 1900, utc.tm_hour, utc.tm_min, utc.tm_sec);
  return std::string(text, static_cast<size_t>(length));
}

void Exchange::Notify(std::unique_lock<std::mutex> locked) {
  const bool post = !std::exchange(notified_, true);
  locked.unlock();
  if (post && !mailbox_->Post(shared_from_this())) RunCallbacks();
}

void Exchange::Cut(std::unique_lock<std::mutex> locked) {
  cut_ = gone_ = true;
  Notify(std::move(locked));
}

void Exchange::Put(Piece piece) {
  waiting_bytes_ += piece.view().size();
  waiting_.push_back(std::move(piece));
}

void Exchange::PutHead(int status, Headers headers, std::optional<size_t> length) {
  CHECK(status >= 200 && status <= 999);
  headers.Remove("Content-Length");
  headers.Remove("Transfer-Encoding");
  close_ = !options_.keep_alive || mailbox_->draining || headers.Get("Connection") == "close";
  headers.Remove("Connection");
  if (length && status != 204 && status != 304) headers.Add("Content-Length", std::to_string(*length));
  if (!length && options_.can_chunk && status != 204 && status != 304) headers.Add("Transfer-Encoding", "chunked");
  if (close_) headers.Add("Connection", "close");
  headers.Set("Date", HttpDate(SystemClock().Now()));
  Put(Piece(WriteResponseHead(status, headers)));
  body_ = HasBody(status);
}

void Exchange::SendNow(std::shared_ptr<Transport> transport) {
  if (transport == nullptr || waiting_bytes_ > kShort) return;
  std::string bytes;
  bytes.reserve(waiting_bytes_);
  for (const Piece& piece : waiting_) bytes += piece.view();
  const auto progress = transport->Write(bytes);
  const size_t sent = progress.ok() ? progress->bytes : 0;  // the loop will meet the same error
  waiting_.clear();
  waiting_bytes_ = 0;
  // Keep the rest in one piece: TLS must be given the same bytes again.
  if (sent < bytes.size()) Put(Piece(bytes.substr(sent)));
}

WriteState Exchange::Send(Response response) {
  if (const Status bad = CheckHead("GET", "/", response.headers); !bad.ok()) {
    response = {.status = 500, .headers = {}, .body = StrCat("the response's ", bad.message(), "\n")};
  }
  std::unique_lock lock(mutex_);
  CHECK(state_ == State::kNothing);
  state_ = State::kComplete;
  if (closed_) return WriteState::kGone;
  PutHead(response.status, std::move(response.headers), response.body.size());
  if (body_ && !response.body.empty()) Put(Piece(std::move(response.body)));
  SendNow(std::exchange(transport_, nullptr));
  const auto dropped = std::pair(std::exchange(on_gone_, nullptr), std::exchange(on_drain_, nullptr));
  Notify(std::move(lock));
  return WriteState::kAccepted;
}

WriteState Exchange::Start(int status, Headers headers) {
  if (const Status bad = CheckHead("GET", "/", headers); !bad.ok()) {
    status = 500;
    headers = {};
  }
  std::unique_lock lock(mutex_);
  CHECK(state_ == State::kNothing);
  state_ = State::kStream;
  transport_ = nullptr;
  if (gone_) {
    Cut(std::move(lock));
    return WriteState::kGone;
  }
  PutHead(status, std::move(headers), std::nullopt);
  Notify(std::move(lock));
  return WriteState::kAccepted;
}

WriteState Exchange::Write(std::span<Piece> pieces) {
  size_t size = 0;
  for (const Piece& piece : pieces) size += piece.view().size();
  std::unique_lock lock(mutex_);
  CHECK(state_ != State::kNothing);
  if (gone_ || state_ != State::kStream) return WriteState::kGone;
  if (size == 0 || !body_) return WriteState::kAccepted;
  const size_t queued = waiting_bytes_ + unsent_.load(std::memory_order_relaxed);
  if (queued > 0 && queued + size > options_.max_queued) {
    Cut(std::move(lock));
    return WriteState::kFull;
  }
  if (options_.can_chunk) {
    char header[24];
    const int length = std::snprintf(header, sizeof header, "%zx\r\n", size);
    Put(Piece(std::string(header, static_cast<size_t>(length))));
  }
  for (Piece& piece : pieces) Put(std::move(piece));
  if (options_.can_chunk) Put(Piece("\r\n"));
  Notify(std::move(lock));
  return WriteState::kAccepted;
}

void Exchange::End() {
  std::unique_lock lock(mutex_);
  CHECK(state_ != State::kNothing);
  if (std::exchange(state_, State::kComplete) == State::kComplete || gone_) return;
  if (body_ && options_.can_chunk) Put(Piece(std::string(kLastChunk)));
  const auto dropped = std::pair(std::exchange(on_gone_, nullptr), std::exchange(on_drain_, nullptr));
  Notify(std::move(lock));
}

size_t Exchange::queued_bytes() const {
  const std::lock_guard lock(mutex_);
  return waiting_bytes_ + unsent_.load(std::memory_order_relaxed);
}

void Exchange::OnGone(std::function<void()> callback) {
  std::unique_lock lock(mutex_);
  CHECK(on_gone_ == nullptr);
  if (state_ == State::kComplete) return;
  on_gone_ = std::move(callback);
  if (gone_) Notify(std::move(lock));
}

void Exchange::OnDrain(std::function<void()> callback) {
  std::unique_lock lock(mutex_);
  CHECK(on_drain_ == nullptr);
  if (state_ == State::kComplete || gone_) return;
  on_drain_ = std::move(callback);
  if (mailbox_->draining) Notify(std::move(lock));
}

void Exchange::Abandon() {
  std::unique_lock lock(mutex_);
  if (state_ == State::kComplete || closed_) return;
  if (state_ == State::kStream) return Cut(std::move(lock));
  transport_ = nullptr;  // answer through the loop; if the loop has ended, the connection is cut
  lock.unlock();
  Send({.status = 500, .headers = {}, .body = "the handler gave no answer\n"});
}

Exchange::Taken Exchange::Take(std::vector<Piece>& into) {
  const std::lock_guard lock(mutex_);
  notified_ = false;
  const size_t bytes = std::exchange(waiting_bytes_, 0);
  unsent_.fetch_add(bytes, std::memory_order_relaxed);
  if (into.empty()) {
    into.swap(waiting_);
  } else {
    into.insert(into.end(), std::make_move_iterator(waiting_.begin()), std::make_move_iterator(waiting_.end()));
    waiting_.clear();
  }
  return {.complete = state_ == State::kComplete && !cut_,
          .cut = cut_,
          .close = close_,
          .due = (gone_ && on_gone_) || (mailbox_->draining && on_drain_),
          .bytes = bytes};
}

void Exchange::MarkGone() {
  const std::lock_guard lock(mutex_);
  gone_ = true;
}

void Exchange::MarkClosed() {
  std::vector<Piece> dropped;
  const std::lock_guard lock(mutex_);
  gone_ = closed_ = true;
  waiting_.swap(dropped);
  waiting_bytes_ = 0;
  unsent_ = 0;
  transport_ = nullptr;
}

void Exchange::RunCallbacks() {
  std::unique_lock lock(mutex_);
  notified_ = false;
  const bool is_gone = gone_;
  const auto gone = is_gone ? std::exchange(on_gone_, nullptr) : nullptr;
  const auto drain = is_gone || mailbox_->draining ? std::exchange(on_drain_, nullptr) : nullptr;
  lock.unlock();
  if (gone) gone();
  if (drain && !is_gone) drain();
}

bool Exchange::streaming() const {
  const std::lock_guard lock(mutex_);
  return state_ == State::kStream;
}

namespace {

class Writer final : public ResponseWriter {
 public:
  explicit Writer(std::shared_ptr<Exchange> exchange) : exchange_(std::move(exchange)) {}
  ~Writer() override { exchange_->Abandon(); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  WriteState Send(Response response) override { return exchange_->Send(std::move(response)); }
  WriteState Start(int status, Headers headers) override { return exchange_->Start(status, std::move(headers)); }
  WriteState Write(std::string_view bytes) override {
    Piece piece{std::string(bytes)};
    return exchange_->Write({&piece, 1});
  }
  WriteState Write(std::span<const std::shared_ptr<const std::string>> pieces) override {
    std::vector<Piece> held;
    held.reserve(pieces.size());
    for (const auto& piece : pieces) held.emplace_back(piece);
    return exchange_->Write(held);
  }
  void End() override { exchange_->End(); }
  size_t queued_bytes() const override { return exchange_->queued_bytes(); }
  void OnGone(std::function<void()> callback) override { exchange_->OnGone(std::move(callback)); }
  void OnDrain(std::function<void()> callback) override { exchange_->OnDrain(std::move(callback)); }

 private:
  const std::shared_ptr<Exchange> exchange_;
};

}  // namespace

std::shared_ptr<ResponseWriter> MakeWriter(std::shared_ptr<Exchange> exchange) { return std::make_shared<Writer>(std::move(exchange)); }

}  // namespace allot::http

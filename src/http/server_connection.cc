#include "http/server_connection.h"

#include <sys/socket.h>

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace allot::http {
namespace {

constexpr std::chrono::seconds kLingerTime(2);
constexpr size_t kFlushBudget = 1 << 20;  // bytes sent in a row before other connections get their turn

bool SameWord(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace

Connection::Connection(std::unique_ptr<Transport> transport, std::string peer, std::optional<PeerCredentials> credentials,
                       ConnectionHost& host)
    : host_(host),
      transport_(SharedTransport(std::move(transport))),
      peer_(std::move(peer)),
      credentials_(credentials),
      read_deadline_(host.now + host.options.header_timeout) {}

Connection::~Connection() { CHECK(exchange_ == nullptr); }

void Connection::Close() {
  const std::shared_ptr<Exchange> exchange = std::exchange(exchange_, nullptr);
  if (exchange == nullptr) return;
  exchange->connection = nullptr;
  exchange->MarkClosed();
  exchange->RunCallbacks();
}

Connection::Interest Connection::interest() const {
  using Wait = Transport::Wait;
  Interest interest;
  if (reading()) (read_wait_ == Wait::kWrite ? interest.write : interest.read) = true;
  if (out_bytes_ > 0) (write_wait_ == Wait::kRead ? interest.read : interest.write) = true;
  return interest;
}

MonotonicTime Connection::deadline() const {
  const MonotonicTime read = phase_ == Phase::kHandling ? kNever : read_deadline_;
  return out_bytes_ > 0 ? std::min(read, stall_deadline_) : read;
}

bool Connection::OnReady(bool hung_up) {
  if (reading()) {
    if (!Read()) return false;
  } else if (hung_up) {
    return false;
  }
  return Advance();
}

bool Connection::OnPosted() { return Advance(); }

bool Connection::OnDeadline() {
  if (out_bytes_ > 0 && stall_deadline_ <= host_.now) return false;
  if (phase_ == Phase::kReading && parser_) {
    linger_ = true;
    Answer(408, true, "the request did not arrive in time");
    return Advance();
  }
  if (phase_ == Phase::kReading) transport_->Goodbye();
  return false;
}

bool Connection::OnDrain() {
  if (phase_ == Phase::kReading && !parser_) {
    transport_->Goodbye();
    return false;
  }
  if (exchange_ != nullptr) exchange_->RunCallbacks();
  return true;
}

bool Connection::Read() {
  do {
    const auto progress = transport_->Read(host_.read_buffer);
    if (!progress.ok()) return false;
    read_wait_ = progress->wait == Transport::Wait::kWrite ? progress->wait : Transport::Wait::kRead;
    if (progress->end) return OnEnd();
    const std::string_view bytes(host_.read_buffer.data(), progress->bytes);
    if (phase_ == Phase::kHandling) input_.append(bytes);
    if (phase_ == Phase::kReading && !bytes.empty()) Consume(bytes);
    if (bytes.empty()) break;
  } while (reading() && transport_->HasPending());
  return true;
}

bool Connection::OnEnd() {
  input_ended_ = true;
  if (phase_ != Phase::kHandling) return false;
  if (exchange_ == nullptr) return true;
  if (exchange_->streaming()) return false;
  exchange_->MarkGone();
  exchange_->RunCallbacks();
  return true;
}

// Proceeds as far as possible without waiting.
bool Connection::Advance() {
  for (;;) {
    if (exchange_ != nullptr) {
      const Exchange::Taken taken = exchange_->Take(out_);
      out_bytes_ += taken.bytes;
      complete_ = taken.complete;
      cut_ = taken.cut;
      close_ = taken.close || host_.mailbox->draining;
      if (taken.due) exchange_->RunCallbacks();
    }
    if (!Flush()) return false;
    if (out_bytes_ > 0) return true;
    if (phase_ == Phase::kHandling) {
      if (cut_) return false;
      if (!complete_) return true;
      if (!FinishResponse()) return false;
    }
    if (phase_ != Phase::kReading || input_.empty()) return true;
    const std::string input = std::exchange(input_, {});
    Consume(input);
    if (phase_ == Phase::kReading && input_ended_) return false;
  }
}

bool Connection::FinishResponse() {
  ++host_.served;
  if (exchange_ != nullptr) std::exchange(exchange_, nullptr)->connection = nullptr;
  complete_ = false;
  if (!close_ && !host_.mailbox->draining) {
    phase_ = Phase::kReading;
    read_deadline_ = host_.now + host_.options.idle_timeout;
    return !input_ended_ || !input_.empty();
  }
  transport_->Goodbye();
  if (input_ended_ || (!linger_ && input_.empty())) return false;
  phase_ = Phase::kLinger;
  input_ = std::string();
  read_deadline_ = host_.now + kLingerTime;
  shutdown(fd(), SHUT_WR);
  return true;
}

void Connection::Consume(std::string_view bytes) {
  if (!parser_) {
    parser_.emplace(Parser::Kind::kRequest, ParserLimits{.head = host_.options.max_head, .body = host_.options.max_body});
    head_seen_ = false;
    read_deadline_ = host_.now + host_.options.header_timeout;
  }
  const auto used = parser_->Feed(bytes, body_);
  if (!used.ok()) {
    const bool limit = used.status().code() == Code::kExhausted;
    linger_ = true;
    return Answer(!limit ? 400 : parser_->head_done() ? 413 : 431, true, used.status().message());
  }
  if (parser_->head_done() && !head_seen_) {
    head_seen_ = true;
    read_deadline_ = host_.now + host_.options.body_timeout;
    const Head& head = parser_->head();
    if (const int bad = JudgeHead(head); bad != 0) {
      linger_ = true;
      return Answer(bad, true, ReasonPhrase(bad));
    }
    if (!parser_->done() && head.minor == 1 && SameWord(head.headers.Get("Expect"), "100-continue")) {
      Queue(WriteResponseHead(100, {}));
    }
  }
  if (!parser_->done()) return;
  input_ = bytes.substr(*used);
  Dispatch();
}

// Returns the status to reject the request with, or 0.
int Connection::JudgeHead(const Head& head) const {
  if (head.minor == 1 && head.headers.All("Host").size() != 1) return 400;
  const auto encodings = head.headers.All("Transfer-Encoding");
  // Reject ambiguous framing: a proxy in front of the server may read the body differently.
  if (!encodings.empty() && head.minor == 0) return 400;
  if (encodings.size() > 1 || (encodings.size() == 1 && !SameWord(encodings[0], "chunked"))) return 501;
  if (head.headers.Has("Expect") && !SameWord(head.headers.Get("Expect"), "100-continue")) return 417;
  return 0;
}

void Connection::Dispatch() {
  const Head& head = parser_->head();
  if (!host_.workers.HasRoom()) {
    Answer(503, !head.keep_alive || head.minor == 0, "too many requests are waiting; try again");
    return;
  }
  const ExchangeOptions options{.is_head = head.method == "HEAD",
                                .keep_alive = head.keep_alive && head.minor == 1,
                                .can_chunk = head.minor == 1,
                                .max_queued = host_.options.max_queued};
  Job job;
  job.context.request = {.method = head.method, .target = head.target, .headers = head.headers, .body = std::exchange(body_, {})};
  job.context.peer = peer_;
  job.context.peer_name = transport_->PeerName();
  job.context.credentials = credentials_;
  parser_.reset();
  phase_ = Phase::kHandling;
  complete_ = cut_ = close_ = false;
  exchange_ = std::make_shared<Exchange>(options, host_.mailbox, out_bytes_ == 0 ? transport_ : nullptr);
  exchange_->connection = this;
  job.writer = MakeWriter(exchange_);
  host_.workers.Post(std::move(job));
}

// Sends the server's own response to the current request.
void Connection::Answer(int status, bool close, std::string_view text) {
  const bool is_head = parser_ && parser_->head_done() && parser_->head().method == "HEAD";
  parser_.reset();
  body_ = std::string();
  phase_ = Phase::kHandling;
  complete_ = true;
  cut_ = false;
  close_ = close || host_.mailbox->draining;
  const std::string body = StrCat(text, "\n");
  Headers headers = {{"Content-Type", "text/plain; charset=utf-8"}, {"Content-Length", std::to_string(body.size())}};
  if (close_) headers.Add("Connection", "close");
  if (status == 503) headers.Add("Retry-After", "1");
  headers.Add("Date", HttpDate(SystemClock().Now()));
  Queue(WriteResponseHead(status, headers) + (is_head ? "" : body));
}

void Connection::Queue(std::string bytes) {
  out_bytes_ += bytes.size();
  out_.emplace_back(std::move(bytes));
}

bool Connection::Flush() {
  const bool was_stalled = stall_deadline_ != kNever;
  size_t sent = 0;
  write_wait_ = Transport::Wait::kNone;
  while (out_bytes_ > 0 && sent < kFlushBudget && write_wait_ == Transport::Wait::kNone) {
    const auto progress = transport_->Write(NextBytes());
    if (!progress.ok()) return false;
    write_wait_ = progress->wait;
    sent += progress->bytes;
    Sent(progress->bytes);
  }
  if (out_bytes_ == 0) {
    stall_deadline_ = kNever;
  } else if (sent > 0 || !was_stalled) {
    stall_deadline_ = host_.now + host_.options.write_timeout;
  }
  if (exchange_ != nullptr) exchange_->SetUnsent(out_bytes_);
  return true;
}

// Returns what to send next: one long piece, or several short ones joined. Until some bytes are sent it returns the same bytes or more, as
// TLS requires.
std::string_view Connection::NextBytes() {
  const std::span<char> buffer = host_.write_buffer;
  const std::string_view first = out_[front_].view().substr(front_sent_);
  if (first.size() >= buffer.size() || front_ + 1 == out_.size()) return first;
  size_t filled = first.copy(buffer.data(), buffer.size());
  for (size_t i = front_ + 1; i < out_.size() && filled < buffer.size(); ++i) {
    filled += out_[i].view().copy(buffer.data() + filled, buffer.size() - filled);
  }
  return {buffer.data(), filled};
}

void Connection::Sent(size_t bytes) {
  out_bytes_ -= bytes;
  front_sent_ += bytes;
  while (front_ < out_.size() && front_sent_ >= out_[front_].view().size()) {
    front_sent_ -= out_[front_].view().size();
    out_[front_] = Piece(std::string());  // release shared bytes as soon as they are sent
    ++front_;
  }
  if (front_ == out_.size()) {
    std::vector<Piece>().swap(out_);  // an idle stream keeps no buffer
    front_ = 0;
  } else if (front_ > 256 && front_ > out_.size() / 2) {
    out_.erase(out_.begin(), out_.begin() + static_cast<ptrdiff_t>(front_));
    front_ = 0;
  }
}

}  // namespace allot::http

#pragma once
// Who we are to the API server, and how that is renewed.
//
//   auto grant = credentials->Get();            // send it
//   ... 401 ...
//   credentials->Reject(grant->version);
//   auto newer = credentials->Get();            // another version: worth one more try; the same one: the 401 is the answer
//
// Secrets are in grants only, never in a message.

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/file_system.h"
#include "base/status.h"
#include "http/dial.h"

namespace allot::kube {

// Safe to use from several threads.
class Credentials {
 public:
  struct Grant {
    std::string authorization;    // the value of the Authorization header; empty: send none
    std::string certificate_pem;  // a TLS client certificate and its key; empty: those of the Config, if any
    std::string key_pem;
    uint64_t version = 0;  // another one for other content, never the same one for other content; from 1
  };

  virtual ~Credentials() = default;

  // What to send now. May read a file or run a program, and wait for another thread that does: for as long as the patience lasts.
  virtual Result<Grant> Get(const http::Patience& patience) = 0;
  Result<Grant> Get() { return Get({}); }

  // The server answered 401 to the grant of this version: the next Get asks for a fresh one. Does nothing for an older version than the
  // last, and for kinds that have nothing fresher.
  virtual void Reject(uint64_t version) = 0;
};

// Sends nothing.
std::shared_ptr<Credentials> AnonymousCredentials();

// REQUIRES CheckToken(token).
std::shared_ptr<Credentials> TokenCredentials(std::string_view token);

std::shared_ptr<Credentials> BasicCredentials(std::string_view username, std::string_view password);

// The trimmed content of a file that somebody replaces from time to time. It is read again once a minute, and after a rejection. While
// that fails the last token stays in use, until it is rejected. `fallback`, unless empty, is used for as long as the file was never read.
// `files` and `clock` must outlive it.
std::shared_ptr<Credentials> TokenFileCredentials(std::string path, std::string fallback, const FileSystem& files, const Clock& clock);

// Ok when `token` can stand in a header: not empty, visible ASCII characters only.
Status CheckToken(std::string_view token);

// What credentials that can be fetched again have in common.
//
// Invariants:
//   1. one Fetch at a time; those who need its result wait for it and share it, be it an error (unless it is the impatience of who
//      asked for it);
//   2. a grant that is due for renewal stays in use while that goes on, or fails, until it has expired or been rejected;
//   3. for `pause` after a failed Fetch nothing is fetched, and for `pause` after a Fetch that a rejection caused no rejection is heard.
//      So a broken plugin, or a server that rejects everything, costs one Fetch in each `pause`.
class RenewableCredentials : public Credentials {
 public:
  using Credentials::Get;
  Result<Grant> Get(const http::Patience& patience) final;
  void Reject(uint64_t version) final;

 protected:
  struct Fetched {
    Grant grant;                            // its version is set here
    std::optional<MonotonicTime> renew_at;  // nothing: when rejected
    std::optional<WallTime> renew_before;   // the same by the wall clock
    std::optional<WallTime> expires;        // of no use from then on
  };

  RenewableCredentials(const Clock& clock, std::chrono::nanoseconds pause) : clock_(clock), pause_(pause) {}

  // Never called by two threads at once.
  virtual Result<Fetched> Fetch(const http::Patience& patience) = 0;
  const Clock& clock() const { return clock_; }

 private:
  bool Usable() const;
  bool Due() const;
  Result<Grant> Keep(Result<Fetched> fetched, const http::Patience& patience);

  const Clock& clock_;
  const std::chrono::nanoseconds pause_;

  std::mutex mutex_;
  std::condition_variable changed_;
  bool fetching_ = false;
  bool rejected_ = false;
  std::optional<Fetched> current_;
  Status last_error_;                         // of the last Fetch, when it failed
  std::optional<MonotonicTime> quiet_until_;  // no Fetch before, when the last one failed
  std::optional<MonotonicTime> deaf_until_;   // no rejection is heard before
};

// Base64 as RFC 4648 has it, with padding. Line ends between the characters are passed over, as Kubernetes does. kInvalid names the place
// and nothing of the text.
std::string EncodeBase64(std::string_view bytes);
Result<std::string> DecodeBase64(std::string_view text);

}  // namespace allot::kube

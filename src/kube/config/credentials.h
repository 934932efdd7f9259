#pragma once
// The client's credentials for the API server, and their renewal.
//
//   auto grant = credentials->Get();            // send it
//   ... 401 ...
//   credentials->Reject(grant->version);
//   auto newer = credentials->Get();            // another version: try once more; the same version: the 401 is final
//
// Secrets appear only in grants, never in a message.

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

// Thread-safe.
class Credentials {
 public:
  struct Grant {
    std::string authorization;    // value of the Authorization header; empty: send none
    std::string certificate_pem;  // a TLS client certificate and its key; empty: use the Config's, if any
    std::string key_pem;
    uint64_t version = 0;  // from 1; equal versions have equal content, a changed content has a new version
  };

  virtual ~Credentials() = default;

  // Returns what to send now. May read a file, run a program, or wait for another thread that does, for as long as the patience lasts.
  virtual Result<Grant> Get(const Patience& patience) = 0;
  Result<Grant> Get() { return Get({}); }

  // The server answered 401 to the grant of this version: the next Get fetches a fresh one. Does nothing for an older version than the
  // last, or if this kind of credentials cannot be renewed.
  virtual void Reject(uint64_t version) = 0;
};

// Sends nothing.
std::shared_ptr<Credentials> AnonymousCredentials();

// REQUIRES: CheckToken(token) is ok.
std::shared_ptr<Credentials> TokenCredentials(std::string_view token);

std::shared_ptr<Credentials> BasicCredentials(std::string_view username, std::string_view password);

// Uses the trimmed content of a file that may be replaced at any time. Reads the file again once a minute and after a rejection. If that
// fails, the last token stays in use until it is rejected. `fallback`, unless empty, is used until the file is first read. `files` and
// `clock` must outlive it.
std::shared_ptr<Credentials> TokenFileCredentials(std::string path, std::string fallback, const FileSystem& files, const Clock& clock);

// Ok if `token` can be part of a header: not empty, visible ASCII characters only.
Status CheckToken(std::string_view token);

// Base class of credentials that can be fetched again.
//
// Invariants:
//   1. one Fetch runs at a time; threads that need its result wait for it and share it, error or not (unless the error is that the fetching
//      caller's patience ended);
//   2. a grant that is due for renewal stays in use while the renewal runs or fails, until it has expired or been rejected;
//   3. for `pause` after a failed Fetch there is no other Fetch, and for `pause` after a Fetch caused by a rejection further rejections are
//      ignored. A broken plugin, or a server that rejects everything, therefore costs one Fetch per `pause`.
class RenewableCredentials : public Credentials {
 public:
  using Credentials::Get;
  Result<Grant> Get(const Patience& patience) final;
  void Reject(uint64_t version) final;

 protected:
  struct Fetched {
    Grant grant;                            // the base class sets its version
    std::optional<MonotonicTime> renew_at;  // nullopt: only when rejected
    std::optional<WallTime> renew_before;   // the same by the wall clock
    std::optional<WallTime> expires;        // unusable from then on
  };

  RenewableCredentials(const Clock& clock, std::chrono::nanoseconds pause) : clock_(clock), pause_(pause) {}

  // Never called concurrently.
  virtual Result<Fetched> Fetch(const Patience& patience) = 0;
  const Clock& clock() const { return clock_; }

 private:
  bool Usable() const;
  bool Due() const;
  Result<Grant> Keep(Result<Fetched> fetched, const Patience& patience);

  const Clock& clock_;
  const std::chrono::nanoseconds pause_;

  std::mutex mutex_;
  std::condition_variable changed_;
  bool fetching_ = false;
  bool rejected_ = false;
  std::optional<Fetched> current_;
  Status last_error_;                         // error of the last Fetch, if it failed
  std::optional<MonotonicTime> quiet_until_;  // no Fetch before this time, after a failed one
  std::optional<MonotonicTime> deaf_until_;   // rejections are ignored until this time
};

// Base64 as in RFC 4648, with padding. Like Kubernetes, DecodeBase64 skips line ends between the characters. It returns kInvalid with the
// position but nothing of the text, which may be a secret.
std::string EncodeBase64(std::string_view bytes);
Result<std::string> DecodeBase64(std::string_view text);

}  // namespace allot::kube

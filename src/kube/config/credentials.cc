#include "kube/config/credentials.h"

#include <algorithm>
#include <array>

namespace allot::kube {

namespace {

using std::chrono::seconds;

constexpr size_t kMaxTokenFile = 1 << 20;
constexpr seconds kTokenFilePeriod{60};
constexpr seconds kTokenFilePause{1};
constexpr std::chrono::milliseconds kCancelCheck{20};  // how often a thread that waits for another's Fetch checks its Cancel
constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

class FixedCredentials final : public Credentials {
 public:
  explicit FixedCredentials(std::string authorization) { grant_ = {std::move(authorization), "", "", 1}; }
  Result<Grant> Get(const Patience&) override { return grant_; }
  void Reject(uint64_t) override {}

 private:
  Grant grant_;
};

class TokenFile final : public RenewableCredentials {
 public:
  TokenFile(std::string path, std::string fallback, const FileSystem& files, const Clock& clock)
      : RenewableCredentials(clock, kTokenFilePause), path_(std::move(path)), fallback_(std::move(fallback)), files_(files) {}

 private:
  Result<Fetched> Fetch(const Patience&) override {
    Result<std::string> token = Read();
    if (token.ok()) {
      fallback_.clear();
    } else if (fallback_.empty()) {
      return std::move(token).status();
    }
    const std::string& used = token.ok() ? *token : fallback_;
    return Fetched{{StrCat("Bearer ", used), "", "", 0}, clock().MonotonicNow() + kTokenFilePeriod, std::nullopt, std::nullopt};
  }

  Result<std::string> Read() const {
    ASSIGN_OR_RETURN(const std::string content, files_.ReadFile(path_, kMaxTokenFile).Context("token file"));
    const std::string_view token = Trim(content);
    TRY(CheckToken(token).Context("token file ", path_));
    return std::string(token);
  }

  const std::string path_;
  std::string fallback_;
  const FileSystem& files_;
};

}  // namespace

std::shared_ptr<Credentials> AnonymousCredentials() { return std::make_shared<FixedCredentials>(""); }

std::shared_ptr<Credentials> TokenCredentials(std::string_view token) {
  CHECK(CheckToken(token).ok());
  return std::make_shared<FixedCredentials>(StrCat("Bearer ", token));
}

std::shared_ptr<Credentials> BasicCredentials(std::string_view username, std::string_view password) {
  return std::make_shared<FixedCredentials>(StrCat("Basic ", EncodeBase64(StrCat(username, ":", password))));
}

std::shared_ptr<Credentials> TokenFileCredentials(std::string path, std::string fallback, const FileSystem& files, const Clock& clock) {
  return std::make_shared<TokenFile>(std::move(path), std::move(fallback), files, clock);
}

Status CheckToken(std::string_view token) {
  if (token.empty()) return Invalid("the token is empty");
  if (std::any_of(token.begin(), token.end(), [](char c) { return c <= 0x20 || c >= 0x7F; })) {
    return Invalid("the token has characters that a header cannot hold, such as a space or a line end");
  }
  return {};
}

bool RenewableCredentials::Usable() const { return current_ && !rejected_ && !(current_->expires && clock_.Now() >= *current_->expires); }

bool RenewableCredentials::Due() const {
  return !Usable() || (current_->renew_at && clock_.MonotonicNow() >= *current_->renew_at) ||
         (current_->renew_before && clock_.Now() >= *current_->renew_before);
}

Result<Credentials::Grant> RenewableCredentials::Get(const Patience& patience) {
  std::unique_lock lock(mutex_);
  for (;;) {
    const bool quiet = quiet_until_ && clock_.MonotonicNow() < *quiet_until_;
    if (Usable() && (fetching_ || quiet || !Due())) return current_->grant;
    if (!fetching_ && quiet) return last_error_;
    if (!fetching_) break;
    TRY(http::Check(patience).Context("wait for credentials"));
    changed_.wait_for(lock, kCancelCheck);
  }
  fetching_ = true;
  lock.unlock();
  Result<Fetched> fetched = Fetch(patience);
  lock.lock();
  fetching_ = false;
  changed_.notify_all();
  return Keep(std::move(fetched), patience);
}

Result<Credentials::Grant> RenewableCredentials::Keep(Result<Fetched> fetched, const Patience& patience) {
  const MonotonicTime pause_end = clock_.MonotonicNow() + pause_;
  if (!fetched.ok()) {
    if (!http::Check(patience).ok()) return Usable() ? Result<Grant>(current_->grant) : std::move(fetched).status();
    last_error_ = std::move(fetched).status();
    quiet_until_ = pause_end;
    if (Usable()) return current_->grant;
    return last_error_;
  }
  quiet_until_.reset();
  if (std::exchange(rejected_, false)) deaf_until_ = pause_end;
  Grant& grant = fetched->grant;
  grant.version = 1;
  if (current_) {
    const Grant& old = current_->grant;
    const bool same =
        grant.authorization == old.authorization && grant.certificate_pem == old.certificate_pem && grant.key_pem == old.key_pem;
    grant.version = same ? old.version : old.version + 1;
  }
  current_ = *std::move(fetched);
  return current_->grant;
}

void RenewableCredentials::Reject(uint64_t version) {
  const std::lock_guard lock(mutex_);
  if (!current_ || current_->grant.version != version) return;
  if (deaf_until_ && clock_.MonotonicNow() < *deaf_until_) return;
  rejected_ = true;
}

std::string EncodeBase64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t group = 0;
    const size_t count = std::min<size_t>(3, bytes.size() - i);
    for (size_t j = 0; j < 3; ++j) group = group << 8 | (j < count ? static_cast<unsigned char>(bytes[i + j]) : 0u);
    for (size_t j = 0; j < 4; ++j) text += j <= count ? kAlphabet[group >> (18 - 6 * j) & 63] : '=';
  }
  return text;
}

Result<std::string> DecodeBase64(std::string_view text) {
  std::string bytes;
  uint32_t group = 0;
  size_t digits = 0;   // digits in the current group
  size_t padding = 0;  // '=' so far
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r' || text[i] == '\n') continue;
    const size_t value = kAlphabet.find(text[i]);
    const bool pads = text[i] == '=' && digits >= 2;
    // Only padding may follow padding.
    if (!pads && (value == std::string_view::npos || padding > 0)) return Invalid("is not base64 (at byte ", i, " of ", text.size(), ")");
    group = group << 6 | (pads ? 0u : static_cast<uint32_t>(value));
    ++(pads ? padding : digits);
    if (digits + padding < 4) continue;
    for (size_t j = 0; j + 1 < digits; ++j) bytes += static_cast<char>(group >> (16 - 8 * j) & 0xFF);
    digits = group = 0;
  }
  if (digits > 0) return Invalid("is not base64 (its last ", digits, " characters are not a whole group)");
  return bytes;
}

}  // namespace allot::kube

#include "apiserver/access/local_users.h"

#include <pwd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <vector>

#include "base/strings.h"
#include "http/sha256.h"

namespace allot::apiserver {
namespace {

constexpr size_t kLongestEntry = 1 << 20;
constexpr size_t kLongestName = 63;  // of a namespace
constexpr size_t kDigits = 20;       // 80 bits of a hash: finding two names with the same ones is infeasible
constexpr std::string_view kUnnamed = "uid-", kMapped = "user-";

bool IsSmallLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

bool IsPlain(char c) { return c > ' ' && c < 0x7f && c != ':' && c != ',' && c != '"'; }

bool IsLabel(std::string_view text) {
  if (text.empty() || text.size() > kLongestName || text.front() == '-' || text.back() == '-') return false;
  return std::all_of(text.begin(), text.end(), [](char c) { return IsSmallLetter(c) || c == '-'; });
}

bool IsReserved(std::string_view name) {
  if (name == "default" || name == "allot") return true;
  return name.starts_with("kube-") || name.starts_with("allot-") || name.starts_with(kMapped);
}

// Returns as much of the name as a namespace's name can contain.
std::string Readable(std::string_view user) {
  constexpr size_t kLongest = kLongestName - kMapped.size() - 1 - kDigits;
  std::string text;
  for (const char c : user.substr(0, kLongest)) {
    const char small = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    text += IsSmallLetter(small) ? small : '-';
  }
  return text;
}

// Returns the name in the system's user database; empty if there is no entry; nullopt if the database does not answer.
std::optional<std::string> EntryOf(uid_t uid) {
  std::vector<char> buffer(4096);
  for (;;) {
    passwd entry = {};
    passwd* found = nullptr;
    const int error = getpwuid_r(uid, &entry, buffer.data(), buffer.size(), &found);
    if (error == ERANGE && buffer.size() < kLongestEntry) {
      buffer.resize(buffer.size() * 4);
    } else if (error == 0 || error == ENOENT || error == ESRCH) {
      return found == nullptr ? std::string() : std::string(found->pw_name);
    } else if (error != EINTR) {
      return std::nullopt;
    }
  }
}

}  // namespace

std::string UserName(uid_t uid, std::string_view entry) {
  // A colon would make it a system name (system:masters), and "uid-7" would be another user's name.
  const bool usable = !entry.empty() && !entry.starts_with(kUnnamed) && std::all_of(entry.begin(), entry.end(), IsPlain);
  return usable ? std::string(entry) : StrCat(kUnnamed, static_cast<uint64_t>(uid));
}

std::optional<std::string> UserName(uid_t uid) {
  const std::optional<std::string> entry = EntryOf(uid);
  if (!entry) return std::nullopt;
  return UserName(uid, *entry);
}

bool HasEntry(std::string_view user) {
  if (!user.starts_with(kUnnamed)) return true;
  const std::string_view digits = user.substr(kUnnamed.size());
  uid_t uid = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), uid);
  const std::optional<std::string> entry = EntryOf(uid);
  return entry && !entry->empty();
}

std::string SpaceOf(std::string_view user) { return IsLabel(user) && !IsReserved(user) ? std::string(user) : MappedSpaceOf(user); }

std::string MappedSpaceOf(std::string_view user) { return StrCat(kMapped, Readable(user), "-", http::Sha256Hex(user).substr(0, kDigits)); }

}  // namespace allot::apiserver

#pragma once
// Bearer tokens, in files of the form that kube-apiserver's --token-auth-file has: token,user,uid,"group,group".
//
// Instead of a token a line may hold its hash: sha256:<64 digits>. Those that the server gives out are kept so, and nobody can use what is
// in the file. Lines that are empty or begin with # are passed over. A file that changes counts from the next request on: a line that is
// deleted is a token that is revoked.
// Tokens are found by their hash, so the time that it takes tells nothing of a token. None is ever part of a message.
// Thread-safe.

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/access.h"
#include "base/file_system.h"
#include "base/random.h"

namespace allot::apiserver {

class Tokens {
 public:
  static constexpr size_t kMostOfAUser = 10;

  struct Paths {
    std::string issued;  // of those that the server gives out; need not be there
    std::string given;   // of the admin's; empty: there is none
  };

  // kInvalid names the file, the line and what is wrong with it. `files` and `random` must outlive it.
  static Result<std::unique_ptr<Tokens>> Open(FileSystem& files, Random& random, Paths paths);

  // A token that is in no file.
  void Add(std::string_view token, Identity owner);

  // Whose token this is (without their namespace). After Open a line that is wrong counts as if it was not there.
  std::optional<Identity> Find(std::string_view token);

  // A new token of theirs. They may have ten: the oldest goes. Users without an entry of the system get none (403): one person may be any
  // number of them. kExhausted where the file would be too long.
  Result<std::string> Issue(const Identity& owner);

 private:
  using Owners = std::map<std::string, Identity, std::less<>>;  // by hash
  struct File {
    std::string path;
    std::optional<FileStamp> stamp = {};  // of what was read; nothing: it was not there
    Owners owners = {};
  };

  Tokens(FileSystem& files, Random& random) : files_(files), random_(random) {}
  Status Refresh(File& file);

  FileSystem& files_;
  Random& random_;
  std::mutex issuing_;  // one Issue at a time; no Find waits for its write
  std::mutex mutex_;
  Owners fixed_;
  File issued_, given_;
};

}  // namespace allot::apiserver

#pragma once
// Bearer tokens, in files of kube-apiserver's --token-auth-file format: token,user,uid,"group,group".
//
// A line may have a token's hash instead: sha256:<64 digits>. Tokens that the server issues are stored that way, so the file does not
// reveal them. Empty lines and lines that begin with # are skipped. A change of a file takes effect with the next request: deleting a line
// revokes the token.
// Tokens are looked up by hash, so the time of a lookup reveals nothing about a token. No message contains a token.
// Thread-safe.

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/access/access.h"
#include "base/file_system.h"
#include "base/random.h"

namespace allot::apiserver {

class Tokens {
 public:
  static constexpr size_t kMostOfAUser = 10;

  struct Paths {
    std::string issued;  // tokens that the server issues; may be missing
    std::string given;   // the admin's tokens; empty: none
  };

  // Returns kInvalid with the file, the line and what is wrong. `files` and `random` must outlive it.
  static Result<std::unique_ptr<Tokens>> Open(FileSystem& files, Random& random, Paths paths);

  // Adds a token that is in no file.
  void Add(std::string_view token, Identity owner);

  // Returns the owner of a token (without their namespace). After Open, an invalid line is ignored.
  std::optional<Identity> Find(std::string_view token);

  // Issues a token. A user may have ten; the oldest is dropped. A user without an entry in the system gets none (403), because one person
  // may have any number of such ids. Returns kExhausted if the file would be too long.
  Result<std::string> Issue(const Identity& owner);

 private:
  using Owners = std::map<std::string, Identity, std::less<>>;  // by hash
  struct File {
    std::string path;
    std::optional<FileStamp> stamp = {};  // of the content read; nullopt: the file was missing
    Owners owners = {};
  };

  Tokens(FileSystem& files, Random& random) : files_(files), random_(random) {}
  Status Refresh(File& file);

  FileSystem& files_;
  Random& random_;
  std::mutex issuing_;  // one Issue at a time; Find does not wait for its write
  std::mutex mutex_;
  Owners fixed_;
  File issued_, given_;
};

}  // namespace allot::apiserver

#pragma once
// Access on one machine: tokens, the users of the system, and one table of rights.

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "apiserver/access/access.h"
#include "apiserver/access/tokens.h"

namespace allot::apiserver {

class TableAccess final : public Access {
 public:
  struct Options {
    std::set<uid_t> admins;  // users of the system with all rights over the unix socket
    // Returns a user's name in the system, or nullopt if the system does not answer. Default: UserName (local_users.h); tests replace it.
    std::function<std::optional<std::string>(uid_t)> name = {};
  };

  // `tokens` must outlive it.
  TableAccess(Tokens& tokens, Options options) : tokens_(tokens), options_(std::move(options)) {}

  // Returns the owner of the bearer token, or else the peer of the unix socket. A wrong token identifies no user, even over the socket. An
  // admin who sends Impersonate-User acts as that user, with the groups in Impersonate-Group (kubectl --as); any other user who does so is
  // refused everything.
  std::optional<Identity> Identify(const http::RequestContext& context) const override;
  Status Allow(const Identity& who, const Ask& what) const override;

 private:
  std::optional<Identity> Prove(const http::RequestContext& context) const;

  Tokens& tokens_;
  const Options options_;
};

// Returns the table for people to read.
std::string WriteAccessTable();

}  // namespace allot::apiserver

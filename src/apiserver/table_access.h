#pragma once
// Who may do what on one machine: tokens, the users of the system, and one table.

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "apiserver/access.h"
#include "apiserver/tokens.h"

namespace allot::apiserver {

class TableAccess final : public Access {
 public:
  struct Options {
    std::set<uid_t> admins;  // users of the system who may do everything by the unix socket
    // What the system calls a user; nothing: it cannot tell. UserName (local_users.h) unless a test says otherwise.
    std::function<std::optional<std::string>(uid_t)> name = {};
  };

  // `tokens` must outlive it.
  TableAccess(Tokens& tokens, Options options) : tokens_(tokens), options_(std::move(options)) {}

  // The owner of the bearer token, or else who is at the other end of the unix socket. A token that is wrong is nobody's, also there.
  // An admin who sends Impersonate-User is that user, of the groups that Impersonate-Group names (kubectl --as); others who do may nothing.
  std::optional<Identity> Identify(const http::RequestContext& context) const override;
  Status Allow(const Identity& who, const Ask& what) const override;

 private:
  std::optional<Identity> Prove(const http::RequestContext& context) const;

  Tokens& tokens_;
  const Options options_;
};

// The table, for people.
std::string WriteAccessTable();

}  // namespace allot::apiserver

#pragma once
// Gives each user a namespace, created on the user's first request.

#include "apiserver/access/access.h"
#include "apiserver/api.h"

namespace allot::apiserver {

// Returns the user of a namespace: its annotation allot.dev/user. Empty if it has none or does not exist.
std::string UserOfSpace(const Store& store, std::string_view space);

// An Access that creates the namespace of each identified user (Identity::space), with the user's name in the annotation allot.dev/user. A
// namespace of that name without the annotation is not theirs: they get MappedSpaceOf (local_users.h) instead, or none if that belongs to
// another user too. If it cannot be created now (a full disk), the request continues and the next one tries again. Both arguments must
// outlive it.
class OwnNamespaces final : public Access {
 public:
  OwnNamespaces(const Access& access, Api& api) : access_(access), api_(api) {}

  std::optional<Identity> Identify(const http::RequestContext& context) const override;
  Status Allow(const Identity& who, const Ask& what) const override;

 private:
  bool Have(const std::string& space, const std::string& user) const;

  const Access& access_;
  Api& api_;
};

}  // namespace allot::apiserver

#pragma once
// A namespace of their own for each user, made when the server first meets them.

#include "apiserver/access.h"
#include "apiserver/api.h"

namespace allot::apiserver {

// Whose namespace it is: its annotation allot.dev/user. Empty: nobody's, or it is not there.
std::string UserOfSpace(const Store& store, std::string_view space);

// An Access that makes the namespace (Identity::space) of whom it identifies, where it is missing; its annotation allot.dev/user has the
// user's name. A namespace without that annotation is not theirs, whatever it is called: they get MappedSpaceOf (local_users.h) instead,
// and none where that is somebody else's, too. Where it cannot be made now (a full disk), the request goes on, and the next one tries
// again. Both must outlive it.
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

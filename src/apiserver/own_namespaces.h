#pragma once
// A namespace of their own for each user, made when the server first meets them.

#include "apiserver/access.h"
#include "apiserver/api.h"

namespace allot::apiserver {

// An Access that makes the namespace (Identity::space) of whom it identifies, where it is missing; its annotation allot.dev/user has the
// user's name. Where it cannot be made now (a full disk), the request goes on, and the next one tries again. Both must outlive it.
class OwnNamespaces final : public Access {
 public:
  OwnNamespaces(const Access& access, Api& api) : access_(access), api_(api) {}

  std::optional<Identity> Identify(const http::RequestContext& context) const override;
  Status Allow(const Identity& who, const Ask& what) const override { return access_.Allow(who, what); }

 private:
  const Access& access_;
  Api& api_;
};

}  // namespace allot::apiserver

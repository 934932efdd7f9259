#include "apiserver/kinds/strategies.h"

namespace allot::apiserver {

namespace {

// Nothing but metadata is checked.
class ServiceAccounts final : public Strategy {};

}  // namespace

std::shared_ptr<const Strategy> ServiceAccountStrategy() { return std::make_shared<ServiceAccounts>(); }

}  // namespace allot::apiserver

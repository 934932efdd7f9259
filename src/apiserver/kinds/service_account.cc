#include "apiserver/kinds/kind_rules.h"

namespace allot::apiserver {

namespace {

// Only metadata is checked.
class ServiceAccounts final : public KindRules {};

}  // namespace

std::shared_ptr<const KindRules> ServiceAccountKindRules() { return std::make_shared<ServiceAccounts>(); }

}  // namespace allot::apiserver

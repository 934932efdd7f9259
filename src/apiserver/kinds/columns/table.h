#pragma once
// Parts of BuiltInKinds() (kind.h).

#include <memory>
#include <string_view>
#include <vector>

#include "apiserver/kinds/columns/columns.h"
#include "apiserver/kinds/kind.h"

namespace allot::apiserver {

// Makes a kind and derives its other names: "pod" and "PodList" from Pod.
Kind NamedKind(std::string_view api_version, std::string_view plural, std::string_view kind, bool namespaced);

// Kinds that schedulers, kubectl and helm list or watch, and that have no objects here.
std::vector<std::shared_ptr<const Kind>> EmptyKinds();

}  // namespace allot::apiserver

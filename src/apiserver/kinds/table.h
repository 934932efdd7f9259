#pragma once
// The parts of BuiltInKinds() (kind.h).

#include <memory>
#include <string_view>
#include <vector>

#include "apiserver/kinds/columns.h"
#include "apiserver/kinds/kind.h"

namespace allot::apiserver {

// A kind with what follows from its names: "pod" and "PodList" of Pod.
Kind NamedKind(std::string_view api_version, std::string_view plural, std::string_view kind, bool namespaced);

// Kinds that schedulers, kubectl and helm list or watch, of which there is nothing here.
std::vector<std::shared_ptr<const Kind>> EmptyKinds();

}  // namespace allot::apiserver

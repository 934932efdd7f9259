#pragma once
// Makes the system's namespaces and priority classes, which every cluster has.

#include "apiserver/api.h"

namespace allot::apiserver {

// Makes those that are missing. Called at every start.
Status MakeSystemObjects(Api& api);

}  // namespace allot::apiserver

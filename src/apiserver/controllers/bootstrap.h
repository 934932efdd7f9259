#pragma once
// What every cluster has from its first moment: the namespaces and priority classes of the system.

#include "apiserver/api.h"

namespace allot::apiserver {

// Makes what is missing. Every start does it again.
Status MakeSystemObjects(Api& api);

}  // namespace allot::apiserver

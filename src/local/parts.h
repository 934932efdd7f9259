#pragma once
// The parts of `allot up`: the scheduler, the Pods of its nodes, the commands of `allot run`.

#include <memory>
#include <vector>

#include "local/part.h"
#include "local/podman.h"
#include "sched/decide.h"

namespace allot::local {

// In the order in which they are started. `podman`, if any, runs the containers of Pods.
std::vector<PartMaker> AllParts(sched::Strategy strategy, std::shared_ptr<const Podman> podman = nullptr);

}  // namespace allot::local

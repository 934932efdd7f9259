#pragma once
// The parts of `allot up`: the scheduler, the Pods of its nodes, the commands of `allot run`.

#include <memory>
#include <vector>

#include "local/containers/podman.h"
#include "local/part.h"
#include "sched/decide.h"

namespace allot::local {

// All parts, in the order in which they start. `podman` runs the containers of Pods; null: they are processes.
std::vector<PartMaker> AllParts(sched::Strategy strategy, std::shared_ptr<const Podman> podman = nullptr);

}  // namespace allot::local

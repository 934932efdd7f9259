#pragma once
// The last gate: whether a claim's shares fit beside what is held already. Whoever allocated wrongly, the card is not over-committed.

#include <memory>
#include <vector>

#include "base/status.h"
#include "node/holding.h"

namespace allot::node {

// Ok: it fits. kExhausted, naming the holders and what they hold, where the memory would not do; kUnavailable where the settings of a
// holder are in the way. `in_the_way` gets the holders then. A device that does not tell its memory has one holder at a time.
Status CheckFits(const Holding& wanted, const Holdings& others, std::vector<std::shared_ptr<const Holding>>& in_the_way);

}  // namespace allot::node

#pragma once
// The fit check: whether a claim's shares fit beside those that other claims hold. It keeps a wrong allocation from over-committing a
// device.

#include <memory>
#include <vector>

#include "base/status.h"
#include "node/claim_driver.h"
#include "node/prepare/holding.h"

namespace allot::node {

// Ok if the shares fit. kExhausted: the memory is not enough; the message names the holders and what they hold. kUnavailable: `driver` says
// that the settings of a holder do not allow it. After an error `in_the_way` has the holders. A device with unknown memory has one holder
// at a time.
Status CheckFits(const Holding& wanted, const Holdings& others, const ClaimDriver& driver,
                 std::vector<std::shared_ptr<const Holding>>& in_the_way);

}  // namespace allot::node

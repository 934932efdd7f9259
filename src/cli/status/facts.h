#pragma once
// What `allot status` knows, from lists of the API.

#include <string>
#include <vector>

#include "base/status.h"
#include "cli/listing.h"
#include "cli/session.h"
#include "cli/status/screen.h"
#include "view/waiting.h"

namespace allot::cli {

struct StatusLists {
  Listing slices, nodes;
  view::WaitingLists waiting;
};

// Asks for all of them, one after the other. Nothing more where neither slices nor claims may be seen.
StatusLists ListForStatus(Session& session);

// What may not be seen is told in the facts; what else went wrong is an error. `nodes`: only these; kNotFound for one without devices.
// Empty: all. Asks the API for templates of claims that are not made yet.
Result<StatusFacts> FactsOf(Session& session, const StatusLists& lists, const std::vector<std::string>& nodes);

}  // namespace allot::cli

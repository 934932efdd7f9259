#pragma once
// Nodes that call functions.

#include <memory>
#include <string_view>
#include <vector>

#include "cel/actual_cost.h"
#include "cel/declarations.h"
#include "cel/node.h"

namespace allot::cel {

struct CallPlan {
  const Function* function = nullptr;
  const Overload* overload = nullptr;  // nullptr: the arguments decide at run time
  std::string_view overload_id;        // empty when several overloads fit
  bool check_arguments = true;         // their static types do not tell enough
};

// Calls the function with the evaluated arguments.
NodePtr NewCall(const CallPlan& plan, std::vector<NodePtr> args);

// matches, find and findAll with a pattern that is known. kInvalid when the pattern is wrong.
Result<NodePtr> NewRegexCall(const CallPlan& plan, std::vector<NodePtr> args, std::string_view pattern);

}  // namespace allot::cel

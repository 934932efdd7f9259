#pragma once
// Nodes that call functions.

#include <memory>
#include <string_view>
#include <vector>

#include "cel/compile/declarations.h"
#include "cel/eval/actual_cost.h"
#include "cel/eval/node.h"

namespace allot::cel {

struct CallPlan {
  const Function* function = nullptr;
  const Overload* overload = nullptr;  // nullptr: chosen by the arguments at run time
  std::string_view overload_id;        // empty if several overloads fit
  bool check_arguments = true;         // the static types do not guarantee the kinds
};

// Calls the function with the evaluated arguments.
NodePtr NewCall(const CallPlan& plan, std::vector<NodePtr> args);

// Makes a call of matches, find or findAll with a constant pattern. Returns kInvalid if the pattern is invalid.
Result<NodePtr> NewRegexCall(const CallPlan& plan, std::vector<NodePtr> args, std::string_view pattern);

}  // namespace allot::cel

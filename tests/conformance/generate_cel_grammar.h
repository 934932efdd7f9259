#pragma once
// Selectors from a grammar: every function that Kubernetes gives them, well typed unless asked otherwise.

#include <string>

#include "generate_random.h"

namespace allot::conformance {

enum class Type {
  kBool,
  kInt,
  kUint,
  kDouble,
  kString,
  kBytes,
  kQuantity,
  kSemver,
  kInts,
  kStrings,
  kMap,  // string to int
  kDuration,
  kTimestamp,
  kIp,
  kCidr,
  kUrl,
  kOptional,  // of an int
  kAttribute,
};

// The device that a selector is about, and how careless its author is.
struct Subject {
  std::string driver = "gpu.nvidia.com";
  bool lists = false;     // attributes may be lists
  bool sharing = true;    // the device says whether it allows several allocations
  int wrong = 0;          // of a thousand expressions, those of another type than asked for
  int unknown_names = 0;  // percent
};

std::string MakeExpression(Dice& dice, const Subject& subject, Type type, int depth);

}  // namespace allot::conformance

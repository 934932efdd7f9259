#pragma once
// Selectors from a grammar with every function of Kubernetes' CEL environment. They are well typed unless Subject says otherwise.

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

// The device that a selector is for, and how many errors the selector has.
struct Subject {
  std::string driver = "gpu.nvidia.com";
  bool lists = false;     // attributes may be lists
  bool sharing = true;    // the device has allowMultipleAllocations
  int wrong = 0;          // per mille of expressions with a wrong type
  int unknown_names = 0;  // percent of names that the device does not have
};

std::string MakeExpression(Dice& dice, const Subject& subject, Type type, int depth);

}  // namespace allot::conformance

#pragma once
// The limits of a schema for numbers.
//
// kube-apiserver treats a number as an integer if it was written as one, and converts a limit to the type of the number. A limit of 1.5 on
// an integer is an error of its own, and the number is compared with the limit anyway.

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/kinds/custom/schema.h"
#include "base/strings.h"
#include "json/value.h"

namespace allot::apiserver {

struct NumberProblem {
  std::string value;  // as JSON
  std::string detail;
  bool general = false;  // not about the field: kube-apiserver reports no path

  std::string message() const { return StrCat("Invalid value: ", value, ": ", detail); }
};

// Whether it is a whole number that JSON can represent exactly.
bool IsWhole(double number);

// Writes a number as Go does: 10, 0.5, 1e+06.
std::string WriteNumber(double number);

// Returns what is wrong with the number at `path`. REQUIRES: value.IsNumber().
std::vector<NumberProblem> CheckNumber(const CustomSchema& schema, const json::Value& value, std::string_view path);

}  // namespace allot::apiserver

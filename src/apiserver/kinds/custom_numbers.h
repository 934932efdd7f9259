#pragma once
// The limits that a schema has for numbers.
//
// kube-apiserver looks at a number as an integer where it was written as one, and at limits as whatever type the number must have: a limit
// of 1.5 on an integer is a complaint of its own, and the number is compared with it all the same.

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/kinds/custom_schema.h"
#include "base/strings.h"
#include "json/value.h"

namespace allot::apiserver {

struct NumberProblem {
  std::string value;  // as JSON
  std::string detail;
  bool general = false;  // not of the field: kube-apiserver does not say where

  std::string message() const { return StrCat("Invalid value: ", value, ": ", detail); }
};

// A whole number that JSON can tell from its neighbours.
bool IsWhole(double number);

// As Go writes it: 10, 0.5, 1e+06.
std::string WriteNumber(double number);

// What is wrong with the number at `path`. REQUIRES value.IsNumber().
std::vector<NumberProblem> CheckNumber(const CustomSchema& schema, const json::Value& value, std::string_view path);

}  // namespace allot::apiserver

#pragma once
// Matchers on Status and Result<T> for tests. Included by *_test.cc only.
//
//   ASSERT_OK(gpu.Take(holder, amount));
//   EXPECT_THAT(gpu.Take(holder, amount), IsStatus(Code::kExhausted, HasSubstr("0 MiB free")));
//   EXPECT_THAT(Parse("6Gi"), IsOkAndHolds(Eq(six)));
//   ASSERT_OK_AND_ASSIGN(const auto claim, ReadClaim(text));

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>

#include "base/status.h"

namespace allot {

namespace internal {

inline const Status& StatusOf(const Status& status) { return status; }
template <typename T>
const Status& StatusOf(const Result<T>& result) {
  return result.status();
}

}  // namespace internal

inline void PrintTo(const Status& status, std::ostream* out) { *out << status.ToString(); }
template <typename T>
void PrintTo(const Result<T>& result, std::ostream* out) {
  *out << result.status().ToString();
  if (result.ok()) *out << ": " << ::testing::PrintToString(*result);
}

MATCHER(IsOk, negation ? "is an error" : "is ok") { return internal::StatusOf(arg).ok(); }

MATCHER_P2(IsStatus, code, message,
           StrCat("is ", CodeName(code), " with a message that ",
                  ::testing::DescribeMatcher<std::string>(::testing::SafeMatcherCast<std::string>(message), negation))) {
  const Status& status = internal::StatusOf(arg);
  return status.code() == code && ::testing::ExplainMatchResult(message, status.message(), result_listener);
}
inline auto IsStatus(Code code) { return IsStatus(code, ::testing::_); }

MATCHER_P(IsOkAndHolds, value, "is ok and holds a matching value") {
  return arg.ok() && ::testing::ExplainMatchResult(value, *arg, result_listener);
}

}  // namespace allot

#define ASSERT_OK(expression) ASSERT_THAT(expression, ::allot::IsOk())
#define EXPECT_OK(expression) EXPECT_THAT(expression, ::allot::IsOk())

#define ASSERT_OK_AND_ASSIGN(lhs, expression) ASSERT_OK_AND_ASSIGN_IMPL(ALLOT_JOIN(assigned_, __LINE__), lhs, expression)
#define ASSERT_OK_AND_ASSIGN_IMPL(result, lhs, expression) \
  auto result = (expression);                              \
  ASSERT_OK(result);                                       \
  lhs = *std::move(result)

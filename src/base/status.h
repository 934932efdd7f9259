#pragma once
// The outcome of a function that can fail.
//
// Three kinds of failure are kept apart:
//   1. bad input: kInvalid, kNotFound, kUnsupported. The caller must change something; the message names the field and the way out;
//   2. not now: kExhausted, kUnavailable, kConflict. The same call may succeed later;
//   3. a bug: CHECK (base/check.h) stops the program.
// "Does not fit" is an answer with reasons, never a Status.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/strings.h"

namespace allot {

enum class Code {
  kOk,
  kInvalid,      // the input is wrong
  kNotFound,     // what the input names does not exist
  kUnsupported,  // the input is valid, but this program does not support it
  kExhausted,    // a limit is reached or nothing is left
  kUnavailable,  // something outside does not answer, or answers with an error
  kConflict,     // another writer changed it first
};

std::string_view CodeName(Code code);

// Facts about an error beyond its code and message. An area derives its own type from it.
struct ErrorDetails {
  virtual ~ErrorDetails() = default;
};

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Code code, std::string message) : code_(code), message_(std::move(message)) { CHECK(code != Code::kOk); }

  Status(Code code, std::string message, std::shared_ptr<const ErrorDetails> details)
      : code_(code), message_(std::move(message)), details_(std::move(details)) {
    CHECK(code != Code::kOk);
  }

  bool ok() const { return code_ == Code::kOk; }
  Code code() const { return code_; }
  // nullptr if there are no details.
  const ErrorDetails* details() const { return details_.get(); }
  const std::string& message() const { return message_; }

  // Prepends what was being done: "read slice.json: line 3: expected ','". Does nothing if ok.
  template <typename... Parts>
  Status Context(const Parts&... parts) && {
    if (!ok()) message_ = StrCat(parts..., ": ", message_);
    return std::move(*this);
  }

  // "invalid: line 3: expected ','"
  std::string ToString() const;

 private:
  Code code_ = Code::kOk;
  std::string message_;
  std::shared_ptr<const ErrorDetails> details_;
};

template <typename... Parts>
Status Invalid(const Parts&... parts) {
  return Status(Code::kInvalid, StrCat(parts...));
}
template <typename... Parts>
Status NotFound(const Parts&... parts) {
  return Status(Code::kNotFound, StrCat(parts...));
}
template <typename... Parts>
Status Unsupported(const Parts&... parts) {
  return Status(Code::kUnsupported, StrCat(parts...));
}
template <typename... Parts>
Status Exhausted(const Parts&... parts) {
  return Status(Code::kExhausted, StrCat(parts...));
}
template <typename... Parts>
Status Unavailable(const Parts&... parts) {
  return Status(Code::kUnavailable, StrCat(parts...));
}
template <typename... Parts>
Status Conflict(const Parts&... parts) {
  return Status(Code::kConflict, StrCat(parts...));
}

// A T, or the Status that says why there is none.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}                                 // NOLINT(google-explicit-constructor)
  Result(Status status) : status_(std::move(status)) { CHECK(!status_.ok()); }  // NOLINT(google-explicit-constructor)

  bool ok() const { return value_.has_value(); }
  const Status& status() const& { return status_; }
  Status status() && { return std::move(status_); }

  // REQUIRES: ok().
  T& value() & { return CHECK(ok()), *value_; }
  const T& value() const& { return CHECK(ok()), *value_; }
  T value() && { return CHECK(ok()), std::move(*value_); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  template <typename... Parts>
  Result Context(const Parts&... parts) && {
    if (!ok()) status_ = std::move(status_).Context(parts...);
    return std::move(*this);
  }

 private:
  std::optional<T> value_;
  Status status_;
};

}  // namespace allot

// Returns from the enclosing function when `expression` (a Status) is not ok.
#define TRY(expression)                                                                 \
  do {                                                                                  \
    if (::allot::Status try_status = (expression); !try_status.ok()) return try_status; \
  } while (false)

#define ALLOT_JOIN2(a, b) a##b
#define ALLOT_JOIN(a, b) ALLOT_JOIN2(a, b)

// ASSIGN_OR_RETURN(const auto x, MakeX()) assigns the value to x or returns the error from the enclosing function.
#define ASSIGN_OR_RETURN(lhs, expression) ASSIGN_OR_RETURN_IMPL(ALLOT_JOIN(result_, __LINE__), lhs, expression)
#define ASSIGN_OR_RETURN_IMPL(result, lhs, expression) \
  auto result = (expression);                          \
  if (!result.ok()) return std::move(result).status(); \
  lhs = *std::move(result)

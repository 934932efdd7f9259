#pragma once
// The errno behind an error, as details of a Status, so that callers need not inspect the message.

#include "base/status.h"

namespace allot {

struct SystemError : ErrorDetails {
  explicit SystemError(int error = 0) : number(error) {}

  int number;  // an errno: ENOSPC, EADDRINUSE, ...; 0: none
};

// Returns kUnavailable with the parts as its message and the errno as its details.
template <typename... Parts>
Status SystemFailure(int number, const Parts&... parts) {
  return Status(Code::kUnavailable, StrCat(parts...), std::make_shared<SystemError>(number));
}

// Returns the errno behind the error, or 0 if there is none or it is unknown.
inline int SystemErrorOf(const Status& status) {
  const auto* const error = dynamic_cast<const SystemError*>(status.details());
  return error == nullptr ? 0 : error->number;
}

}  // namespace allot

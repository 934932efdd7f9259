#pragma once
// The Status object of a failed Kubernetes API call, as details of allot's Status.

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "http/message.h"

namespace allot::kube {

struct ApiError : ErrorDetails {
  struct Cause {
    std::string reason, message, field;
  };

  int http_status = 0;
  std::string reason;   // "NotFound", "AlreadyExists", "Conflict", "Invalid", "Expired"; empty if the server gave none
  std::string message;  // the server's own words
  std::vector<Cause> causes;
  std::optional<std::chrono::seconds> retry_after;
};

// Returns the API's answer behind the error, or nullptr if there was none (no connection, bad config).
const ApiError* ApiErrorOf(const Status& status);
// Returns whether the API gave this reason.
bool HasReason(const Status& status, std::string_view reason);
// Returns whether the caller's resourceVersion has left the server's history: list again.
bool IsExpired(const Status& status);

// Makes the error of an unsuccessful response. NotFound is kNotFound; Conflict and AlreadyExists are kConflict; 400, 401, 403, 405, 406,
// 415 and 422 are kInvalid; all others are kUnavailable. The message is the server's, or describes a response without one.
Status ErrorOf(const http::Response& response);
// The same for a Status object in the stream of a watch.
Status ErrorOfStatus(std::string_view status_json, int http_status);

}  // namespace allot::kube

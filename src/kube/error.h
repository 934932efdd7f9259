#pragma once
// What a Kubernetes API answers when it refuses: its Status object, as details of our Status.

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
  std::string reason;   // "NotFound", "AlreadyExists", "Conflict", "Invalid", "Expired"; empty where the server said none
  std::string message;  // as the server said it
  std::vector<Cause> causes;
  std::optional<std::chrono::seconds> retry_after;
};

// The answer of the API that is behind the error; nullptr where there was none (no connection, bad config).
const ApiError* ApiErrorOf(const Status& status);
// Whether the API refused for this reason.
bool HasReason(const Status& status, std::string_view reason);
// The state that the caller goes by is gone from the server's history: list again.
bool IsExpired(const Status& status);

// Of a response that is no success. Codes: NotFound is kNotFound; Conflict and AlreadyExists kConflict; 400, 405, 406, 415, 422, 401 and
// 403 kInvalid; all others kUnavailable. The message is the server's, or what is known of an answer without one.
Status ErrorOf(const http::Response& response);
// The same of a Status object in the stream of a watch.
Status ErrorOfStatus(std::string_view status_json, int http_status);

}  // namespace allot::kube

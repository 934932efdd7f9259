#include "kube/error.h"

#include <algorithm>
#include <charconv>

#include "json/json.h"
#include "kube/object.h"

namespace allot::kube {
namespace {

constexpr int64_t kLongestRetry = 24 * 3600;  // seconds; longer waits are pointless, and the limit prevents overflow

Code CodeOf(int http_status, std::string_view reason) {
  if (reason == "Expired" || reason == "Gone" || http_status == 410) return Code::kUnavailable;
  switch (http_status) {
    case 404: return Code::kNotFound;
    case 409: return Code::kConflict;
    case 400:
    case 401:
    case 403:
    case 405:
    case 406:
    case 413:
    case 415:
    case 422: return Code::kInvalid;
    default: return Code::kUnavailable;
  }
}

std::optional<std::chrono::seconds> Seconds(std::string_view text) {
  int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || seconds < 0) return std::nullopt;
  return std::chrono::seconds(std::min(seconds, kLongestRetry));
}

std::shared_ptr<ApiError> Read(std::string_view body, int http_status) {
  auto error = std::make_shared<ApiError>();
  error->http_status = http_status;
  const Result<json::Document> document = json::Parse(body);
  if (!document.ok() || Object::Text(document->root()["kind"]) != "Status") return error;
  const json::Value& status = document->root();
  error->reason = Object::Text(status["reason"]);
  error->message = Object::Text(status["message"]);
  if (status["code"].IsNumber()) error->http_status = static_cast<int>(status["code"].AsInt64().value_or(http_status));
  const json::Value& details = status["details"];
  if (details["retryAfterSeconds"].IsNumber()) {
    if (const auto seconds = details["retryAfterSeconds"].AsInt64(); seconds && *seconds > 0)
      error->retry_after = std::chrono::seconds(std::min(*seconds, kLongestRetry));
  }
  if (details["causes"].IsArray()) {
    for (const json::Value& cause : details["causes"].Items()) {
      error->causes.push_back({std::string(Object::Text(cause["reason"])), std::string(Object::Text(cause["message"])),
                               std::string(Object::Text(cause["field"]))});
    }
  }
  return error;
}

Status StatusOf(std::shared_ptr<ApiError> error, std::string_view body) {
  std::string message = error->message;
  if (message.empty()) {
    // Not a Status object: the response is from a proxy, or from another program at that address.
    message = StrCat("the server answered ", error->http_status, " ", http::ReasonPhrase(error->http_status));
    const std::string_view text = Trim(body.substr(0, 200));
    if (!text.empty()) message += StrCat(": ", Quoted(text));
  }
  const Code code = CodeOf(error->http_status, error->reason);
  return Status(code, std::move(message), std::move(error));
}

}  // namespace

const ApiError* ApiErrorOf(const Status& status) { return dynamic_cast<const ApiError*>(status.details()); }

bool HasReason(const Status& status, std::string_view reason) {
  const ApiError* const error = ApiErrorOf(status);
  return error != nullptr && error->reason == reason;
}

bool IsExpired(const Status& status) {
  const ApiError* const error = ApiErrorOf(status);
  return error != nullptr && (error->http_status == 410 || error->reason == "Expired" || error->reason == "Gone");
}

Status ErrorOf(const http::Response& response) {
  std::shared_ptr<ApiError> error = Read(response.body, response.status);
  if (!error->retry_after) error->retry_after = Seconds(Trim(response.headers.Get("Retry-After")));
  return StatusOf(std::move(error), response.body);
}

Status ErrorOfStatus(std::string_view status_json, int http_status) { return StatusOf(Read(status_json, http_status), status_json); }

}  // namespace allot::kube

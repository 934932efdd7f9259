#pragma once
// A refused request: the Status object that kube-apiserver would send, as details of allot's Status.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/field_errors.h"
#include "base/status.h"

namespace allot::apiserver {

struct Kind;

struct Refusal : ErrorDetails {
  int code = 500;
  std::string reason;  // "NotFound"; empty: none
  // details
  std::string name, group, kind, uid;
  std::vector<FieldError> causes;
  std::optional<int> retry_after_seconds;
};

// Returns the refusal behind an error, or nullptr; the error is then an internal one, 500.
const Refusal* RefusalOf(const Status& status);
bool HasReason(const Status& status, std::string_view reason);

// `configmaps "a" not found`, `resourceclaims.resource.k8s.io "a" not found`
Status NotFound(const Kind& kind, std::string_view name);
Status AlreadyExists(const Kind& kind, std::string_view name);
// 409: `Operation cannot be fulfilled on configmaps "a": why`
Status ConflictOn(const Kind& kind, std::string_view name, std::string_view why);
// 422: `ResourceClaim.resource.k8s.io "a" is invalid: spec.x: Required value`. REQUIRES: at least one error.
Status InvalidObject(const Kind& kind, std::string_view name, const FieldErrors& errors);
// 403: `pods "p" is forbidden: why`
Status ForbiddenOn(const Kind& kind, std::string_view name, std::string_view why, std::vector<FieldError> causes = {});

Status BadRequest(std::string message);                                 // 400 BadRequest
Status InvalidOptions(std::string_view of, const FieldErrors& errors);  // 422 for `ListOptions.meta.k8s.io "" is invalid: ...`
Status MethodNotAllowed();                                              // 405
Status NoSuchPath();                                                    // 404 "the server could not find the requested resource"
Status Expired(std::string message);                                    // 410
Status VersionTooLarge(uint64_t asked, uint64_t current);               // 504 Timeout, ResourceVersionTooLarge, retry after 1 s
Status InternalError(std::string message);                              // 500 InternalError
Status Refuse(int code, std::string_view reason, std::string message);  // anything else

// Writes the Status object as JSON. An error without a Refusal is a 500.
std::string WriteStatus(const Status& status);
int CodeOf(const Status& status);

}  // namespace allot::apiserver

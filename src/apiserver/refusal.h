#pragma once
// A request that is refused: the Status object that kube-apiserver would answer with, as details of our Status.

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

// The refusal behind an error; nullptr where there is none (then it is an internal error, 500).
const Refusal* RefusalOf(const Status& status);
bool HasReason(const Status& status, std::string_view reason);

// `configmaps "a" not found`, `resourceclaims.resource.k8s.io "a" not found`
Status NotFound(const Kind& kind, std::string_view name);
Status AlreadyExists(const Kind& kind, std::string_view name);
// 409: `Operation cannot be fulfilled on configmaps "a": why`
Status ConflictOn(const Kind& kind, std::string_view name, std::string_view why);
// 422: `ResourceClaim.resource.k8s.io "a" is invalid: spec.x: Required value`. REQUIRES an error.
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

// The Status object as JSON. What has no Refusal is a 500.
std::string WriteStatus(const Status& status);
int CodeOf(const Status& status);

}  // namespace allot::apiserver

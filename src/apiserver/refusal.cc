#include "apiserver/refusal.h"

#include "apiserver/kinds/kind.h"
#include "json/builder.h"
#include "json/json.h"

namespace allot::apiserver {

namespace {

Code CodeFor(int http) {
  switch (http) {
    case 404: return Code::kNotFound;
    case 409: return Code::kConflict;
    case 405:
    case 406:
    case 415:
    case 501: return Code::kUnsupported;
    case 413:
    case 429: return Code::kExhausted;
    default: return http < 500 ? Code::kInvalid : Code::kUnavailable;
  }
}

Status Made(std::string message, Refusal refusal) {
  const Code code = CodeFor(refusal.code);
  return Status(code, std::move(message), std::make_shared<const Refusal>(std::move(refusal)));
}

Refusal On(const Kind& kind, std::string_view name, int code, std::string_view reason) {
  Refusal refusal;
  refusal.code = code;
  refusal.reason = reason;
  refusal.name = name;
  refusal.group = kind.type.group;
  refusal.kind = kind.type.plural;
  return refusal;
}

// "a: b", or "[a: b, c: d]" for several.
std::string Joined(const FieldErrors& errors) {
  std::string text;
  for (const FieldError& error : errors.all()) text += StrCat(text.empty() ? "" : ", ", error.field, ": ", error.message);
  return errors.size() > 1 ? StrCat("[", text, "]") : text;
}

Status InvalidNamed(std::string_view group, std::string_view kind, std::string_view name, const FieldErrors& errors) {
  Refusal refusal;
  refusal.code = 422;
  refusal.reason = "Invalid";
  refusal.name = name;
  refusal.group = group;
  refusal.kind = kind;
  refusal.causes = errors.all();
  const std::string qualified = group.empty() ? std::string(kind) : StrCat(kind, ".", group);
  return Made(StrCat(qualified, " \"", name, "\" is invalid: ", Joined(errors)), std::move(refusal));
}

}  // namespace

const Refusal* RefusalOf(const Status& status) { return dynamic_cast<const Refusal*>(status.details()); }

bool HasReason(const Status& status, std::string_view reason) {
  const Refusal* refusal = RefusalOf(status);
  return refusal != nullptr && refusal->reason == reason;
}

Status NotFound(const Kind& kind, std::string_view name) {
  return Made(StrCat(kind.type.FullName(), " \"", name, "\" not found"), On(kind, name, 404, "NotFound"));
}

Status AlreadyExists(const Kind& kind, std::string_view name) {
  return Made(StrCat(kind.type.FullName(), " \"", name, "\" already exists"), On(kind, name, 409, "AlreadyExists"));
}

Status ConflictOn(const Kind& kind, std::string_view name, std::string_view why) {
  return Made(StrCat("Operation cannot be fulfilled on ", kind.type.FullName(), " \"", name, "\": ", why), On(kind, name, 409, "Conflict"));
}

Status ForbiddenOn(const Kind& kind, std::string_view name, std::string_view why, std::vector<FieldError> causes) {
  Refusal refusal = On(kind, name, 403, "Forbidden");
  refusal.causes = std::move(causes);
  const std::string subject = name.empty() ? kind.type.FullName() : StrCat(kind.type.FullName(), " \"", name, "\"");
  return Made(StrCat(subject, " is forbidden: ", why), std::move(refusal));
}

Status InvalidObject(const Kind& kind, std::string_view name, const FieldErrors& errors) {
  return InvalidNamed(kind.type.group, kind.type.kind, name, errors);
}

Status InvalidOptions(std::string_view of, const FieldErrors& errors) { return InvalidNamed("meta.k8s.io", of, "", errors); }

Status Refuse(int code, std::string_view reason, std::string message) {
  Refusal refusal;
  refusal.code = code;
  refusal.reason = reason;
  return Made(std::move(message), std::move(refusal));
}

Status BadRequest(std::string message) { return Refuse(400, "BadRequest", std::move(message)); }
Status MethodNotAllowed() { return Refuse(405, "MethodNotAllowed", "the server does not allow this method on the requested resource"); }
Status NoSuchPath() { return Refuse(404, "NotFound", "the server could not find the requested resource"); }
Status Expired(std::string message) { return Refuse(410, "Expired", std::move(message)); }
Status InternalError(std::string message) { return Refuse(500, "InternalError", std::move(message)); }

Status VersionTooLarge(uint64_t asked, uint64_t current) {
  Refusal refusal;
  refusal.code = 504;
  refusal.reason = "Timeout";
  refusal.retry_after_seconds = 1;
  refusal.causes.push_back({"ResourceVersionTooLarge", "", "Too large resource version"});
  return Made(StrCat("Timeout: Too large resource version: ", asked, ", current: ", current), std::move(refusal));
}

int CodeOf(const Status& status) {
  const Refusal* refusal = RefusalOf(status);
  return refusal == nullptr ? 500 : refusal->code;
}

std::string WriteStatus(const Status& status) {
  const Refusal none;
  const Refusal* refusal = RefusalOf(status);
  if (refusal == nullptr) refusal = &none;
  json::Arena arena;
  json::Builder out(arena);
  const auto text = [&](std::string_view key, std::string_view value) {
    if (value.empty()) return;
    out.SharedKey(key);
    out.String(value);
  };
  out.StartObject();
  text("kind", "Status");
  text("apiVersion", "v1");
  out.SharedKey("metadata");
  out.StartObject();
  out.EndObject();
  text("status", "Failure");
  text("message", status.message());
  text("reason", refusal->reason);
  if (!refusal->name.empty() || !refusal->kind.empty() || !refusal->causes.empty() || refusal->retry_after_seconds) {
    out.SharedKey("details");
    out.StartObject();
    text("name", refusal->name);
    text("group", refusal->group);
    text("kind", refusal->kind);
    text("uid", refusal->uid);
    if (!refusal->causes.empty()) {
      out.SharedKey("causes");
      out.StartArray();
      for (const FieldError& cause : refusal->causes) {
        out.StartObject();
        text("reason", cause.reason);
        text("message", cause.message);
        text("field", cause.field);
        out.EndObject();
      }
      out.EndArray();
    }
    if (refusal->retry_after_seconds) {
      out.SharedKey("retryAfterSeconds");
      out.Int(*refusal->retry_after_seconds);
    }
    out.EndObject();
  }
  out.SharedKey("code");
  out.Int(refusal->code);
  out.EndObject();
  return json::Write(out.Finish());
}

}  // namespace allot::apiserver

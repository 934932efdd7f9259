#include "apiserver/kinds/pod/probes.h"

#include "apiserver/json_names.h"

#include <algorithm>

namespace allot::apiserver {

namespace {

bool IsHeaderName(std::string_view text) {
  const auto good = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-'; };
  return !text.empty() && std::all_of(text.begin(), text.end(), good);
}

void CheckGet(const FieldPath& field, const json::Value& get, FieldErrors& errors) {
  if (TextOf(get["path"]).empty()) errors.Required(field.Child("path"));
  CheckPortNumberOrName(field.Child("port"), get["port"], errors);
  CheckSupported(field.Child("scheme"), TextOf(get["scheme"]), {"HTTP", "HTTPS"}, errors);
  for (const json::Value& header : ItemsOf(get["httpHeaders"])) {
    if (IsHeaderName(TextOf(header["name"]))) continue;
    errors.Invalid(field.Child("httpHeaders"), TextOf(header["name"]),
                   "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is "
                   "'[-A-Za-z0-9]+')");
  }
}

void CheckAction(const FieldPath& field, std::string_view kind, const json::Value& action, int64_t grace_seconds, FieldErrors& errors) {
  if (kind == "exec" && ItemsOf(action["command"]).empty()) errors.Required(field.Child("command"));
  if (kind == "httpGet") CheckGet(field, action, errors);
  if (kind == "tcpSocket" || kind == "grpc") CheckPortNumberOrName(field.Child("port"), action["port"], errors);
  const int64_t seconds = IntOf(action["seconds"]);
  if (kind == "sleep" && (seconds < 0 || seconds > grace_seconds)) {
    errors.Invalid(field, seconds, StrCat("must be non-negative and less than terminationGracePeriodSeconds (", grace_seconds, ")"));
  }
}

// Requires exactly one action. Other members belong to the probe.
void CheckHandler(const FieldPath& field, const json::Value& handler, int64_t grace_seconds, FieldErrors& errors) {
  bool has_action = false;
  for (const std::string_view kind : {"exec", "httpGet", "tcpSocket", "grpc", "sleep"}) {
    if (!IsSet(handler[kind])) continue;
    if (has_action) {
      errors.Forbidden(field.Child(kind), "may not specify more than 1 handler type");
    } else {
      CheckAction(field.Child(kind), kind, handler[kind], grace_seconds, errors);
    }
    has_action = true;
  }
  if (!has_action) errors.Required(field, "must specify a handler type");
}

enum class ProbeOf { kLiveness, kReadiness, kStartup };

void CheckProbe(const FieldPath& field, const json::Value& probe, ProbeOf what, int64_t grace_seconds, FieldErrors& errors) {
  if (!IsSet(probe)) return;
  CheckHandler(field, probe, grace_seconds, errors);
  CheckNonnegativeMembers(field, probe, {"initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"},
                          errors);
  const json::Value& grace = probe["terminationGracePeriodSeconds"];
  const FieldPath grace_field = field.Child("terminationGracePeriodSeconds");
  if (IsSet(grace) && IntOf(grace) <= 0) errors.Invalid(grace_field, IntOf(grace), "must be greater than 0");
  if (what == ProbeOf::kReadiness) {
    if (IsSet(grace)) errors.Invalid(grace_field, IntOf(grace), "must not be set for readinessProbes");
  } else if (IntOf(probe["successThreshold"]) != 1) {
    errors.Invalid(field.Child("successThreshold"), IntOf(probe["successThreshold"]), "must be 1");
  }
}

}  // namespace

void CheckProbesAndHooks(const FieldPath& field, const json::Value& container, int64_t grace_seconds, FieldErrors& errors) {
  const json::Value& lifecycle = container["lifecycle"];
  for (const std::string_view hook : {"postStart", "preStop"}) {
    if (IsSet(lifecycle[hook])) CheckHandler(field.Child("lifecycle").Child(hook), lifecycle[hook], grace_seconds, errors);
  }
  CheckProbe(field.Child("livenessProbe"), container["livenessProbe"], ProbeOf::kLiveness, grace_seconds, errors);
  CheckProbe(field.Child("readinessProbe"), container["readinessProbe"], ProbeOf::kReadiness, grace_seconds, errors);
  CheckProbe(field.Child("startupProbe"), container["startupProbe"], ProbeOf::kStartup, grace_seconds, errors);
}

}  // namespace allot::apiserver

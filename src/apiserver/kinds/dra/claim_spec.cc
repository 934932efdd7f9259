#include "apiserver/kinds/dra/claim_spec.h"

#include "apiserver/kinds/checks.h"
#include "apiserver/kinds/dra/checks.h"

namespace allot::apiserver {

namespace {

constexpr size_t kMaxAlternatives = 8;

std::string_view NameOf(const json::Value& request) { return json::TextOf(request["name"]); }

// Checks what an exact request and an alternative have in common.
void CheckRequestedDevices(const FieldPath& field, const json::Value& request, FieldErrors& errors) {
  const std::string_view device_class = json::TextOf(request["deviceClassName"]);
  if (device_class.empty()) {
    errors.Required(field.Child("deviceClassName"));
  } else {
    CheckDnsSubdomain(field.Child("deviceClassName"), device_class, errors);
  }
  CheckSelectors(field.Child("selectors"), request["selectors"], errors);

  const std::string_view mode = json::TextOf(request["allocationMode"]);
  const int64_t count = IntOf(request["count"]);
  if (mode == "All") {
    if (count != 0) errors.Invalid(field.Child("count"), count, "must not be specified when allocationMode is 'All'");
  } else if (mode == "ExactCount") {
    if (count <= 0) errors.Invalid(field.Child("count"), count, "must be greater than zero");
  } else {
    errors.NotSupported(field.Child("allocationMode"), mode, {"All", "ExactCount"});
  }

  // No limit: kube-apiserver 1.36 documents 16 tolerations but does not enforce it.
  CheckList(field.Child("tolerations"), request["tolerations"], kNoLimit, errors,
            [&](const FieldPath& at, const json::Value& toleration) { CheckDeviceToleration(at, toleration, errors); });
}

void CheckRequest(const FieldPath& field, const json::Value& request, FieldErrors& errors) {
  CheckDnsLabel(field.Child("name"), NameOf(request), errors);
  const json::Value& exactly = request["exactly"];
  const json::Value& alternatives = request["firstAvailable"];
  const bool has_exactly = !exactly.IsNull();
  const bool has_alternatives = !json::ItemsOf(alternatives).empty();
  if (has_exactly && has_alternatives) {
    errors.Invalid(field, json::Value(), "exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set");
  } else if (has_exactly) {
    CheckRequestedDevices(field.Child("exactly"), exactly, errors);
  } else if (has_alternatives) {
    CheckSet(field.Child("firstAvailable"), alternatives, kMaxAlternatives, errors, NameOf,
             [&](const FieldPath& at, const json::Value& alternative) {
               CheckDnsLabel(at.Child("name"), NameOf(alternative), errors);
               CheckRequestedDevices(at, alternative, errors);
             });
  } else {
    errors.Required(field, "exactly one of `exactly` or `firstAvailable` is required");
  }
}

void CheckConstraint(const FieldPath& field, const json::Value& constraint, const RequestNames& names, FieldErrors& errors) {
  CheckRequestReferences(field.Child("requests"), constraint["requests"], names, errors);
  const json::Value& match = constraint["matchAttribute"];
  const json::Value& distinct = constraint["distinctAttribute"];
  if (!match.IsNull()) {
    CheckFullyQualifiedName(field.Child("matchAttribute"), json::TextOf(match), errors);
  } else if (!distinct.IsNull()) {
    CheckFullyQualifiedName(field.Child("distinctAttribute"), json::TextOf(distinct), errors);
  } else {
    errors.Required(field, "exactly one of \"matchAttribute\" or \"distinctAttribute\" is required, but multiple fields are set");
  }
}

json::Value DefaultRequestedDevices(json::Editor& edit, json::Value request) {
  if (json::TextOf(request["allocationMode"]).empty()) request = edit.Set(request, "allocationMode", edit.Literal("ExactCount"));
  if (json::TextOf(request["allocationMode"]) == "ExactCount" && IntOf(request["count"]) == 0) {
    request = edit.Set(request, "count", edit.Int(1));
  }
  return DefaultTolerations(edit, request);
}

json::Value DefaultRequest(json::Editor& edit, json::Value request) {
  if (const json::Value& exactly = request["exactly"]; exactly.IsObject()) {
    request = edit.Set(request, "exactly", DefaultRequestedDevices(edit, exactly));
  }
  if (const json::Value& alternatives = request["firstAvailable"]; alternatives.IsArray()) {
    request = edit.Set(request, "firstAvailable",
                       edit.Map(alternatives, [&](const json::Value& alternative) { return DefaultRequestedDevices(edit, alternative); }));
  }
  return request;
}

}  // namespace

RequestNames::RequestNames(const json::Value& devices) {
  for (const json::Value& request : json::ItemsOf(devices["requests"])) {
    std::set<std::string_view>& alternatives = names_[NameOf(request)];
    alternatives.clear();
    for (const json::Value& alternative : json::ItemsOf(request["firstAvailable"])) alternatives.insert(NameOf(alternative));
  }
}

bool RequestNames::Has(std::string_view name) const {
  const size_t slash = name.find('/');
  const auto request = names_.find(name.substr(0, slash));
  if (request == names_.end()) return false;
  return slash == std::string_view::npos || request->second.contains(name.substr(slash + 1));
}

void CheckRequestReference(const FieldPath& field, std::string_view name, const RequestNames& names, FieldErrors& errors) {
  const auto parts = Split(name, '/');
  if (parts.size() <= 2) {
    for (const std::string_view part : parts) CheckDnsLabel(field, part, errors);
    if (names.Has(name)) return;
  }
  errors.Invalid(field, name, "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'");
}

void CheckRequestReferences(const FieldPath& field, const json::Value& list, const RequestNames& names, FieldErrors& errors) {
  CheckSet(field, list, kMaxDeviceEntries, errors, json::TextOf,
           [&](const FieldPath& at, const json::Value& name) { CheckRequestReference(at, json::TextOf(name), names, errors); });
}

json::Value DefaultTolerations(json::Editor& edit, const json::Value& holder) {
  const json::Value& tolerations = holder["tolerations"];
  if (!tolerations.IsArray()) return holder;
  return edit.Set(holder, "tolerations", edit.Map(tolerations, [&](const json::Value& toleration) {
    return json::TextOf(toleration["operator"]).empty() ? edit.Set(toleration, "operator", edit.Literal("Equal")) : toleration;
  }));
}

json::Value DefaultClaimSpec(json::Editor& edit, const json::Value& spec) {
  const json::Value& requests = spec["devices"]["requests"];
  if (!requests.IsArray()) return spec;
  return edit.SetAt(spec, {"devices", "requests"},
                    edit.Map(requests, [&](const json::Value& request) { return DefaultRequest(edit, request); }));
}

void CheckClaimSpec(const FieldPath& field, const json::Value& spec, FieldErrors& errors) {
  const json::Value& devices = spec["devices"];
  const FieldPath at = field.Child("devices");
  const RequestNames names(devices);
  CheckSet(at.Child("requests"), devices["requests"], kMaxDeviceEntries, errors, NameOf,
           [&](const FieldPath& path, const json::Value& request) { CheckRequest(path, request, errors); });
  CheckList(at.Child("constraints"), devices["constraints"], kMaxDeviceEntries, errors,
            [&](const FieldPath& path, const json::Value& constraint) { CheckConstraint(path, constraint, names, errors); });
  CheckList(at.Child("config"), devices["config"], kMaxDeviceEntries, errors, [&](const FieldPath& path, const json::Value& config) {
    CheckRequestReferences(path.Child("requests"), config["requests"], names, errors);
    CheckDeviceConfiguration(path, config, /*stored=*/false, errors);
  });
}

}  // namespace allot::apiserver

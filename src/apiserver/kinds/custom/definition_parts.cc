#include <algorithm>
#include <array>
#include <set>

#include "apiserver/json_names.h"
#include "apiserver/kinds/custom/definition.h"
#include "apiserver/kinds/custom/names.h"
#include "apiserver/kinds/custom/rules.h"
#include "base/strings.h"
#include "cel/library/named_format.h"

namespace allot::apiserver {
namespace {

constexpr size_t kMaxSelectable = 8;

// Requires a path such as ".spec.x". Returns whether it is one.
bool CheckSimplePath(std::string_view path, const FieldPath& field, FieldErrors& errors) {
  if (path.empty()) {
    errors.Required(field);
  } else if (path[0] != '.') {
    errors.Invalid(field, path, "must be a simple json path starting with .");
  } else {
    return true;
  }
  return false;
}

void CheckLabels(const Value& labels, const FieldPath& field, FieldErrors& errors) {
  const auto items = json::ItemsOf(labels);
  for (size_t i = 0; i < items.size(); ++i) {
    const std::string problems = NameProblems("dns1035Label", json::TextOf(items[i]));
    if (!problems.empty()) errors.Invalid(field.Index(i), items[i], problems);
  }
}

void CheckReviewVersions(const Value& versions, const FieldPath& field, FieldErrors& errors) {
  const auto items = json::ItemsOf(versions);
  if (items.empty()) errors.Required(field);
  std::set<std::string_view> seen;
  for (size_t i = 0; i < items.size(); ++i) {
    const std::string_view version = json::TextOf(items[i]);
    if (!seen.insert(version).second) {
      errors.Invalid(field.Index(i), version, "duplicate version");
      continue;
    }
    for (const std::string& problem : cel::FindNamedFormat("dns1035Label")->validate(version)) {
      errors.Invalid(field.Index(i), version, problem);
    }
  }
  if (!items.empty() && !seen.contains("v1") && !seen.contains("v1beta1")) {
    errors.Invalid(field, versions, "must include at least one of v1, v1beta1");
  }
}

void CheckWebhook(const Value& client, const FieldPath& field, FieldErrors& errors) {
  const Value& url = client["url"];
  const Value& service = client["service"];
  if (url.IsNull() == service.IsNull()) {
    errors.Required(field, "exactly one of url or service is required");
  } else if (url.IsString()) {
    if (!url.AsString().starts_with("https://")) {
      errors.Invalid(field.Child("url"), url, "'https' is the only allowed URL scheme; desired format: https://host[/path]");
    }
  } else {
    for (const std::string_view key : {"name", "namespace"}) {
      if (json::TextOf(service[key]).empty()) errors.Required(field.Child("service").Child(key), StrCat("service ", key, " is required"));
    }
  }
}

}  // namespace

void ValidateDefinitionNames(const Value& names, const FieldPath& field, FieldErrors& errors) {
  for (const std::string_view key : {"plural", "singular"}) {
    const std::string_view name = json::TextOf(names[key]);
    const std::string problems = name.empty() ? "" : NameProblems("dns1035Label", name);
    if (!problems.empty()) errors.Invalid(field.Child(key), name, problems);
  }
  for (const std::string_view key : {"kind", "listKind"}) {
    const std::string_view name = json::TextOf(names[key]);
    const std::string problems = name.empty() ? "" : NameProblems("dns1035Label", LowerCase(name));
    if (!problems.empty()) errors.Invalid(field.Child(key), name, StrCat("may have mixed case, but should otherwise match: ", problems));
  }
  CheckLabels(names["shortNames"], field.Child("shortNames"), errors);
  const std::string_view kind = json::TextOf(names["kind"]);
  if (!kind.empty() && kind == json::TextOf(names["listKind"])) {
    errors.Invalid(field.Child("listKind"), kind, "kind and listKind may not be the same");
  }
  CheckLabels(names["categories"], field.Child("categories"), errors);
}

void ValidateSubresources(const Value& subresources, const FieldPath& field, FieldErrors& errors) {
  const Value& scale = subresources["scale"];
  if (!scale.IsObject()) return;
  const auto check = [&](std::string_view key, std::string_view below) {
    const FieldPath at = field.Child("scale").Child(key);
    const std::string_view path = json::TextOf(scale[key]);
    if (CheckSimplePath(path, at, errors) && !path.starts_with(StrCat(below, "."))) {
      errors.Invalid(at, path, StrCat("should be a json path under ", below));
    }
  };
  check("specReplicasPath", ".spec");
  check("statusReplicasPath", ".status");
  const std::string_view selector = json::TextOf(scale["labelSelectorPath"]);
  const FieldPath at = field.Child("scale").Child("labelSelectorPath");
  if (!selector.empty() && CheckSimplePath(selector, at, errors) && !selector.starts_with(".spec.") && !selector.starts_with(".status.")) {
    errors.Invalid(at, selector, "should be a json path under either .spec or .status");
  }
}

void ValidateColumns(const Value& columns, const FieldPath& field, FieldErrors& errors) {
  static constexpr std::array<std::string_view, 5> kTypes = {"boolean", "date", "integer", "number", "string"};
  static constexpr std::array<std::string_view, 10> kFormats = {"byte",  "date",  "date-time", "double", "float",
                                                                "int32", "int64", "password",  "uuid",   "binary"};
  const auto items = json::ItemsOf(columns);
  for (size_t i = 0; i < items.size(); ++i) {
    const FieldPath at = field.Index(i);
    if (json::TextOf(items[i]["name"]).empty()) errors.Required(at.Child("name"));
    const std::string_view type = json::TextOf(items[i]["type"]);
    constexpr std::string_view kRule = "must be one of boolean,date,integer,number,string";
    if (type.empty()) {
      errors.Required(at.Child("type"), kRule);
    } else if (std::find(kTypes.begin(), kTypes.end(), type) == kTypes.end()) {
      errors.Invalid(at.Child("type"), type, kRule);
    }
    const std::string_view format = json::TextOf(items[i]["format"]);
    if (!format.empty() && std::find(kFormats.begin(), kFormats.end(), format) == kFormats.end()) {
      errors.Invalid(at.Child("format"), format,
                     "must be one of binary,bsonobjectid,byte,date,date-time,double,float,int32,int64,password,uuid");
    }
    CheckSimplePath(json::TextOf(items[i]["jsonPath"]), at.Child("JSONPath"), errors);
  }
}

void ValidateSelectable(const Value& fields, const Value& schema, const FieldPath& field, FieldErrors& errors) {
  const auto items = json::ItemsOf(fields);
  if (items.empty()) return;
  if (!schema.IsObject()) {
    errors.Invalid(field, "", "may only be set when validations.schema is included");
    return;
  }
  const std::shared_ptr<const CustomSchema> read = ReadCustomSchema(schema);
  std::set<std::string> seen;
  for (size_t i = 0; i < items.size(); ++i) {
    const FieldPath at = field.Index(i).Child("jsonPath");
    const std::string_view path = json::TextOf(items[i]["jsonPath"]);
    FieldPath words;
    const CustomSchema* found = nullptr;
    if (path.empty()) {
      errors.Required(at);
      continue;
    }
    if (!FollowFieldPath(*read, path, false, &words, &found)) {
      errors.Invalid(at, path, "is an invalid path: does not refer to a valid field");
      continue;
    }
    if (words.text() == "metadata" || words.text().starts_with("metadata.")) {
      errors.Invalid(at, path, "must not point to fields in metadata");
    }
    if (found->type != "string" && found->type != "boolean" && found->type != "integer") {
      errors.Invalid(at, path,
                     "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.");
    }
    if (!seen.emplace(words.text()).second) errors.Duplicate(at, path);
  }
  if (seen.size() > kMaxSelectable) errors.TooMany(field, seen.size(), kMaxSelectable);
}

void ValidateConversion(const Value& conversion, size_t served, const FieldPath& field, FieldErrors& errors) {
  if (!conversion.IsObject()) return;
  const std::string_view strategy = json::TextOf(conversion["strategy"]);
  if (strategy.empty()) {
    errors.Required(field.Child("strategy"));
  } else if (strategy != "None" && strategy != "Webhook") {
    errors.NotSupported(field.Child("strategy"), strategy, {"None", "Webhook"});
  } else if (strategy == "Webhook" && served > 1) {
    errors.Add("FieldValueNotSupported", field.Child("strategy"),
               "Unsupported value: \"Webhook\": conversion webhooks are not called by this server; use None, or serve one version only");
  }
  // kube-apiserver still names these fields as an older API version did.
  const Value& client = conversion["webhook"]["clientConfig"];
  const Value& versions = conversion["webhook"]["conversionReviewVersions"];
  const FieldPath client_field = field.Child("webhookClientConfig"), versions_field = field.Child("conversionReviewVersions");
  if (strategy == "Webhook") {
    client.IsNull() ? errors.Required(client_field, "required when strategy is set to Webhook")
                    : CheckWebhook(client, client_field, errors);
    CheckReviewVersions(versions, versions_field, errors);
    return;
  }
  constexpr std::string_view kRule = "should not be set when strategy is not set to Webhook";
  if (!client.IsNull()) errors.Forbidden(client_field, kRule);
  if (!json::ItemsOf(versions).empty()) errors.Forbidden(versions_field, kRule);
}

}  // namespace allot::apiserver

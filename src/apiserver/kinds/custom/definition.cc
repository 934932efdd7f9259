#include "apiserver/kinds/custom/definition.h"

#include <algorithm>
#include <set>

#include "apiserver/json_names.h"
#include "apiserver/kinds/custom/formats.h"
#include "apiserver/kinds/custom/names.h"
#include "apiserver/kinds/kind_rules.h"
#include "base/strings.h"

namespace allot::apiserver {
namespace {

// Whether all versions have the same value. kube-apiserver moves such a value out of the versions before it validates, so errors name
// another path.
bool IsShared(std::span<const Value> versions, std::string_view key) {
  return std::all_of(versions.begin(), versions.end(), [&](const Value& version) { return json::Equal(version[key], versions[0][key]); });
}

std::string_view StorageVersion(const Value& spec) {
  for (const Value& version : json::ItemsOf(spec["versions"])) {
    if (json::IsTrue(version["storage"])) return json::TextOf(version["name"]);
  }
  return "";
}

// Adds the storage version to status.storedVersions.
Value WithStoredVersion(json::Editor& edit, const Value& object) {
  const std::string_view storage = StorageVersion(object["spec"]);
  if (storage.empty()) return object;
  const Value& stored = object["status"]["storedVersions"];
  const auto items = json::ItemsOf(stored);
  if (std::any_of(items.begin(), items.end(), [&](const Value& item) { return json::TextOf(item) == storage; })) return object;
  return edit.SetAt(object, {"status", "storedVersions"}, edit.Append(stored, edit.String(storage)));
}

void CheckStoredVersions(const Value& object, FieldErrors& errors) {
  const FieldPath field = FieldPath(std::string_view("status")).Child("storedVersions");
  const Value& stored = object["status"]["storedVersions"];
  const auto items = json::ItemsOf(stored);
  if (items.empty()) {
    errors.Invalid(field, Value(), "must have at least one stored version");
    return;
  }
  std::set<std::string_view> names;
  for (const Value& item : items) names.insert(json::TextOf(item));
  for (const Value& version : json::ItemsOf(object["spec"]["versions"])) {
    const std::string_view name = json::TextOf(version["name"]);
    const bool known = names.erase(name) > 0;
    if (json::IsTrue(version["storage"]) && !known) errors.Invalid(field, stored, StrCat("must have the storage version ", name));
  }
  for (size_t i = 0; i < items.size(); ++i) {
    const std::string_view name = json::TextOf(items[i]);
    if (!names.contains(name)) continue;
    errors.Invalid(field.Index(i), name,
                   StrCat("missing from spec.versions; ", name,
                          " was previously a storage version, and must remain in spec.versions until "
                          "a storage migration ensures no data remains persisted in ",
                          name, " and removes ", name, " from status.storedVersions"));
  }
}

void CheckGroup(const Value& spec, const FieldPath& field, FieldErrors& errors) {
  const std::string_view group = json::TextOf(spec["group"]);
  const std::string problems = group.empty() ? "" : NameProblems("dns1123Subdomain", group);
  if (group.empty()) {
    errors.Required(field);
  } else if (!problems.empty()) {
    errors.Invalid(field, group, problems);
  } else if (group.find('.') == std::string_view::npos) {
    errors.Invalid(field, group, "should be a domain with at least one dot");
  }
}

void CheckDeprecation(const Value& version, const FieldPath& field, FieldErrors& errors) {
  const Value& warning = version["deprecationWarning"];
  if (warning.IsNull()) return;
  const std::string_view text = json::TextOf(warning);
  if (!json::IsTrue(version["deprecated"])) {
    errors.Invalid(field, warning, "can only be set for deprecated versions");
    return;
  }
  if (text.size() > 256) errors.Invalid(field, warning, "must be <= 256 characters long");
  if (text.empty()) errors.Invalid(field, warning, "must not be an empty string");
  const auto control = std::find_if(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
  if (control != text.end()) {
    errors.Invalid(field, warning,
                   StrCat("must only contain printable UTF-8 characters; non-printable character found at index ", control - text.begin()));
  }
}

bool HasDefault(const Value& schema) {
  if (!schema.IsObject()) return false;
  if (!schema["default"].IsNull() || HasDefault(schema["items"]) || HasDefault(schema["additionalProperties"])) return true;
  const auto properties = json::MembersOf(schema["properties"]);
  return std::any_of(properties.begin(), properties.end(), [](const json::Member& property) { return HasDefault(property.value); });
}

// Validates spec. Checks what the versions share once, at the path that kube-apiserver reports.
class SpecChecker {
 public:
  SpecChecker(const Value& spec, FieldErrors& errors)
      : spec_(spec),
        versions_(json::ItemsOf(spec["versions"])),
        field_(std::string_view("spec")),
        shared_schema_(IsShared(versions_, "schema")),
        shared_subresources_(IsShared(versions_, "subresources")),
        shared_columns_(IsShared(versions_, "additionalPrinterColumns")),
        shared_fields_(IsShared(versions_, "selectableFields")),
        errors_(errors) {}

  void Run() {
    CheckGroup(spec_, field_.Child("group"), errors_);
    const std::string_view scope = json::TextOf(spec_["scope"]);
    if (scope.empty()) {
      errors_.Required(field_.Child("scope"));
    } else if (scope != "Cluster" && scope != "Namespaced") {
      errors_.NotSupported(field_.Child("scope"), scope, {"Cluster", "Namespaced"});
    }
    for (size_t i = 0; i < versions_.size(); ++i) {
      if (versions_[i]["schema"]["openAPIV3Schema"].IsNull()) {
        errors_.Required(field_.Child("versions").Index(i).Child("schema").Child("openAPIV3Schema"));
      }
    }
    for (size_t i = 0; i < versions_.size(); ++i) CheckVersion(versions_[i], field_.Child("versions").Index(i));
    CheckVersions();
    CheckNames();
    CheckShared();
    if (json::IsTrue(spec_["preserveUnknownFields"])) {
      if (std::any_of(versions_.begin(), versions_.end(), [](const Value& v) { return HasDefault(v["schema"]["openAPIV3Schema"]); })) {
        errors_.Invalid(field_.Child("preserveUnknownFields"), spec_["preserveUnknownFields"],
                        "must be false in order to use defaults in the schema");
      }
      errors_.Invalid(field_.Child("preserveUnknownFields"), spec_["preserveUnknownFields"],
                      "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead");
    }
    const auto served =
        std::count_if(versions_.begin(), versions_.end(), [](const Value& version) { return json::IsTrue(version["served"]); });
    ValidateConversion(spec_["conversion"], static_cast<size_t>(served), field_.Child("conversion"), errors_);
  }

 private:
  static bool HasStatus(const Value& version) { return version["subresources"]["status"].IsObject(); }

  void CheckVersion(const Value& version, const FieldPath& field) {
    const std::string problems = NameProblems("dns1035Label", json::TextOf(version["name"]));
    if (!problems.empty()) errors_.Invalid(field.Child("name"), json::TextOf(version["name"]), problems);
    CheckDeprecation(version, field.Child("deprecationWarning"), errors_);
    const Value& schema = version["schema"]["openAPIV3Schema"];
    if (!shared_schema_) ValidateDefinitionSchema(schema, HasStatus(version), field.Child("schema").Child("openAPIV3Schema"), errors_);
    if (!shared_subresources_) ValidateSubresources(version["subresources"], field.Child("subresources"), errors_);
    if (!shared_columns_) ValidateColumns(version["additionalPrinterColumns"], field.Child("additionalPrinterColumns"), errors_);
    if (!shared_fields_) ValidateSelectable(version["selectableFields"], schema, field.Child("selectableFields"), errors_);
  }

  void CheckVersions() {
    std::set<std::string_view> names;
    size_t storage = 0;
    for (const Value& version : versions_) {
      names.insert(json::TextOf(version["name"]));
      storage += json::IsTrue(version["storage"]) ? 1 : 0;
    }
    const FieldPath field = field_.Child("versions");
    // kube-apiserver also checks the first version by itself.
    const std::string_view first = versions_.empty() ? "v1" : json::TextOf(versions_[0]["name"]);
    if (const std::string problems = NameProblems("dns1035Label", first); !first.empty() && !problems.empty()) {
      errors_.Invalid(field_.Child("version"), first, problems);
    }
    if (names.size() != versions_.size()) errors_.Invalid(field, spec_["versions"], "must contain unique version names");
    if (storage != 1) errors_.Invalid(field, spec_["versions"], "must have exactly one version marked as storage version");
  }

  void CheckNames() {
    const FieldPath field = field_.Child("names");
    for (const std::string_view key : {"plural", "singular", "kind", "listKind"}) {
      if (json::TextOf(spec_["names"][key]).empty()) errors_.Required(field.Child(key));
    }
    ValidateDefinitionNames(spec_["names"], field, errors_);
  }

  void CheckShared() {
    if (versions_.empty()) return;
    const Value& version = versions_[0];
    const Value& schema = version["schema"]["openAPIV3Schema"];
    const bool status = std::any_of(versions_.begin(), versions_.end(), HasStatus);
    if (shared_schema_) ValidateDefinitionSchema(schema, status, field_.Child("validation").Child("openAPIV3Schema"), errors_);
    if (shared_subresources_) ValidateSubresources(version["subresources"], field_.Child("subresources"), errors_);
    if (shared_columns_) ValidateColumns(version["additionalPrinterColumns"], field_.Child("additionalPrinterColumns"), errors_);
    if (shared_fields_) ValidateSelectable(version["selectableFields"], schema, field_.Child("selectableFields"), errors_);
  }

  const Value& spec_;
  const std::span<const Value> versions_;
  const FieldPath field_;
  const bool shared_schema_, shared_subresources_, shared_columns_, shared_fields_;
  FieldErrors& errors_;
};

// Groups of the Kubernetes project need an approval annotation.
void CheckApproval(const Value& object, const Value* old, FieldErrors& errors) {
  const std::string_view group = json::TextOf(object["spec"]["group"]);
  const auto is_below = [&](std::string_view domain) { return group == domain || group.ends_with(StrCat(".", domain)); };
  if (!is_below("k8s.io") && !is_below("kubernetes.io")) return;
  constexpr std::string_view kAnnotation = "api-approved.kubernetes.io";
  const std::string_view approval = json::TextOf(object["metadata"]["annotations"][kAnnotation]);
  if (old != nullptr && json::TextOf((*old)["metadata"]["annotations"][kAnnotation]) == approval) return;
  const FieldPath field = FieldPath(std::string_view("metadata")).Child("annotations").Key(kAnnotation);
  if (approval.empty()) {
    errors.Required(field, StrCat("protected groups must have approval annotation \"", kAnnotation,
                                  "\", see https://github.com/kubernetes/enhancements/pull/1111"));
  } else if (!approval.starts_with("unapproved") && !approval.starts_with("https://") && !approval.starts_with("http://")) {
    errors.Invalid(field, approval,
                   StrCat("protected groups must have approval annotation \"", kAnnotation,
                          "\" with either a URL or a reason starting with \"unapproved\", see "
                          "https://github.com/kubernetes/enhancements/pull/1111"));
  }
}

void FindUnknownFormats(const Value& schema, std::set<std::string>& formats) {
  if (!schema.IsObject()) return;
  const std::string_view format = json::TextOf(schema["format"]), type = json::TextOf(schema["type"]);
  bool known = format.empty();
  if (type.empty() || type == "string") known = known || IsTextFormat(format);
  if (type == "integer") known = known || format == "int32" || format == "int64";
  if (type == "number") known = known || format == "float" || format == "double";
  if (!known) formats.insert(std::string(format));
  FindUnknownFormats(schema["items"], formats);
  FindUnknownFormats(schema["additionalProperties"], formats);
  for (const json::Member& property : json::MembersOf(schema["properties"])) FindUnknownFormats(property.value, formats);
}

class Definitions final : public KindRules {
 public:
  Value Default(json::Editor& edit, const Value& object) const override {
    const Value& names = object["spec"]["names"];
    const std::string_view kind = json::TextOf(names["kind"]);
    Value changed = object;
    if (json::TextOf(names["singular"]).empty() && !kind.empty()) {
      changed = edit.SetAt(changed, {"spec", "names", "singular"}, edit.String(LowerCase(kind)));
    }
    if (json::TextOf(names["listKind"]).empty() && !kind.empty()) {
      changed = edit.SetAt(changed, {"spec", "names", "listKind"}, edit.String(StrCat(kind, "List")));
    }
    const Value& conversion = object["spec"]["conversion"];
    if (conversion.IsNull()) {
      changed = edit.SetAt(changed, {"spec", "conversion"}, edit.Object({{"strategy", edit.Literal("None")}}));
    } else if (const Value& service = conversion["webhook"]["clientConfig"]["service"]; service.IsObject() && service["port"].IsNull()) {
      changed = edit.SetAt(changed, {"spec", "conversion", "webhook", "clientConfig", "service", "port"}, edit.Int(443));
    }
    return changed;
  }

  Value PrepareCreate(json::Editor& edit, const Value& object) const override {
    return WithStoredVersion(edit, edit.Without(object, "status"));
  }
  Value PrepareUpdate(json::Editor& edit, const Value& object, const Value& old) const override {
    return WithStoredVersion(edit, edit.Set(object, "status", old["status"]));
  }

  void Validate(const Value& object, FieldErrors& errors) const override {
    const Value& spec = object["spec"];
    const std::string wanted = StrCat(json::TextOf(spec["names"]["plural"]), ".", json::TextOf(spec["group"]));
    const std::string_view name = json::TextOf(object["metadata"]["name"]);
    if (name != wanted) {
      errors.Invalid(FieldPath(std::string_view("metadata")).Child("name"), name, "must be spec.names.plural+\".\"+spec.group");
    }
    Check(object, nullptr, errors);
  }

  void ValidateUpdate(const Value& object, const Value& old, FieldErrors& errors) const override {
    Check(object, &old, errors);
    const Value& spec = object["spec"];
    const Value& old_spec = old["spec"];
    const auto immutable = [&](const Value& now, const Value& before, const FieldPath& field) {
      if (!json::Equal(now, before)) errors.Invalid(field, now, "field is immutable");
    };
    const FieldPath field(std::string_view("spec"));
    if (IsEstablished(old)) {
      immutable(spec["scope"], old_spec["scope"], field.Child("scope"));
      immutable(spec["names"]["kind"], old_spec["names"]["kind"], field.Child("names").Child("kind"));
    }
    immutable(spec["group"], old_spec["group"], field.Child("group"));
    immutable(spec["names"]["plural"], old_spec["names"]["plural"], field.Child("names").Child("plural"));
  }

  void ValidateStatus(const Value& object, const Value&, FieldErrors& errors) const override {
    ValidateDefinitionNames(object["status"]["acceptedNames"], FieldPath(std::string_view("status")).Child("acceptedNames"), errors);
  }

  void Warn(const Value& object, std::vector<std::string>& warnings) const override {
    std::set<std::string> formats;
    for (const Value& version : json::ItemsOf(object["spec"]["versions"]))
      FindUnknownFormats(version["schema"]["openAPIV3Schema"], formats);
    for (const std::string& format : formats) warnings.push_back(StrCat("unrecognized format ", Quoted(format)));
  }

 private:
  static void Check(const Value& object, const Value* old, FieldErrors& errors) {
    SpecChecker(object["spec"], errors).Run();
    ValidateDefinitionNames(object["status"]["acceptedNames"], FieldPath(std::string_view("status")).Child("acceptedNames"), errors);
    CheckStoredVersions(object, errors);
    CheckApproval(object, old, errors);
  }

  static bool IsEstablished(const Value& definition) {
    const auto conditions = json::ItemsOf(definition["status"]["conditions"]);
    return std::any_of(conditions.begin(), conditions.end(), [](const Value& condition) {
      return json::TextOf(condition["type"]) == "Established" && json::TextOf(condition["status"]) == "True";
    });
  }
};

}  // namespace

std::shared_ptr<const KindRules> DefinitionKindRules() { return std::make_shared<const Definitions>(); }

}  // namespace allot::apiserver

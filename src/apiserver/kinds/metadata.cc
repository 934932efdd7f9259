#include "apiserver/kinds/metadata.h"

#include <algorithm>
#include <set>

#include "apiserver/json_names.h"
#include "apiserver/kinds/core_checks.h"

namespace allot::apiserver {

namespace {

constexpr size_t kMaxManagerBytes = 128;
constexpr size_t kMaxSubresourceBytes = 256;

Problems PathSegmentProblems(std::string_view name) {
  if (name == "." || name == "..") return {StrCat("may not be '", name, "'")};
  Problems problems;
  for (const std::string_view bad : {"/", "%"}) {
    if (name.find(bad) != std::string_view::npos) problems.push_back(StrCat("may not contain '", bad, "'"));
  }
  return problems;
}

Problems NameProblems(NameRule rule, std::string_view name) {
  switch (rule) {
    case NameRule::kSubdomain: return DnsSubdomainProblems(name);
    case NameRule::kLabel: return DnsLabelProblems(name);
    case NameRule::kPathSegment: return PathSegmentProblems(name);
  }
  return {};
}

void CheckName(const Kind& kind, const FieldPath& field, const json::Value& metadata, FieldErrors& errors) {
  if (const std::string_view prefix = TextOf(metadata["generateName"]); !prefix.empty()) {
    AddInvalid(field.Child("generateName"), prefix, NameProblems(kind.name_rule, WithoutTrailingDash(prefix)), errors);
  }
  const std::string_view name = TextOf(metadata["name"]);
  if (name.empty()) {
    errors.Required(field.Child("name"), "name or generateName is required");
  } else {
    AddInvalid(field.Child("name"), name, NameProblems(kind.name_rule, name), errors);
  }
}

void CheckNamespace(const Kind& kind, const FieldPath& field, const json::Value& metadata, FieldErrors& errors) {
  const std::string_view space = TextOf(metadata["namespace"]);
  if (!kind.type.namespaced) {
    if (!space.empty()) errors.Forbidden(field.Child("namespace"), "not allowed on this type");
  } else if (space.empty()) {
    errors.Required(field.Child("namespace"));
  } else {
    CheckDnsLabel(field.Child("namespace"), space, errors);
  }
}

// Paths have no index: kube-apiserver names only the list.
void CheckOwner(const FieldPath& field, const json::Value& owner, FieldErrors& errors) {
  const std::string_view version = TextOf(owner["apiVersion"]);
  if (version.empty() || version.ends_with('/')) errors.Invalid(field.Child("apiVersion"), version, "version must not be empty");
  for (const std::string_view name : {"kind", "name", "uid"}) {
    if (TextOf(owner[name]).empty()) errors.Invalid(field.Child(name), "", "must not be empty");
  }
  if (version == "v1" && TextOf(owner["kind"]) == "Event") {
    errors.Invalid(field, owner, "/v1, Kind=Event is disallowed from being an owner");
  }
}

void CheckOwners(const FieldPath& field, const json::Value& owners, FieldErrors& errors) {
  const json::Value* controller = nullptr;
  bool several = false;
  for (const json::Value& owner : ItemsOf(owners)) {
    CheckOwner(field, owner, errors);
    if (!json::IsTrue(owner["controller"])) continue;
    if (controller == nullptr) {
      controller = &owner;
    } else if (!several) {
      // Report this once, because the error contains the whole list.
      several = true;
      errors.Invalid(
          field, owners,
          StrCat("Only one reference can have Controller set to true. Found \"true\" in references for ", TextOf((*controller)["kind"]),
                 "/", TextOf((*controller)["name"]), " and ", TextOf(owner["kind"]), "/", TextOf(owner["name"])));
    }
  }
}

// Kubernetes' own kinds have a fixed set of finalizers. For other kinds they need only be valid names.
bool KnowsFinalizers(const Kind& kind) {
  const std::string& group = kind.type.group;
  if (kind.custom || kind.type.kind == "Event") return false;
  return group.empty() || group == "apps" || group == "batch" || group == "scheduling.k8s.io" || group == "resource.k8s.io";
}

void CheckFinalizers(const Kind& kind, const FieldPath& field, const json::Value& finalizers, FieldErrors& errors) {
  bool orphans = false;
  bool deletes = false;
  Each(field, finalizers, [&](const FieldPath& path, const json::Value& item) {
    const std::string_view name = TextOf(item);
    CheckLabelKey(field, name, errors);
    orphans |= name == "orphan";
    deletes |= name == "foregroundDeletion";
    const bool standard = name == "kubernetes" || name == "orphan" || name == "foregroundDeletion";
    if (KnowsFinalizers(kind) && !standard && name.find('/') == std::string_view::npos) {
      errors.Invalid(path, name, "name is neither a standard finalizer name nor is it fully qualified");
    }
  });
  if (orphans && deletes) errors.Invalid(field, finalizers, "finalizer orphan and foregroundDeletion cannot be both set");
}

void CheckManagedFields(const FieldPath& field, const json::Value& entries, FieldErrors& errors) {
  Each(field, entries, [&](const FieldPath& path, const json::Value& entry) {
    const std::string_view operation = TextOf(entry["operation"]);
    if (operation != "Apply" && operation != "Update") {
      errors.Invalid(path.Child("operation"), operation, "must be `Apply` or `Update`");
    }
    const std::string_view type = TextOf(entry["fieldsType"]);
    if (!type.empty() && type != "FieldsV1") errors.Invalid(path.Child("fieldsType"), type, "must be `FieldsV1`");
    if (TextOf(entry["manager"]).size() > kMaxManagerBytes) errors.TooLong(path.Child("manager"), kMaxManagerBytes);
    if (TextOf(entry["subresource"]).size() > kMaxSubresourceBytes) errors.TooLong(path.Child("subresource"), kMaxSubresourceBytes);
  });
}

void CheckCommon(const Kind& kind, const FieldPath& field, const json::Value& metadata, FieldErrors& errors) {
  CheckNamespace(kind, field, metadata, errors);
  CheckNonnegative(field.Child("generation"), metadata["generation"], errors);
  CheckLabels(field.Child("labels"), metadata["labels"], errors);
  CheckAnnotations(field.Child("annotations"), metadata["annotations"], errors);
  CheckOwners(field.Child("ownerReferences"), metadata["ownerReferences"], errors);
  CheckFinalizers(kind, field.Child("finalizers"), metadata["finalizers"], errors);
  CheckManagedFields(field.Child("managedFields"), metadata["managedFields"], errors);
}

void CheckNoNewFinalizers(const FieldPath& field, const json::Value& finalizers, const json::Value& old, FieldErrors& errors) {
  std::set<std::string_view> before, added;
  for (const json::Value& one : ItemsOf(old)) before.insert(TextOf(one));
  for (const json::Value& one : ItemsOf(finalizers)) {
    if (!before.contains(TextOf(one))) added.insert(TextOf(one));
  }
  if (added.empty()) return;
  std::string list;
  for (const std::string_view one : added) list += StrCat(list.empty() ? "" : ", ", Quoted(one));
  errors.Forbidden(field,
                   StrCat("no new finalizers can be added if the object is being deleted, found new finalizers []string{", list, "}"));
}

}  // namespace

void ValidateMetadata(const Kind& kind, const json::Value& object, FieldErrors& errors) {
  const FieldPath field("metadata");
  CheckName(kind, field, object["metadata"], errors);
  CheckCommon(kind, field, object["metadata"], errors);
}

void ValidateMetadataUpdate(const Kind& kind, const json::Value& object, const json::Value& old, FieldErrors& errors) {
  const FieldPath field("metadata");
  const json::Value& now = object["metadata"];
  const json::Value& before = old["metadata"];
  CheckCommon(kind, field, now, errors);
  if (IsSet(before["deletionTimestamp"])) {
    CheckNoNewFinalizers(field.Child("finalizers"), now["finalizers"], before["finalizers"], errors);
  }
  if (IntOf(now["generation"]) < IntOf(before["generation"])) {
    errors.Invalid(field.Child("generation"), IntOf(now["generation"]), "must not be decremented");
  }
  for (const std::string_view name : {"name", "namespace", "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"}) {
    CheckImmutable(field.Child(name), now[name], before[name], errors);
  }
}

void ValidateTemplateMetadata(const FieldPath& field, const json::Value& metadata, FieldErrors& errors) {
  CheckLabels(field.Child("labels"), metadata["labels"], errors);
  CheckAnnotations(field.Child("annotations"), metadata["annotations"], errors);
}

}  // namespace allot::apiserver

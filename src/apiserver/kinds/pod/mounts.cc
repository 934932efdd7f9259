#include "apiserver/kinds/pod/mounts.h"

#include "apiserver/json_names.h"

#include <set>

namespace allot::apiserver {

namespace {

using Texts = std::set<std::string_view>;

Texts TextsOf(const json::Value& list, std::string_view key) {
  Texts texts;
  for (const json::Value& item : ItemsOf(list)) texts.insert(TextOf(item[key]));
  return texts;
}

// Errors about sub-paths, propagation and recursive read-only are reported as fields of the list.
void CheckMountOptions(const FieldPath& list, const FieldPath& field, const json::Value& mount, bool privileged, FieldErrors& errors) {
  const std::string_view sub_path = TextOf(mount["subPath"]);
  const std::string_view expression = TextOf(mount["subPathExpr"]);
  if (!sub_path.empty()) CheckRelativePath(list.Child("subPath"), sub_path, errors);
  if (!expression.empty()) {
    if (!sub_path.empty()) errors.Invalid(field.Child("subPathExpr"), expression, "subPathExpr and subPath are mutually exclusive");
    CheckRelativePath(list.Child("subPathExpr"), expression, errors);
  }

  const std::string_view propagation = TextOf(mount["mountPropagation"]);
  if (IsSet(mount["mountPropagation"])) {
    const FieldPath path = list.Child("mountPropagation");
    CheckSupported(path, propagation, {"Bidirectional", "HostToContainer", "None"}, errors);
    if (propagation == "Bidirectional" && !privileged) {
      errors.Forbidden(path, "Bidirectional mount propagation is available only to privileged containers");
    }
  }
  if (IsSet(mount["recursiveReadOnly"])) {
    const FieldPath path = list.Child("recursiveReadOnly");
    const std::string_view mode = TextOf(mount["recursiveReadOnly"]);
    CheckSupported(path, mode, {"Disabled", "Enabled", "IfPossible"}, errors);
    if (mode != "Enabled" && mode != "IfPossible") return;
    if (!json::IsTrue(mount["readOnly"])) errors.Forbidden(path, "may only be specified when readOnly is true");
    if (IsSet(mount["mountPropagation"]) && propagation != "None") {
      errors.Forbidden(path, "may only be specified when mountPropagation is None or not specified");
    }
  }
}

void CheckVolumeMounts(const FieldPath& list, const json::Value& container, const Volumes& volumes, FieldErrors& errors) {
  const bool privileged = json::IsTrue(container["securityContext"]["privileged"]);
  const Texts device_names = TextsOf(container["volumeDevices"], "name");
  const Texts device_paths = TextsOf(container["volumeDevices"], "devicePath");
  Texts paths;
  Each(list, container["volumeMounts"], [&](const FieldPath& field, const json::Value& mount) {
    const std::string_view name = TextOf(mount["name"]);
    const std::string_view path = TextOf(mount["mountPath"]);
    if (name.empty()) errors.Required(field.Child("name"));
    if (!volumes.contains(name)) errors.NotFound(field.Child("name"), name);
    if (path.empty()) errors.Required(field.Child("mountPath"));
    if (!paths.insert(path).second) errors.Invalid(field.Child("mountPath"), path, "must be unique");
    if (device_names.contains(name)) errors.Invalid(field.Child("name"), name, "must not already exist in volumeDevices");
    if (device_paths.contains(path)) {
      errors.Invalid(field.Child("mountPath"), path, "must not already exist as a path in volumeDevices");
    }
    CheckMountOptions(list, field, mount, privileged, errors);
  });
}

void CheckDevices(const FieldPath& list, const json::Value& container, const Volumes& volumes, FieldErrors& errors) {
  const Texts mount_names = TextsOf(container["volumeMounts"], "name");
  const Texts mount_paths = TextsOf(container["volumeMounts"], "mountPath");
  Texts names, paths;
  Each(list, container["volumeDevices"], [&](const FieldPath& field, const json::Value& device) {
    const std::string_view name = TextOf(device["name"]);
    const std::string_view path = TextOf(device["devicePath"]);
    const auto volume = volumes.find(name);
    if (name.empty()) errors.Required(field.Child("name"));
    if (!name.empty() && !names.insert(name).second) errors.Invalid(field.Child("name"), name, "must be unique");
    if (volume == volumes.end()) {
      errors.NotFound(field.Child("name"), name);
    } else if (!IsSet(volume->second["persistentVolumeClaim"]) && !IsSet(volume->second["ephemeral"])) {
      errors.Invalid(field.Child("name"), name, "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode");
    }
    if (path.empty()) errors.Required(field.Child("devicePath"));
    if (paths.contains(path)) errors.Invalid(field.Child("devicePath"), path, "must be unique");
    FieldErrors backsteps;
    CheckNoBacksteps(field, path, backsteps);
    if (!backsteps.empty()) {
      errors.Invalid(field.Child("devicePath"), path, "can not contain backsteps ('..')");
    } else {
      paths.insert(path);
    }
    if (mount_names.contains(name)) errors.Invalid(field.Child("name"), name, "must not already exist in volumeMounts");
    if (mount_paths.contains(path)) {
      errors.Invalid(field.Child("devicePath"), path, "must not already exist as a path in volumeMounts");
    }
  });
}

}  // namespace

void CheckMounts(const FieldPath& field, const json::Value& container, const Volumes& volumes, FieldErrors& errors) {
  CheckVolumeMounts(field.Child("volumeMounts"), container, volumes, errors);
  CheckDevices(field.Child("volumeDevices"), container, volumes, errors);
}

}  // namespace allot::apiserver

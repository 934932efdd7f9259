#include "apiserver/kinds/pod/volumes.h"

#include <set>
#include <string>

#include "apiserver/json_names.h"
#include "apiserver/kinds/pod/env.h"

namespace allot::apiserver {

namespace {

// Requires these texts of a source to be set.
void CheckRequired(const FieldPath& field, const json::Value& source, std::initializer_list<std::string_view> names, FieldErrors& errors) {
  for (const std::string_view name : names) {
    if (TextOf(source[name]).empty()) errors.Required(field.Child(name));
  }
}

void CheckHostPath(const FieldPath& field, const json::Value& source, FieldErrors& errors) {
  if (TextOf(source["path"]).empty()) return errors.Required(field.Child("path"));
  CheckNoBacksteps(field.Child("path"), TextOf(source["path"]), errors);
  CheckSupported(field.Child("type"), TextOf(source["type"]),
                 {"", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"}, errors);
}

// Checks a secret or configMap.
void CheckKeys(const FieldPath& field, const json::Value& source, std::string_view name, FieldErrors& errors) {
  CheckRequired(field, source, {name}, errors);
  CheckFileMode(field.Child("defaultMode"), source["defaultMode"], errors);
  Each(field.Child("items"), source["items"], [&](const FieldPath& path, const json::Value& item) { CheckKeyToPath(path, item, errors); });
}

void CheckCsi(const FieldPath& field, const json::Value& source, FieldErrors& errors) {
  CheckDriverName(field.Child("driver"), TextOf(source["driver"]), errors);
  const json::Value& secret = source["nodePublishSecretRef"];
  if (!IsSet(secret)) return;
  const std::string_view name = TextOf(secret["name"]);
  if (name.empty()) return errors.Required(field.Child("nodePublishSecretRef").Child("name"));
  CheckDnsSubdomain(field.Child("name"), name, errors);
}

void CheckClaimTemplate(const FieldPath& field, const json::Value& source, FieldErrors& errors) {
  const json::Value& claim = source["volumeClaimTemplate"];
  const FieldPath path = field.Child("volumeClaimTemplate");
  if (!IsSet(claim)) return errors.Required(path);
  CheckLabels(path.Child("metadata").Child("labels"), claim["metadata"]["labels"], errors);
  CheckAnnotations(path.Child("metadata").Child("annotations"), claim["metadata"]["annotations"], errors);
  const FieldPath spec = path.Child("spec");
  if (ItemsOf(claim["spec"]["accessModes"]).empty()) errors.Required(spec.Child("accessModes"), "at least 1 access mode is required");
  Each(spec.Child("accessModes"), claim["spec"]["accessModes"], [&](const FieldPath&, const json::Value& mode) {
    CheckSupported(spec.Child("accessModes"), TextOf(mode), {"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"}, errors);
  });
  CheckLabelSelector(spec.Child("selector"), claim["spec"]["selector"], errors);
  const json::Value& storage = claim["spec"]["resources"]["requests"]["storage"];
  const FieldPath at = spec.Child("resources").Key("storage");
  if (!IsSet(storage)) {
    errors.Required(at);
  } else if (QuantityOf(storage).Sign() <= 0) {
    errors.Invalid(at, TextOf(storage), "must be greater than zero");
  }
  CheckSupported(spec.Child("volumeMode"), TextOf(claim["spec"]["volumeMode"]), {"Block", "Filesystem"}, errors);
}

void CheckOtherSource(const FieldPath& field, std::string_view kind, const json::Value& source, FieldErrors& errors) {
  if (kind == "persistentVolumeClaim") return CheckRequired(field, source, {"claimName"}, errors);
  if (kind == "nfs") {
    CheckRequired(field, source, {"server", "path"}, errors);
    const std::string_view path = TextOf(source["path"]);
    if (!path.starts_with('/')) errors.Invalid(field.Child("path"), path, "must be an absolute path");
    return;
  }
  if (kind == "gitRepo") {
    CheckRequired(field, source, {"repository"}, errors);
    return CheckRelativePath(field.Child("directory"), TextOf(source["directory"]), errors);
  }
  if (kind == "gcePersistentDisk") return CheckRequired(field, source, {"pdName"}, errors);
  if (kind == "awsElasticBlockStore" || kind == "cinder" || kind == "portworxVolume") {
    return CheckRequired(field, source, {"volumeID"}, errors);
  }
  if (kind == "glusterfs") return CheckRequired(field, source, {"endpoints", "path"}, errors);
  if (kind == "iscsi") return CheckRequired(field, source, {"targetPortal", "iqn"}, errors);
  if (kind == "azureFile") return CheckRequired(field, source, {"secretName", "shareName"}, errors);
  if (kind == "azureDisk") return CheckRequired(field, source, {"diskName", "diskURI"}, errors);
  if (kind == "vsphereVolume") return CheckRequired(field, source, {"volumePath"}, errors);
  if (kind == "photonPersistentDisk") return CheckRequired(field, source, {"pdID"}, errors);
  if (kind == "flexVolume") return CheckRequired(field, source, {"driver"}, errors);
  if (kind == "quobyte") return CheckRequired(field, source, {"registry", "volume"}, errors);
  if (kind == "scaleIO") return CheckRequired(field, source, {"gateway", "system", "volumeName"}, errors);
  if (kind == "rbd") {
    if (ItemsOf(source["monitors"]).empty()) errors.Required(field.Child("monitors"));
    return CheckRequired(field, source, {"image"}, errors);
  }
  if (kind == "cephfs" && ItemsOf(source["monitors"]).empty()) errors.Required(field.Child("monitors"));
}

void CheckSource(const FieldPath& field, std::string_view kind, const json::Value& source, bool is_pod, FieldErrors& errors) {
  if (kind == "emptyDir") {
    if (QuantityOf(source["sizeLimit"]).Sign() < 0) {
      errors.Forbidden(field.Child("sizeLimit"), "SizeLimit field must be a valid resource quantity");
    }
  } else if (kind == "hostPath") {
    CheckHostPath(field, source, errors);
  } else if (kind == "secret") {
    CheckKeys(field, source, "secretName", errors);
  } else if (kind == "configMap") {
    CheckKeys(field, source, "name", errors);
  } else if (kind == "downwardAPI") {
    CheckFileMode(field.Child("defaultMode"), source["defaultMode"], errors);
    for (const json::Value& file : ItemsOf(source["items"])) CheckDownwardFile(field, file, errors);
  } else if (kind == "projected") {
    CheckProjectedVolume(field, source, errors);
  } else if (kind == "csi") {
    CheckCsi(field, source, errors);
  } else if (kind == "ephemeral") {
    CheckClaimTemplate(field, source, errors);
  } else if (kind == "image") {
    if (is_pod) CheckRequired(field, source, {"reference"}, errors);
    CheckEnum(field.Child("pullPolicy"), TextOf(source["pullPolicy"]), {"Always", "IfNotPresent", "Never"}, errors);
  } else {
    CheckOtherSource(field, kind, source, errors);
  }
}

// Requires exactly one source.
void CheckSources(const FieldPath& field, const json::Value& volume, bool is_pod, FieldErrors& errors) {
  bool has_source = false;
  for (const auto& [kind, source] : MembersOf(volume)) {
    if (kind == "name") continue;
    if (has_source) {
      errors.Forbidden(field.Child(kind), "may not specify more than 1 volume type");
    } else {
      CheckSource(field.Child(kind), kind, source, is_pod, errors);
    }
    has_source = true;
  }
  if (!has_source) errors.Required(field, "must specify a volume type");
}

// The claim of an ephemeral volume is named after Pod and volume.
void CheckClaimOfEphemeral(const FieldPath& field, const json::Value& volume, std::string_view pod_name, FieldErrors& errors) {
  const std::string_view name = TextOf(volume["name"]);
  if (!IsSet(volume["ephemeral"]) || pod_name.empty() || name.empty()) return;
  const std::string claim = StrCat(pod_name, "-", name);
  for (const std::string& problem : DnsSubdomainProblems(claim)) {
    errors.Invalid(field.Child("name"), name, StrCat("PVC name ", Quoted(claim), ": ", problem));
  }
}

}  // namespace

Volumes CheckVolumes(const FieldPath& field, const json::Value& volumes, std::string_view pod_name, bool is_pod, FieldErrors& errors) {
  std::set<std::string, std::less<>> made_claims;
  for (const json::Value& volume : ItemsOf(volumes)) {
    if (!pod_name.empty() && IsSet(volume["ephemeral"])) made_claims.insert(StrCat(pod_name, "-", TextOf(volume["name"])));
  }
  Volumes good;
  Each(field, volumes, [&](const FieldPath& path, const json::Value& volume) {
    const size_t before = errors.size();
    const std::string_view name = TextOf(volume["name"]);
    CheckSources(path, volume, is_pod, errors);
    CheckClaimOfEphemeral(path, volume, pod_name, errors);
    if (name.empty()) {
      errors.Required(path.Child("name"));
    } else {
      CheckDnsLabel(path.Child("name"), name, errors);
    }
    if (good.contains(name)) errors.Duplicate(path.Child("name"), name);
    if (errors.size() == before) good.emplace(name, volume);
    const std::string_view claim = TextOf(volume["persistentVolumeClaim"]["claimName"]);
    if (made_claims.contains(claim)) {
      errors.Invalid(path.Child("persistentVolumeClaim").Child("claimName"), claim,
                     "must not reference a PVC that gets created for an ephemeral volume");
    }
  });
  return good;
}

}  // namespace allot::apiserver

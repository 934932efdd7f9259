#include "apiserver/kinds/columns/table.h"

namespace allot::apiserver {
namespace {

struct Row {
  std::string_view api_version, plural, kind;
  bool namespaced;
  std::string_view short_name;  // empty: none
  bool in_all;                  // in the category "all"
};

// kube-scheduler 1.36 with its default feature gates watches services, replicationcontrollers, persistentvolumes and their claims,
// statefulsets, disruption budgets and storage.k8s.io. `kubectl get all`, `kubectl describe` and helm ask for the rest.
constexpr Row kRows[] = {
    {"v1", "endpoints", "Endpoints", true, "ep", false},
    {"v1", "limitranges", "LimitRange", true, "limits", false},
    {"v1", "persistentvolumeclaims", "PersistentVolumeClaim", true, "pvc", false},
    {"v1", "persistentvolumes", "PersistentVolume", false, "pv", false},
    {"v1", "replicationcontrollers", "ReplicationController", true, "rc", true},
    {"v1", "resourcequotas", "ResourceQuota", true, "quota", false},
    {"v1", "services", "Service", true, "svc", true},
    {"apps/v1", "controllerrevisions", "ControllerRevision", true, "", false},
    {"apps/v1", "daemonsets", "DaemonSet", true, "ds", true},
    {"apps/v1", "statefulsets", "StatefulSet", true, "sts", true},
    {"policy/v1", "poddisruptionbudgets", "PodDisruptionBudget", true, "pdb", false},
    {"storage.k8s.io/v1", "csidrivers", "CSIDriver", false, "", false},
    {"storage.k8s.io/v1", "csinodes", "CSINode", false, "", false},
    {"storage.k8s.io/v1", "csistoragecapacities", "CSIStorageCapacity", true, "", false},
    {"storage.k8s.io/v1", "storageclasses", "StorageClass", false, "sc", false},
    {"storage.k8s.io/v1", "volumeattachments", "VolumeAttachment", false, "", false},
    {"storage.k8s.io/v1", "volumeattributesclasses", "VolumeAttributesClass", false, "vac", false},
};

}  // namespace

Kind NamedKind(std::string_view api_version, std::string_view plural, std::string_view name, bool namespaced) {
  Kind kind;
  const size_t slash = api_version.find('/');
  if (slash != std::string_view::npos) kind.type.group = api_version.substr(0, slash);
  kind.type.version = slash == std::string_view::npos ? api_version : api_version.substr(slash + 1);
  kind.type.plural = plural;
  kind.type.kind = name;
  kind.type.namespaced = namespaced;
  for (const char c : name) kind.singular += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  kind.list_kind = StrCat(name, "List");
  return kind;
}

std::vector<std::shared_ptr<const Kind>> EmptyKinds() {
  std::vector<std::shared_ptr<const Kind>> kinds;
  for (const Row& row : kRows) {
    Kind kind = NamedKind(row.api_version, row.plural, row.kind, row.namespaced);
    kind.empty = true;
    if (!row.short_name.empty()) kind.short_names = {std::string(row.short_name)};
    if (row.in_all) kind.categories = {"all"};
    kind.rules = std::make_shared<KindRules>();
    ColumnsAndRow columns = NameAndAgeColumns();
    kind.columns = std::move(columns.columns);
    kind.row = std::move(columns.row);
    kinds.push_back(std::make_shared<const Kind>(std::move(kind)));
  }
  return kinds;
}

}  // namespace allot::apiserver

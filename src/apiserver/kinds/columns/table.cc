// The built-in kinds, with kube-apiserver 1.36's flags for them.

#include "apiserver/kinds/columns/table.h"

#include "apiserver/kinds/kind_rules.h"
#include "base/check.h"

namespace allot::apiserver {
namespace {

// The path of a field selector usually equals its name.
Kind::Selectable Field(std::string_view name, std::string_view absent = "") {
  Kind::Selectable field{.name = std::string(name), .path = {}, .absent = std::string(absent)};
  for (const std::string_view part : Split(name, '.')) field.path.emplace_back(part);
  return field;
}

Kind::Selectable FieldAt(std::string_view name, std::vector<std::string> path, std::string_view absent = "") {
  return {.name = std::string(name), .path = std::move(path), .absent = std::string(absent)};
}

// A subresource that reads and writes the object itself.
Subresource Part(std::string_view name, std::vector<std::string> verbs = {"get", "patch", "update"}) {
  return {.name = std::string(name), .group = "", .version = "", .kind = "", .verbs = std::move(verbs)};
}

// A subresource that takes an object of another kind.
Subresource Action(std::string_view name, std::string_view group, std::string_view kind) {
  return {.name = std::string(name), .group = std::string(group), .version = "v1", .kind = std::string(kind), .verbs = {"create"}};
}

Subresource Scale() {
  return {.name = "scale", .group = "autoscaling", .version = "v1", .kind = "Scale", .verbs = {"get", "patch", "update"}};
}

Kind MakeKind(Kind kind, std::string_view schema, std::shared_ptr<const KindRules> rules, ColumnsAndRow columns) {
  kind.schema = Schema::BuiltIn().Find(schema);
  CHECK(kind.schema != nullptr);
  kind.rules = std::move(rules);
  kind.columns = std::move(columns.columns);
  kind.row = std::move(columns.row);
  return kind;
}

// Gives the kind a status subresource.
void SplitStatus(Kind& kind) {
  kind.has_status = true;
  kind.subresources.push_back(Part("status"));
}

Kind Pods() {
  Kind kind = MakeKind(NamedKind("v1", "pods", "Pod", true), "io.k8s.api.core.v1.Pod", PodKindRules(), PodColumns());
  kind.short_names = {"po"};
  kind.categories = {"all"};
  kind.subresources = {Action("binding", "", "Binding"), Part("ephemeralcontainers"), Action("eviction", "policy", "Eviction"),
                       Part("log", {"get"})};
  SplitStatus(kind);
  kind.has_generation = true;
  kind.graceful = true;
  kind.delete_answer = DeleteAnswer::kObject;
  kind.selectable = {Field("spec.nodeName"),
                     Field("spec.restartPolicy"),
                     Field("spec.schedulerName"),
                     Field("spec.serviceAccountName"),
                     Field("spec.hostNetwork", "false"),
                     Field("status.phase"),
                     Field("status.podIP"),
                     Field("status.nominatedNodeName")};
  return kind;
}

Kind Nodes() {
  Kind kind = MakeKind(NamedKind("v1", "nodes", "Node", false), "io.k8s.api.core.v1.Node", NodeKindRules(), NodeColumns());
  kind.short_names = {"no"};
  SplitStatus(kind);
  kind.keeps_status_on_create = true;
  kind.selectable = {Field("spec.unschedulable", "false")};
  return kind;
}

Kind Namespaces() {
  Kind kind =
      MakeKind(NamedKind("v1", "namespaces", "Namespace", false), "io.k8s.api.core.v1.Namespace", NamespaceKindRules(), NamespaceColumns());
  kind.short_names = {"ns"};
  kind.name_rule = NameRule::kLabel;
  kind.subresources = {Part("finalize", {"update"})};
  SplitStatus(kind);
  kind.delete_answer = DeleteAnswer::kObject;
  kind.selectable = {Field("status.phase")};
  return kind;
}

Kind ConfigMaps() {
  Kind kind =
      MakeKind(NamedKind("v1", "configmaps", "ConfigMap", true), "io.k8s.api.core.v1.ConfigMap", ConfigMapKindRules(), ConfigMapColumns());
  kind.short_names = {"cm"};
  return kind;
}

Kind Secrets() {
  Kind kind = MakeKind(NamedKind("v1", "secrets", "Secret", true), "io.k8s.api.core.v1.Secret", SecretKindRules(), SecretColumns());
  kind.selectable = {Field("type")};
  return kind;
}

Kind ServiceAccounts() {
  Kind kind = MakeKind(NamedKind("v1", "serviceaccounts", "ServiceAccount", true), "io.k8s.api.core.v1.ServiceAccount",
                       ServiceAccountKindRules(), ServiceAccountColumns());
  kind.short_names = {"sa"};
  kind.delete_answer = DeleteAnswer::kObject;
  return kind;
}

Kind Events() {
  Kind kind = MakeKind(NamedKind("v1", "events", "Event", true), "io.k8s.api.core.v1.Event", EventKindRules(), EventColumns());
  kind.short_names = {"ev"};
  kind.name_rule = NameRule::kPathSegment;
  kind.create_on_update = true;
  for (const std::string_view part : {"kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"}) {
    kind.selectable.push_back(Field(StrCat("involvedObject.", part)));
  }
  for (const std::string_view name : {"reason", "reportingComponent", "type"}) kind.selectable.push_back(Field(name));
  kind.selectable.push_back(FieldAt("source", {"source", "component"}));
  return kind;
}

Kind Deployments() {
  Kind kind = MakeKind(NamedKind("apps/v1", "deployments", "Deployment", true), "io.k8s.api.apps.v1.Deployment", DeploymentKindRules(),
                       DeploymentColumns());
  kind.short_names = {"deploy"};
  kind.categories = {"all"};
  kind.subresources = {Scale()};
  SplitStatus(kind);
  kind.has_generation = true;
  kind.annotations_raise_generation = true;
  return kind;
}

Kind ReplicaSets() {
  Kind kind = MakeKind(NamedKind("apps/v1", "replicasets", "ReplicaSet", true), "io.k8s.api.apps.v1.ReplicaSet", ReplicaSetKindRules(),
                       ReplicaSetColumns());
  kind.short_names = {"rs"};
  kind.categories = {"all"};
  kind.subresources = {Scale()};
  SplitStatus(kind);
  kind.has_generation = true;
  return kind;
}

Kind Jobs() {
  Kind kind = MakeKind(NamedKind("batch/v1", "jobs", "Job", true), "io.k8s.api.batch.v1.Job", JobKindRules(), JobColumns());
  kind.categories = {"all"};
  SplitStatus(kind);
  kind.has_generation = true;
  kind.cascade = Cascade::kOrphan;  // only for this kind, for compatibility with old clients
  kind.selectable = {FieldAt("status.successful", {"status", "succeeded"}, "0")};
  return kind;
}

Kind Definitions() {
  Kind kind = MakeKind(NamedKind("apiextensions.k8s.io/v1", "customresourcedefinitions", "CustomResourceDefinition", false),
                       "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition", DefinitionKindRules(),
                       DefinitionColumns());
  kind.short_names = {"crd", "crds"};
  kind.categories = {"api-extensions"};
  SplitStatus(kind);
  kind.status_is_all = true;
  kind.has_generation = true;
  kind.unconditional_update = false;
  kind.finalizer_on_delete = "customresourcecleanup.apiextensions.k8s.io";
  return kind;
}

Kind PriorityClasses() {
  Kind kind = MakeKind(NamedKind("scheduling.k8s.io/v1", "priorityclasses", "PriorityClass", false),
                       "io.k8s.api.scheduling.v1.PriorityClass", PriorityClassKindRules(), PriorityClassColumns());
  kind.short_names = {"pc"};
  kind.has_generation = true;
  return kind;
}

Kind Leases() {
  Kind kind = MakeKind(NamedKind("coordination.k8s.io/v1", "leases", "Lease", true), "io.k8s.api.coordination.v1.Lease", LeaseKindRules(),
                       LeaseColumns());
  kind.create_on_update = true;
  kind.unconditional_update = false;
  return kind;
}

Kind RuntimeClasses() {
  Kind kind = MakeKind(NamedKind("node.k8s.io/v1", "runtimeclasses", "RuntimeClass", false), "io.k8s.api.node.v1.RuntimeClass",
                       RuntimeClassKindRules(), RuntimeClassColumns());
  kind.create_on_update = true;
  kind.unconditional_update = false;
  return kind;
}

// A kind of resource.k8s.io. Deleting one returns the object.
Kind DraKind(std::string_view plural, std::string_view name, bool namespaced, std::shared_ptr<const KindRules> rules,
             ColumnsAndRow columns) {
  Kind kind = MakeKind(NamedKind("resource.k8s.io/v1", plural, name, namespaced), StrCat("io.k8s.api.resource.v1.", name), std::move(rules),
                       std::move(columns));
  kind.delete_answer = DeleteAnswer::kObject;
  return kind;
}

Kind DeviceClasses() {
  Kind kind = DraKind("deviceclasses", "DeviceClass", false, DeviceClassKindRules(), DeviceClassColumns());
  kind.has_generation = true;
  return kind;
}

Kind ResourceClaims() {
  Kind kind = DraKind("resourceclaims", "ResourceClaim", true, ResourceClaimKindRules(), ResourceClaimColumns());
  SplitStatus(kind);
  kind.status_is_all = true;
  return kind;
}

Kind ResourceClaimTemplates() {
  return DraKind("resourceclaimtemplates", "ResourceClaimTemplate", true, ResourceClaimTemplateKindRules(), ResourceClaimTemplateColumns());
}

Kind ResourceSlices() {
  Kind kind = DraKind("resourceslices", "ResourceSlice", false, ResourceSliceKindRules(), ResourceSliceColumns());
  kind.has_generation = true;
  kind.selectable = {Field("spec.nodeName"), Field("spec.driver")};
  return kind;
}

}  // namespace

std::vector<std::shared_ptr<const Kind>> BuiltInKinds() {
  // The core group first, then groups by kube-apiserver's priority. Discovery uses this order, and kubectl takes the first of two kinds
  // with the same short name. Groups with only empty kinds come last.
  std::vector<Kind> kinds = {Pods(),
                             Nodes(),
                             Namespaces(),
                             ConfigMaps(),
                             Secrets(),
                             ServiceAccounts(),
                             Events(),
                             Deployments(),
                             ReplicaSets(),
                             Jobs(),
                             Definitions(),
                             PriorityClasses(),
                             Leases(),
                             RuntimeClasses(),
                             DeviceClasses(),
                             ResourceClaims(),
                             ResourceClaimTemplates(),
                             ResourceSlices()};
  std::vector<std::shared_ptr<const Kind>> table;
  for (Kind& kind : kinds) table.push_back(std::make_shared<const Kind>(std::move(kind)));
  for (std::shared_ptr<const Kind>& kind : EmptyKinds()) table.push_back(std::move(kind));
  return table;
}

}  // namespace allot::apiserver

#include "apiserver/controllers/bootstrap.h"

namespace allot::apiserver {

namespace {

constexpr std::string_view kNamespaces[] = {"default", "kube-node-lease", "kube-public", "kube-system"};

struct SystemClass {
  std::string_view name, description;
  int64_t value;
};
constexpr SystemClass kClasses[] = {
    {"system-cluster-critical", "For Pods that the cluster needs, but that may move to another Node.", 2'000'000'000},
    {"system-node-critical", "For Pods that a Node needs and that must not leave it.", 2'000'001'000},
};

Status Make(Api& api, std::string_view resource, std::string_view name, const json::Value& object) {
  const std::shared_ptr<const Kind> kind = api.BuiltIn(resource);
  if (api.store().Get({std::string(resource), "", std::string(name)}) != nullptr) return Status();
  Caller caller;
  caller.user = "system:apiserver";
  caller.manager = "kube-apiserver";
  const Result<Answer> made = api.Create(caller, {kind}, object, {});
  if (made.ok() || HasReason(made.status(), "AlreadyExists")) return Status();
  return Status(made.status()).Context("make ", resource, " ", name);
}

}  // namespace

Status MakeSystemObjects(Api& api) {
  json::Arena arena;
  json::Editor edit(arena);
  const auto named = [&](std::string_view name) { return edit.SetAt({}, {"metadata", "name"}, edit.String(name)); };
  for (const std::string_view name : kNamespaces) TRY(Make(api, "namespaces", name, named(name)));
  for (const SystemClass& one : kClasses) {
    json::Value object = edit.Set(named(one.name), "value", edit.Int(one.value));
    object = edit.Set(object, "description", edit.String(one.description));
    TRY(Make(api, "priorityclasses.scheduling.k8s.io", one.name, object));
  }
  return Status();
}

}  // namespace allot::apiserver

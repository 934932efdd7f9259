#include "apiserver/controllers/service_accounts.h"

namespace allot::apiserver {

void ServiceAccounts::Notice(const Sight& sight) {
  if (sight.Is("namespaces") && sight.created()) Add(sight.key());
  if (sight.Is("serviceaccounts") && sight.deleted() && sight.key().name == "default") Add({"namespaces", "", sight.key().space});
}

Result<Again> ServiceAccounts::Reconcile(const Key& key) {
  const std::optional<Stored> space = Read(store(), key);
  if (!space || IsDeleting(space->json())) return Again();
  if (store().Get({"serviceaccounts", key.name, "default"}) != nullptr) return Again();
  json::Arena arena;
  json::Editor edit(arena);
  const Result<Stored> made = Create("serviceaccounts", key.name, edit.SetAt({}, {"metadata", "name"}, edit.Literal("default")));
  if (made.ok() || HasReason(made.status(), "AlreadyExists")) return Again();
  return made.status();
}

}  // namespace allot::apiserver

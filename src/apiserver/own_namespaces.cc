#include "apiserver/own_namespaces.h"

#include "apiserver/user_admission.h"

namespace allot::apiserver {

std::optional<Identity> OwnNamespaces::Identify(const http::RequestContext& context) const {
  std::optional<Identity> who = access_.Identify(context);
  if (!who || who->space.empty() || api_.store().Get({"namespaces", "", who->space}) != nullptr) return who;
  json::Arena arena;
  json::Editor edit(arena);
  json::Value space = edit.SetAt({}, {"metadata", "name"}, edit.String(who->space));
  space = edit.SetAt(space, {"metadata", "annotations", kUserAnnotation}, edit.String(who->user));
  Caller caller;
  caller.user = "system:apiserver";
  // Made by another request at the same time, or not at all: then whatever needs it says so.
  (void)api_.Create(caller, {api_.BuiltIn("namespaces")}, space, {}).ok();
  return who;
}

}  // namespace allot::apiserver

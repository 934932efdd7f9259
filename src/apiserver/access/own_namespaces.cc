#include "apiserver/access/own_namespaces.h"

#include <algorithm>

#include "apiserver/access/local_users.h"
#include "apiserver/access/user_admission.h"
#include "base/utf8.h"
#include "json/json.h"

namespace allot::apiserver {

std::string UserOfSpace(const Store& store, std::string_view space) {
  const EntryPtr entry = store.Get({"namespaces", "", std::string(space)});
  if (entry == nullptr || entry->json.find(kUserAnnotation) == std::string::npos) return "";
  const Result<json::Document> document = json::Parse(entry->json);
  return document.ok() ? std::string(json::TextOf(document->root()["metadata"]["annotations"][kUserAnnotation])) : "";
}

std::optional<Identity> OwnNamespaces::Identify(const http::RequestContext& context) const {
  std::optional<Identity> who = access_.Identify(context);
  if (!who || who->space.empty()) return who;
  if (!IsValidUtf8(who->user)) return who;  // a name that is not UTF-8 gets no namespace
  if (Have(who->space, who->user)) return who;
  who->space = MappedSpaceOf(who->user);
  if (!Have(who->space, who->user)) who->space.clear();
  return who;
}

// Returns whether the namespace belongs to the user, and creates it if needed. A namespace that does not exist and cannot be created now
// counts as theirs.
bool OwnNamespaces::Have(const std::string& space, const std::string& user) const {
  const Key key{"namespaces", "", space};
  if (api_.store().Get(key) == nullptr) {
    json::Arena arena;
    json::Editor edit(arena);
    json::Value made = edit.SetAt({}, {"metadata", "name"}, edit.String(space));
    made = edit.SetAt(made, {"metadata", "annotations", kUserAnnotation}, edit.String(user));
    Caller caller;
    caller.user = "system:apiserver";
    // This fails if another request creates it at the same time, or if nothing can be written; a request that needs the namespace then
    // reports that.
    (void)api_.Create(caller, {api_.BuiltIn("namespaces")}, made, {}).ok();
  }
  return api_.store().Get(key) == nullptr || UserOfSpace(api_.store(), space) == user;
}

Status OwnNamespaces::Allow(const Identity& who, const Ask& what) const {
  Status status = access_.Allow(who, what);
  const bool is_user = std::find(who.groups.begin(), who.groups.end(), kUsersGroup) != who.groups.end();
  if (status.ok() || !is_user || !who.space.empty()) return status;
  const std::string space = MappedSpaceOf(who.user);
  return Status(status.code(), StrCat(status.message(), ": the namespace ", Quoted(space),
                                      " of this user belongs to another user; the admin can assign it: kubectl annotate namespace ", space,
                                      " ", kUserAnnotation, "=", who.user));
}

}  // namespace allot::apiserver

#include "apiserver/access/table_access.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "apiserver/access/local_users.h"

namespace allot::apiserver {

namespace {

constexpr std::string_view kEverybody = "system:authenticated";

enum class Where { kAnywhere, kOwn };

// A user may do what any matching row allows, and nothing else.
struct Row {
  std::string_view group;
  Where where;                        // kOwn: the user's namespace
  std::string_view verbs, resources;  // separated by spaces; *: all. "jobs.batch" includes the group; "pods" does not include the
                                      // subresource "pods/log"
};

constexpr Row kTable[] = {
    {kAdminsGroup, Where::kAnywhere, "*", "*"},
    // Users create objects in their own namespace.
    {kUsersGroup, Where::kOwn, "*",
     "pods pods/log pods/eviction configmaps secrets events deployments.apps deployments.apps/scale replicasets.apps "
     "replicasets.apps/scale jobs.batch resourceclaims.resource.k8s.io resourceclaimtemplates.resource.k8s.io leases.coordination.k8s.io"},
    {kUsersGroup, Where::kOwn, "get list watch",
     "serviceaccounts pods/status deployments.apps/status replicasets.apps/status jobs.batch/status resourceclaims.resource.k8s.io/status"},
    // Users who share a GPU see each other's Pods, but not Secrets and ConfigMaps.
    {kUsersGroup, Where::kAnywhere, "get list watch",
     "namespaces nodes pods events deployments.apps replicasets.apps jobs.batch resourceclaims.resource.k8s.io "
     "resourceclaimtemplates.resource.k8s.io resourceslices.resource.k8s.io deviceclasses.resource.k8s.io "
     "priorityclasses.scheduling.k8s.io runtimeclasses.node.k8s.io customresourcedefinitions.apiextensions.k8s.io"},
};

bool Lists(std::string_view list, std::string_view word) {
  if (list == "*") return true;
  const std::vector<std::string_view> words = Split(list, ' ');
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool IsOf(const Identity& who, std::string_view group) {
  return std::find(who.groups.begin(), who.groups.end(), group) != who.groups.end();
}

std::string WithSubresource(const std::string& resource, const Ask& what) {
  return what.subresource.empty() ? resource : StrCat(resource, "/", what.subresource);
}

// Returns the resource as the table names it, with its group: pods.example.com are not Pods.
std::string RowNameOf(const Ask& what) {
  return WithSubresource(what.group.empty() ? what.resource : StrCat(what.resource, ".", what.group), what);
}

bool Allows(const Row& row, const Identity& who, const Ask& what) {
  if (!IsOf(who, row.group)) return false;
  if (row.where == Where::kOwn && (what.space.empty() || what.space != who.space)) return false;
  return Lists(row.verbs, what.verb) && Lists(row.resources, RowNameOf(what));
}

Identity Impersonated(const http::Headers& headers, std::string_view user) {
  Identity identity{std::string(user), std::string(headers.Get("Impersonate-Uid")), {std::string(kEverybody)}};
  for (const std::string_view group : headers.All("Impersonate-Group")) identity.groups.emplace_back(group);
  return identity;
}

// Wraps the words into lines of at most `width`, each after `indent`.
std::string Wrapped(std::string_view words, size_t width, std::string_view indent) {
  std::string text, line;
  for (const std::string_view word : Split(words, ' ')) {
    if (!line.empty() && line.size() + 1 + word.size() > width) {
      text += StrCat(indent, line, "\n");
      line.clear();
    }
    line += StrCat(line.empty() ? "" : " ", word);
  }
  return text + StrCat(indent, line, "\n");
}

}  // namespace

std::optional<Identity> TableAccess::Prove(const http::RequestContext& context) const {
  if (context.request.headers.Has("Authorization")) {
    constexpr std::string_view kBearer = "Bearer ";
    const std::string_view header = context.request.headers.Get("Authorization");
    if (!header.starts_with(kBearer)) return std::nullopt;
    return tokens_.Find(Trim(header.substr(kBearer.size())));
  }
  if (!context.credentials) return std::nullopt;
  const uid_t uid = context.credentials->uid;
  const std::optional<std::string> name = options_.name ? options_.name(uid) : UserName(uid);
  if (!name) return std::nullopt;
  const std::string_view group = options_.admins.contains(uid) ? kAdminsGroup : kUsersGroup;
  return Identity{*name, std::to_string(uid), {std::string(kEverybody), std::string(group)}};
}

std::optional<Identity> TableAccess::Identify(const http::RequestContext& context) const {
  std::optional<Identity> who = Prove(context);
  if (!who) return who;
  const http::Headers& headers = context.request.headers;
  if (const std::string_view user = headers.Get("Impersonate-User"); !user.empty()) {
    const Identity self = *who;
    who = Impersonated(headers, user);
    if (!IsOf(self, kAdminsGroup)) {
      who->groups.clear();
      who->refused = StrCat("users \"", user, "\" is forbidden: User \"", self.user,
                            "\" cannot impersonate resource \"users\" in API group \"\" at the cluster scope");
    }
  }
  if (IsOf(*who, kUsersGroup)) who->space = SpaceOf(who->user);
  return who;
}

Status TableAccess::Allow(const Identity& who, const Ask& what) const {
  if (!what.path.empty()) return Status();  // documents about the server are open to every identified user
  if (std::any_of(std::begin(kTable), std::end(kTable), [&](const Row& row) { return Allows(row, who, what); })) return Status();
  const std::string where = what.space.empty() ? std::string("at the cluster scope") : StrCat("in the namespace \"", what.space, "\"");
  return Invalid("User \"", who.user, "\" cannot ", what.verb, " resource \"", WithSubresource(what.resource, what), "\" in API group \"",
                 what.group, "\" ", where);
}

std::string WriteAccessTable() {
  std::string text = "Users may do what an entry of their group allows, and nothing else.\n";
  for (const Row& row : kTable) {
    text +=
        StrCat("\n", row.group, ", ", row.where == Where::kOwn ? "in their own namespace" : "everywhere", ": ",
               row.verbs == "*" ? "everything" : row.verbs, "\n", Wrapped(row.resources == "*" ? "all kinds" : row.resources, 76, "    "));
  }
  return text + "\nevery user whom the server identifies: get\n    /version /api /apis /openapi, and reviews of their own access\n";
}

}  // namespace allot::apiserver

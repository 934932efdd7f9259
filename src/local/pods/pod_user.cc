#include "local/pods/pod_user.h"

#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>

#include "apiserver/access/user_admission.h"
#include "json/editor.h"

namespace allot::local {
namespace {

constexpr size_t kLongestEntry = 1 << 20;
constexpr gid_t kNobody = 65534;

struct Entry {
  std::string name, home;
  uid_t uid = 0;
  gid_t gid = 0;
};

// Finds an entry of the user database; nullopt if there is none. `ask` calls getpwnam_r or getpwuid_r.
template <typename Ask>
Result<std::optional<Entry>> FindEntry(Ask ask) {
  for (std::vector<char> buffer(4096);;) {
    passwd entry = {};
    passwd* found = nullptr;
    const int error = ask(&entry, buffer.data(), buffer.size(), &found);
    if (error == ERANGE && buffer.size() < kLongestEntry) {
      buffer.resize(buffer.size() * 4);
    } else if (error == 0 || error == ENOENT || error == ESRCH) {
      if (found == nullptr) return std::optional<Entry>();
      return std::optional(Entry{found->pw_name, found->pw_dir, found->pw_uid, found->pw_gid});
    } else if (error != EINTR) {
      return Unavailable("cannot read the user database");
    }
  }
}

std::vector<gid_t> GroupsOf(const Entry& entry) {
  for (std::vector<gid_t> groups(64);;) {
    int count = static_cast<int>(groups.size());
    const bool fits = ::getgrouplist(entry.name.c_str(), entry.gid, groups.data(), &count) >= 0;
    groups.resize(static_cast<size_t>(std::max(count, 0)));
    if (fits) return groups;
  }
}

std::string FolderOr(const std::string& folder, std::string_view otherwise) {
  struct stat found;
  const bool usable = folder.starts_with('/') && ::stat(folder.c_str(), &found) == 0 && S_ISDIR(found.st_mode);
  return usable ? folder : std::string(otherwise);
}

std::optional<int64_t> NumberIn(const json::Value& first, const json::Value& second, std::string_view key) {
  for (const json::Value& from : {first[key], second[key]}) {
    if (from.IsNumber()) return from.AsInt64();
  }
  return std::nullopt;
}

Result<std::optional<Entry>> EntryOf(uid_t uid) {
  return FindEntry([&](passwd* entry, char* buffer, size_t size, passwd** found) { return ::getpwuid_r(uid, entry, buffer, size, found); });
}

Result<PodUser> NamedUser(const std::string& name) {
  ASSIGN_OR_RETURN(const std::optional<Entry> entry, FindEntry([&](passwd* to, char* buffer, size_t size, passwd** found) {
                     return ::getpwnam_r(name.c_str(), to, buffer, size, found);
                   }));
  if (!entry) {
    return Invalid("metadata.annotations[", apiserver::kUserAnnotation, "]: this machine has no user ", Quoted(name),
                   ", so the Pod cannot run");
  }
  PodUser user{entry->name, FolderOr(entry->home, "/"), RunAs{entry->uid, entry->gid, GroupsOf(*entry)}};
  if (::geteuid() == 0) return user;
  if (entry->uid != ::geteuid()) {
    return Invalid("metadata.annotations[", apiserver::kUserAnnotation, "]: the Pod should run as ", name,
                   ", but allot does not run as root, so it ", "cannot run Pods of other users");
  }
  user.run_as.reset();
  return user;
}

// supplementalGroups and fsGroup of a Pod's securityContext.
std::set<gid_t> GroupsOf(const json::Value& context) {
  std::set<gid_t> groups;
  for (const json::Value& group : json::ItemsOf(context["supplementalGroups"])) {
    if (group.IsNumber()) groups.insert(static_cast<gid_t>(group.AsInt64().value_or(kNobody)));
  }
  if (const auto group = NumberIn(context, {}, "fsGroup")) groups.insert(static_cast<gid_t>(*group));
  return groups;
}

bool MustNotBeRoot(const json::Value& pod, const json::Value& container) {
  const json::Value& own = container["securityContext"]["runAsNonRoot"];
  const json::Value& said = own.IsNull() ? pod["spec"]["securityContext"]["runAsNonRoot"] : own;
  return json::IsTrue(said);
}

Result<PodUser> AdminsUser(const json::Value& pod, const json::Value& container) {
  const json::Value &whole = pod["spec"]["securityContext"], &own = container["securityContext"];
  const std::optional<int64_t> uid = NumberIn(own, whole, "runAsUser"), gid = NumberIn(own, whole, "runAsGroup");
  std::set<gid_t> more = GroupsOf(whole);
  ASSIGN_OR_RETURN(const std::optional<Entry> entry, EntryOf(uid ? static_cast<uid_t>(*uid) : ::geteuid()));
  PodUser user{entry ? entry->name : "", entry ? FolderOr(entry->home, "/") : "/", {}};
  if (!uid && !gid && more.empty()) return user;
  RunAs run_as{uid ? static_cast<uid_t>(*uid) : ::geteuid(), entry ? entry->gid : kNobody, {}};
  if (entry && json::TextOf(whole["supplementalGroupsPolicy"]) != "Strict") {
    const std::vector<gid_t> groups = GroupsOf(*entry);
    more.insert(groups.begin(), groups.end());
  }
  if (gid) run_as.gid = static_cast<gid_t>(*gid);
  run_as.groups.assign(more.begin(), more.end());
  user.run_as = std::move(run_as);
  return user;
}

}  // namespace

Result<PodUser> UserOf(const json::Value& pod, const json::Value& container) {
  const json::Value& name = pod["metadata"]["annotations"][apiserver::kUserAnnotation];
  ASSIGN_OR_RETURN(PodUser user, name.IsNull() ? AdminsUser(pod, container) : NamedUser(std::string(json::TextOf(name))));
  const uid_t uid = user.run_as ? user.run_as->uid : ::geteuid();
  if (MustNotBeRoot(pod, container) && uid == 0) {
    return Invalid("securityContext.runAsNonRoot: the container would run as root; set runAsUser");
  }
  return user;
}

Result<ImageUser> ImageUserOf(const json::Value& pod, const json::Value& container) {
  ImageUser user;
  const json::Value& name = pod["metadata"]["annotations"][apiserver::kUserAnnotation];
  if (!name.IsNull()) {
    ASSIGN_OR_RETURN(const PodUser named, NamedUser(std::string(json::TextOf(name))));
    user.restricted = true;
    // Without run_as podman itself runs as that user, and is root only inside the container.
    if (named.run_as) user.uid = named.run_as->uid, user.gid = named.run_as->gid;
    return user;
  }
  const json::Value &whole = pod["spec"]["securityContext"], &own = container["securityContext"];
  if (const auto uid = NumberIn(own, whole, "runAsUser")) user.uid = static_cast<uid_t>(*uid);
  if (const auto gid = NumberIn(own, whole, "runAsGroup")) user.gid = static_cast<gid_t>(*gid);
  const std::set<gid_t> groups = GroupsOf(whole);
  user.groups.assign(groups.begin(), groups.end());
  if (user.gid && !user.uid) return Invalid("securityContext.runAsGroup: podman accepts it only with runAsUser; set both");
  if (MustNotBeRoot(pod, container) && user.uid.value_or(0) == 0) {
    return Invalid("securityContext.runAsNonRoot: the image may run as root; set runAsUser");
  }
  return user;
}

}  // namespace allot::local

#pragma once
// The user of the machine that a Pod's container runs as.
//
// The annotation allot.dev/user (apiserver/access/user_admission.h) names the user. The Pod runs as that user with the user's groups, and
// its securityContext cannot change that. A Pod without the annotation is the admin's: it runs as allot's own user, or with the IDs of its
// securityContext.

#include <optional>
#include <string>

#include "base/status.h"
#include "json/value.h"
#include "local/containers/container_files.h"

namespace allot::local {

struct PodUser {
  std::string name;             // empty: the UID has no name
  std::string home = "/";       // an existing folder
  std::optional<RunAs> run_as;  // nullopt: allot's own user
};

// The user that an image runs as.
struct ImageUser {
  std::optional<uid_t> uid;   // nullopt: the image's user
  std::optional<gid_t> gid;   // set only with uid
  std::vector<gid_t> groups;  // supplementary groups
  bool restricted = false;    // the Pod belongs to an ordinary user: the container gets no capabilities
};
// Errors are those of UserOf. Also kInvalid if the Pod sets runAsNonRoot without runAsUser: the image's user may be root.
Result<ImageUser> ImageUserOf(const json::Value& pod, const json::Value& container);

// kInvalid if the user does not exist, or the Pod may not run as that user. kUnavailable if the user database cannot be read now.
Result<PodUser> UserOf(const json::Value& pod, const json::Value& container);

}  // namespace allot::local

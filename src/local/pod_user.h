#pragma once
// Which user of the machine a Pod's container runs as.
//
// The annotation allot.dev/user (apiserver/user_admission.h) names them: the Pod runs as that user, with their groups, whatever else it
// says. Without it the Pod is the admin's: it runs as the user that allot runs as, or with the numbers of its securityContext.

#include <optional>
#include <string>

#include "base/status.h"
#include "json/value.h"
#include "local/container_files.h"

namespace allot::local {

struct PodUser {
  std::string name;             // empty: the number has none
  std::string home = "/";       // a folder that is there
  std::optional<RunAs> run_as;  // nothing: as we do
};

// Whom an image is run as.
struct ImageUser {
  std::optional<uid_t> uid;   // nothing: as the image says
  std::optional<gid_t> gid;   // only with uid
  std::vector<gid_t> groups;  // besides
  bool restricted = false;    // a user of the machine: it gets no right that they do not have
};
// Errors as those of UserOf. Also where it has to be known that it is not root, and only the image could tell.
Result<ImageUser> ImageUserOf(const json::Value& pod, const json::Value& container);

// kInvalid: there is no such user, or the Pod may not run as them. kUnavailable: the system cannot tell now.
Result<PodUser> UserOf(const json::Value& pod, const json::Value& container);

}  // namespace allot::local

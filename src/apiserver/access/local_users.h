#pragma once
// The users of the machine: their names and their namespaces.

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

namespace allot::apiserver {

// Users of this group have a namespace of their own and the rights in table_access.h.
inline constexpr std::string_view kUsersGroup = "allot:users";
inline constexpr std::string_view kAdminsGroup = "system:masters";

// Returns a user's name: the system's, or "uid-1000" if there is none. Names are unique. Returns nullopt if the system does not answer (an
// unreachable directory server).
std::optional<std::string> UserName(uid_t uid);
// The same, given the system's name for the user, or empty. Ignores a name that contains a colon, a comma, a quote, a space or a character
// outside ASCII, or that begins with "uid-".
std::string UserName(uid_t uid, std::string_view entry);

// Returns false if the system has no entry for the user, or does not answer. A user id without an entry ("uid-1234") may come from a
// container; one user can have many of those.
bool HasEntry(std::string_view user);

// Returns the namespace of a user: the user's name, if it is a valid and unreserved name. Otherwise "user-jane-doe-" and 20 digits computed
// from the name "Jane.Doe". "default", "allot", and names that begin with "kube-", "allot-" or "user-" are reserved. Namespaces are unique.
std::string SpaceOf(std::string_view user);
// Returns the namespace with digits, for a user whose name cannot be used.
std::string MappedSpaceOf(std::string_view user);

}  // namespace allot::apiserver

#pragma once
// The users of the machine: what they are called here, and which namespace is theirs.

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

namespace allot::apiserver {

// Users of this group have a namespace of their own, and do as the table says (table_access.h).
inline constexpr std::string_view kUsersGroup = "allot:users";
inline constexpr std::string_view kAdminsGroup = "system:masters";

// The name of a user: that of the system, or "uid-1000" where it has none. No two users have the same one. Nothing where the system cannot
// tell now (a directory server that does not answer).
std::optional<std::string> UserName(uid_t uid);
// The same, given the name that the system has; empty: none. Names with a colon, a comma, a quote, a space or what is not ASCII, and those
// that begin with "uid-", count as none.
std::string UserName(uid_t uid, std::string_view entry);

// False: the system has no entry for them ("uid-1234" of a container, say, of which one user can have many), or cannot tell now.
bool HasEntry(std::string_view user);

// The namespace of a user: the name itself, where it can be one and is nobody else's. Else, of "Jane.Doe", "user-jane-doe-" and 20
// digits that are made of the name. "default", "allot", and what begins with "kube-", "allot-" or "user-" is no user's. No two users have
// the same one.
std::string SpaceOf(std::string_view user);
// The one with the digits, for whoever cannot have their name.
std::string MappedSpaceOf(std::string_view user);

}  // namespace allot::apiserver

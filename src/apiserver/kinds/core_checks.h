#pragma once
// Checks shared by Pods, Nodes, workloads and other Kubernetes kinds, beyond checks.h and with the same conventions.

#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "apiserver/kinds/checks.h"

namespace allot::apiserver {

// Finds many members of an object by key: Value::operator[] is a linear search. The object must outlive it.
class MemberIndex {
 public:
  explicit MemberIndex(const json::Value& object) {
    for (const json::Member& member : json::MembersOf(object)) members_.emplace(member.key, member.value);
  }
  // Returns the member, or null.
  const json::Value& operator[](std::string_view key) const {
    static constexpr json::Value kNull{};
    const auto found = members_.find(key);
    return found == members_.end() ? kNull : found->second;
  }

 private:
  std::map<std::string_view, json::Value> members_;
};

inline bool IsSet(const json::Value& value) { return !value.IsNull(); }

// Calls check(path, item) for each item of the list.
template <typename Check>
void Each(const FieldPath& field, const json::Value& list, Check check) {
  const auto items = json::ItemsOf(list);
  for (size_t i = 0; i < items.size(); ++i) check(field.Index(i), items[i]);
}

// Requires a number, if present, to be at least zero.
void CheckNonnegative(const FieldPath& field, const json::Value& value, FieldErrors& errors);
// The same for numeric members of `object`.
void CheckNonnegativeMembers(const FieldPath& field, const json::Value& object, std::initializer_list<std::string_view> names,
                             FieldErrors& errors);
void CheckRange(const FieldPath& field, int64_t value, int64_t min, int64_t max, FieldErrors& errors);
// Requires one of `supported`. Unlike CheckEnum, reports an empty text as unsupported too.
void CheckSupported(const FieldPath& field, std::string_view value, std::initializer_list<std::string_view> supported, FieldErrors& errors);

void CheckPortNumber(const FieldPath& field, int64_t port, FieldErrors& errors);
void CheckPortNumberOrName(const FieldPath& field, const json::Value& port, FieldErrors& errors);
Problems PortNameProblems(std::string_view text);

// Prepares the prefix of a name for checking: it may end in a dash, because more text follows.
std::string WithoutTrailingDash(std::string_view prefix);

Problems ConfigKeyProblems(std::string_view text);         // keys of ConfigMaps and Secrets
Problems EnvironmentNameProblems(std::string_view text);   // any printable characters except '='
Problems RelaxedSubdomainProblems(std::string_view text);  // a subdomain that may contain underscores
void CheckIp(const FieldPath& field, std::string_view text, FieldErrors& errors);
// Allows at most one IPv4 and one IPv6 entry. `texts` are those of the list, `valid` says whether all are valid, `what` is "IP" or "CIDR".
void CheckOneOfEachFamily(const FieldPath& field, const json::Value& list, bool valid, std::span<const std::string_view> texts,
                          std::string_view what, FieldErrors& errors);

// Requires a path that does not leave its starting folder.
void CheckNoBacksteps(const FieldPath& field, std::string_view path, FieldErrors& errors);
void CheckRelativePath(const FieldPath& field, std::string_view path, FieldErrors& errors);
void CheckProjectedPath(const FieldPath& field, std::string_view path, FieldErrors& errors);  // also rejects "..x"
void CheckFileMode(const FieldPath& field, const json::Value& mode, FieldErrors& errors);

// Checks a meta/v1 LabelSelector.
void CheckLabelSelector(const FieldPath& field, const json::Value& selector, FieldErrors& errors);
// Whether the selector is empty and so selects everything.
bool IsEmptySelector(const json::Value& selector);
// Whether the selector selects `labels`. An invalid requirement, or no selector at all, selects nothing.
bool SelectorMatches(const json::Value& selector, const json::Value& labels);

}  // namespace allot::apiserver

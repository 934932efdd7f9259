#pragma once
// What the rules of Pods, Nodes, workloads and the other kinds of Kubernetes' own share, beyond checks.h. The same conventions.

#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "apiserver/kinds/checks.h"

namespace allot::apiserver {

// The members of an object by key, for who looks up many: Value::operator[] is a linear search. The object must live as long.
class MemberIndex {
 public:
  explicit MemberIndex(const json::Value& object) {
    for (const json::Member& member : json::MembersOf(object)) members_.emplace(member.key, member.value);
  }
  // The member, or null.
  const json::Value& operator[](std::string_view key) const {
    static constexpr json::Value kNull{};
    const auto found = members_.find(key);
    return found == members_.end() ? kNull : found->second;
  }

 private:
  std::map<std::string_view, json::Value> members_;
};

inline bool IsSet(const json::Value& value) { return !value.IsNull(); }

// check(path, item) for each item of the list.
template <typename Check>
void Each(const FieldPath& field, const json::Value& list, Check check) {
  const auto items = json::ItemsOf(list);
  for (size_t i = 0; i < items.size(); ++i) check(field.Index(i), items[i]);
}

// A number that must not be below zero, where it is there.
void CheckNonnegative(const FieldPath& field, const json::Value& value, FieldErrors& errors);
// The same for members of `object`, all of them numbers.
void CheckNonnegativeMembers(const FieldPath& field, const json::Value& object, std::initializer_list<std::string_view> names,
                             FieldErrors& errors);
void CheckRange(const FieldPath& field, int64_t value, int64_t min, int64_t max, FieldErrors& errors);
// One of `supported`; unlike CheckEnum, an empty text is not supported either.
void CheckSupported(const FieldPath& field, std::string_view value, std::initializer_list<std::string_view> supported, FieldErrors& errors);

void CheckPortNumber(const FieldPath& field, int64_t port, FieldErrors& errors);
void CheckPortNumberOrName(const FieldPath& field, const json::Value& port, FieldErrors& errors);
Problems PortNameProblems(std::string_view text);

// The prefix of a name, as it is checked: it may end in a dash, since something will follow.
std::string WithoutTrailingDash(std::string_view prefix);

Problems ConfigKeyProblems(std::string_view text);         // of data in ConfigMaps and Secrets
Problems EnvironmentNameProblems(std::string_view text);   // anything that prints, but no '='
Problems RelaxedSubdomainProblems(std::string_view text);  // a subdomain that may have underscores
void CheckIp(const FieldPath& field, std::string_view text, FieldErrors& errors);
// At most one of version 4 and one of version 6. `texts` are those of the list, `valid` when all of them are; `what`: "IP" or "CIDR".
void CheckOneOfEachFamily(const FieldPath& field, const json::Value& list, bool valid, std::span<const std::string_view> texts,
                          std::string_view what, FieldErrors& errors);

// A path that stays below where it begins.
void CheckNoBacksteps(const FieldPath& field, std::string_view path, FieldErrors& errors);
void CheckRelativePath(const FieldPath& field, std::string_view path, FieldErrors& errors);
void CheckProjectedPath(const FieldPath& field, std::string_view path, FieldErrors& errors);  // also not "..x"
void CheckFileMode(const FieldPath& field, const json::Value& mode, FieldErrors& errors);

// meta/v1 LabelSelector.
void CheckLabelSelector(const FieldPath& field, const json::Value& selector, FieldErrors& errors);
// Whether it says nothing, and so selects everything.
bool IsEmptySelector(const json::Value& selector);
// Whether `labels` are selected. What is no valid requirement selects nothing; no selector at all neither.
bool SelectorMatches(const json::Value& selector, const json::Value& labels);

}  // namespace allot::apiserver

#pragma once
// An index of references by uid: the dependents of an owner, the claims reserved for a Pod.
//
// Not thread-safe.

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "apiserver/store/entry.h"
#include "json/value.h"

namespace allot::apiserver {

class Referrers {
 public:
  // Replaces what `from` refers to.
  void Set(const Key& from, std::vector<std::string> uids);

  // Returns the referrers in a namespace (empty: in all), sorted. Any object may refer to a uid, so for a namespaced object pass its
  // namespace.
  std::vector<Key> Of(const std::string& uid, const std::string& space = "") const;
  bool Any(const std::string& uid) const { return from_.contains(uid); }
  // Returns what an object refers to.
  const std::vector<std::string>& By(const Key& from) const;

  void Clear();

 private:
  std::unordered_map<std::string, std::map<std::string, std::set<Key>>> from_;  // by uid, then by the referrer's namespace
  std::map<Key, std::vector<std::string>> to_;
};

// Returns the uids of an object's owners.
std::vector<std::string> OwnersOf(const json::Value& object);

}  // namespace allot::apiserver

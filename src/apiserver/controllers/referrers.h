#pragma once
// Which objects refer to a uid: the dependents of an owner, the claims that are reserved for a Pod.
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
  // What `from` refers to, instead of what it did before.
  void Set(const Key& from, std::vector<std::string> uids);

  // Those in a namespace (empty: everywhere), sorted. Anybody may refer to a uid, so an object in a namespace asks for its own.
  std::vector<Key> Of(const std::string& uid, const std::string& space = "") const;
  bool Any(const std::string& uid) const { return from_.contains(uid); }
  // What an object refers to.
  const std::vector<std::string>& By(const Key& from) const;

  void Clear();

 private:
  std::unordered_map<std::string, std::map<std::string, std::set<Key>>> from_;  // by what they refer to, and their namespace
  std::map<Key, std::vector<std::string>> to_;
};

// The uids of an object's owners.
std::vector<std::string> OwnersOf(const json::Value& object);

}  // namespace allot::apiserver

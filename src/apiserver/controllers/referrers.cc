#include "apiserver/controllers/referrers.h"

#include "json/editor.h"

namespace allot::apiserver {

void Referrers::Set(const Key& from, std::vector<std::string> uids) {
  const auto known = to_.find(from);
  if (known != to_.end()) {
    if (known->second == uids) return;
    for (const std::string& uid : known->second) {
      const auto found = from_.find(uid);
      if (found == from_.end()) continue;  // it was named twice
      found->second.erase(from);
      if (found->second.empty()) from_.erase(found);
    }
    to_.erase(known);
  }
  if (uids.empty()) return;
  for (const std::string& uid : uids) from_[uid].insert(from);
  to_.emplace(from, std::move(uids));
}

std::vector<Key> Referrers::Of(const std::string& uid) const {
  const auto found = from_.find(uid);
  if (found == from_.end()) return {};
  return {found->second.begin(), found->second.end()};
}

const std::vector<std::string>& Referrers::By(const Key& from) const {
  static const std::vector<std::string> none;
  const auto found = to_.find(from);
  return found == to_.end() ? none : found->second;
}

void Referrers::Clear() {
  from_.clear();
  to_.clear();
}

std::vector<std::string> OwnersOf(const json::Value& object) {
  std::vector<std::string> uids;
  for (const json::Value& owner : json::ItemsOf(object["metadata"]["ownerReferences"])) {
    uids.emplace_back(json::TextOf(owner["uid"]));
  }
  return uids;
}

}  // namespace allot::apiserver

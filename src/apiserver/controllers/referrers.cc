#include "apiserver/controllers/referrers.h"

#include <algorithm>

#include "json/editor.h"

namespace allot::apiserver {

void Referrers::Set(const Key& from, std::vector<std::string> uids) {
  const auto known = to_.find(from);
  if (known != to_.end()) {
    if (known->second == uids) return;
    for (const std::string& uid : known->second) {
      const auto found = from_.find(uid);
      if (found == from_.end()) continue;  // a uid that is listed twice
      const auto place = found->second.find(from.space);
      if (place == found->second.end()) continue;
      place->second.erase(from);
      if (place->second.empty()) found->second.erase(place);
      if (found->second.empty()) from_.erase(found);
    }
    to_.erase(known);
  }
  if (uids.empty()) return;
  for (const std::string& uid : uids) from_[uid][from.space].insert(from);
  to_.emplace(from, std::move(uids));
}

std::vector<Key> Referrers::Of(const std::string& uid, const std::string& space) const {
  const auto found = from_.find(uid);
  if (found == from_.end()) return {};
  const auto& places = found->second;
  std::vector<Key> keys;
  for (auto place = space.empty() ? places.begin() : places.find(space); place != places.end(); ++place) {
    keys.insert(keys.end(), place->second.begin(), place->second.end());
    if (!space.empty()) break;
  }
  std::sort(keys.begin(), keys.end());
  return keys;
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

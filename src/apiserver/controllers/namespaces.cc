#include "apiserver/controllers/namespaces.h"

namespace allot::apiserver {

namespace {

constexpr size_t kDeletesAtOnce = 200;         // then other keys have their turn
constexpr std::chrono::seconds kNextLook{15};  // deletions are noticed; this is for what nobody expects
constexpr std::string_view kFinalizer = "kubernetes";

}  // namespace

void Namespaces::Notice(const Sight& sight) {
  const Key& key = sight.key();
  if (sight.Is("namespaces")) {
    if (!sight.deleted() && !IsDeleting(sight.json())) return;
    ending_.insert(key.name);
    Add(key);
  } else if ((sight.deleted() || sight.created()) && ending_.contains(key.space)) {
    Add({"namespaces", "", key.space});
  }
}

Result<Again> Namespaces::Reconcile(const Key& key) {
  const std::optional<Stored> space = Read(store(), key);
  if (space && !IsDeleting(space->json())) {
    ending_.erase(key.name);  // a new one of that name
    return Again();
  }
  if (!space && !ending_.contains(key.name)) return Again();
  ASSIGN_OR_RETURN(const Content content, DeleteContent(key.name));
  if (!content.all_told) return Again(std::chrono::seconds(0));
  if (content.left > 0) return Again(kNextLook);
  if (!space) {
    // What was admitted before the deletion began and written after the namespace had gone is gone as well.
    ending_.erase(key.name);
    return Again();
  }
  TRY(Change(TargetOf(key, "finalize"), space->uid(), [](json::Editor& edit, const json::Value& stored) -> Result<json::Value> {
    std::vector<json::Value> kept;
    for (const json::Value& one : json::ItemsOf(stored["spec"]["finalizers"])) {
      if (json::TextOf(one) != kFinalizer) kept.push_back(one);
    }
    if (kept.empty()) return edit.WithoutAt(stored, {"spec", "finalizers"});
    return edit.SetAt(stored, {"spec", "finalizers"}, edit.Array(kept));
  }));
  return Again();
}

Result<Namespaces::Content> Namespaces::DeleteContent(const std::string& space) {
  Content content;
  size_t deleted = 0;
  std::set<std::string> seen;
  for (const auto& kind : api().kinds()->all()) {
    const std::string resource = kind->type.FullName();
    if (!kind->type.namespaced || kind->empty || !seen.insert(resource).second) continue;
    for (const EntryPtr& entry : store().List(resource, space).entries) {
      ++content.left;
      if (entry->json.find("\"deletionTimestamp\"") != std::string::npos && IsDeleting(Stored(entry).json())) continue;
      if (++deleted > kDeletesAtOnce) {
        content.all_told = false;
        return content;
      }
      const Target target{kind, space, entry->key.name};
      TRY(Delete(target, entry->uid));
      if (store().Get(entry->key) == nullptr) --content.left;
    }
  }
  return content;
}

}  // namespace allot::apiserver

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
  } else if (!key.space.empty() && (sight.deleted() || sight.created())) {
    if (!ending_.contains(key.space)) {
      if (sight.deleted() || !IsEnding(key.space)) return;
      ending_.insert(key.space);
    }
    Add({"namespaces", "", key.space});
  }
}

bool Namespaces::IsEnding(const std::string& space) const {
  const EntryPtr entry = store().Get({"namespaces", "", space});
  // Most are not being deleted: that much is seen without reading all of it.
  return entry != nullptr && entry->json.find("\"deletionTimestamp\"") != std::string::npos && IsDeleting(Stored(entry).json());
}

Result<Again> Namespaces::Reconcile(const Key& key) {
  // What is written later than this may be in a new namespace of the same name.
  const uint64_t version = store().version();
  const std::optional<Stored> space = Read(store(), key);
  if (space && !IsDeleting(space->json())) {
    ending_.erase(key.name);  // a new one of that name
    return Again();
  }
  if (!space && !ending_.contains(key.name)) return Again();
  ASSIGN_OR_RETURN(const Content content, DeleteContent(key.name, space ? UINT64_MAX : version));
  if (!content.all_told) return Again(std::chrono::seconds(0));
  if (content.left > 0) return Again(kNextLook);
  if (!space) return Again();
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

Result<Namespaces::Content> Namespaces::DeleteContent(const std::string& space, uint64_t version) {
  Content content;
  size_t deleted = 0;
  Status failed;  // what cannot be deleted does not keep the others
  std::set<std::string> seen;
  for (const auto& kind : api().kinds()->all()) {
    const std::string resource = kind->type.FullName();
    if (!kind->type.namespaced || kind->empty || !seen.insert(resource).second) continue;
    for (const EntryPtr& entry : store().List(resource, space).entries) {
      if (entry->version > version) continue;
      ++content.left;
      if (entry->json.find("\"deletionTimestamp\"") != std::string::npos && IsDeleting(Stored(entry).json())) continue;
      if (++deleted > kDeletesAtOnce) {
        content.all_told = false;
        return content;
      }
      const Target target{kind, space, entry->key.name};
      if (Status gone = Delete(target, entry->uid); !gone.ok()) failed = std::move(gone);
      if (store().Get(entry->key) == nullptr) --content.left;
    }
  }
  if (!failed.ok()) return failed;
  return content;
}

}  // namespace allot::apiserver

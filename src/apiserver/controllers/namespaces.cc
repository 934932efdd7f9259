#include "apiserver/controllers/namespaces.h"

#include <algorithm>

#include "apiserver/controllers/conditions.h"

namespace allot::apiserver {

namespace {

constexpr size_t kDeletesAtOnce = 200;         // before other keys get their turn
constexpr std::chrono::seconds kNextLook{15};  // only a safeguard: deletions are noticed
constexpr std::chrono::seconds kPatience{1};   // before the conditions give a reason, and between changes of them
constexpr std::string_view kFinalizer = "kubernetes";

// Returns "pods. has 2 resource instances, ...": Kubernetes' words, sorted.
std::string Counted(const std::map<std::string, size_t>& counts, std::string_view between) {
  std::vector<std::string> texts;
  for (const auto& [what, count] : counts) texts.push_back(StrCat(what, between, count, " resource instances"));
  return Join(texts, ", ");
}

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
  // Check the text first: most namespaces are not being deleted.
  return entry != nullptr && entry->json.find("\"deletionTimestamp\"") != std::string::npos && IsDeleting(Stored(entry).json());
}

Result<Again> Namespaces::Reconcile(const Key& key) {
  // Objects written after this version may belong to a new namespace of the same name.
  const uint64_t version = store().version();
  const std::optional<Stored> space = Read(store(), key);
  if (space && !IsDeleting(space->json())) {
    ending_.erase(key.name);  // a new namespace of that name
    return Again();
  }
  if (!space && !ending_.contains(key.name)) return Again();
  const Content content = DeleteContent(key.name, space ? UINT64_MAX : version);
  if (!content.all_told) return Again(std::chrono::seconds(0));
  if (space && (!content.left.empty() || !content.failures.empty())) return Wait(*space, content);
  if (!content.failures.empty()) return content.failures.front();
  if (!content.left.empty()) return Again(kNextLook);
  explained_.erase(key.name);
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

Namespaces::Content Namespaces::DeleteContent(const std::string& space, uint64_t version) {
  Content content;
  size_t deleted = 0;
  std::set<std::string> seen;
  for (const auto& kind : api().kinds()->all()) {
    const std::string resource = kind->type.FullName();
    if (!kind->type.namespaced || kind->empty || !seen.insert(resource).second) continue;
    for (EntryPtr entry : store().List(resource, space).entries) {
      if (entry->version > version) continue;
      if (entry->json.find("\"deletionTimestamp\"") == std::string::npos || !IsDeleting(Stored(entry).json())) {
        if (++deleted > kDeletesAtOnce) {
          content.all_told = false;
          return content;
        }
        const Target target{kind, space, entry->key.name};
        if (Status gone = Delete(target, entry->uid); !gone.ok()) content.failures.push_back(std::move(gone));
        entry = store().Get(entry->key);
        if (entry == nullptr) continue;
      }
      ++content.left[StrCat(kind->type.plural, ".", kind->type.group)];
      if (entry->json.find("\"finalizers\"") == std::string::npos) continue;
      const Stored object(entry);
      for (const json::Value& one : json::ItemsOf(object.metadata()["finalizers"])) {
        ++content.finalizers[std::string(json::TextOf(one))];
      }
    }
  }
  return content;
}

Result<Again> Namespaces::Wait(const Stored& space, const Content& content) {
  const MonotonicTime now = world().clock.MonotonicNow();
  const auto [explained, first] = explained_.try_emplace(space.key().name, now);
  if (const auto since = now - explained->second; since < kPatience) return Again(kPatience - since);
  explained->second = now;
  std::vector<std::string> failures;
  for (const Status& failure : content.failures) failures.push_back(failure.message());
  std::sort(failures.begin(), failures.end());

  const auto condition = [](bool bad, std::string_view type, std::string_view reason, std::string message, std::string_view good_reason,
                            std::string_view good) {
    return bad ? Condition{type, "True", reason, std::move(message)} : Condition{type, "False", good_reason, std::string(good)};
  };
  const Condition conditions[] = {
      condition(false, "NamespaceDeletionDiscoveryFailure", "", "", "ResourcesDiscovered", "All resources successfully discovered"),
      condition(false, "NamespaceDeletionGroupVersionParsingFailure", "", "", "ParsedGroupVersions",
                "All legacy kube types successfully parsed"),
      condition(!failures.empty(), "NamespaceDeletionContentFailure", "ContentDeletionFailed",
                StrCat("Failed to delete all resource types, ", failures.size(), " remaining: ", Join(failures, ", ")), "ContentDeleted",
                "All content successfully deleted, may be waiting on finalization"),
      condition(!content.left.empty(), "NamespaceContentRemaining", "SomeResourcesRemain",
                StrCat("Some resources are remaining: ", Counted(content.left, " has ")), "ContentRemoved",
                "All content successfully removed"),
      condition(!content.finalizers.empty(), "NamespaceFinalizersRemaining", "SomeFinalizersRemain",
                StrCat("Some content in the namespace has finalizers remaining: ", Counted(content.finalizers, " in ")),
                "ContentHasNoFinalizers", "All content-preserving finalizers finished"),
  };
  TRY(Change(TargetOf(space.key(), "status"), space.uid(), [&](json::Editor& edit, const json::Value& stored) -> Result<json::Value> {
    json::Value list = stored["status"]["conditions"];
    for (const Condition& one : conditions) list = SetCondition(edit, list, one, Now());
    return edit.SetAt(stored, {"status", "conditions"}, list);
  }));
  if (!content.failures.empty()) return content.failures.front();
  return Again(kNextLook);
}

}  // namespace allot::apiserver

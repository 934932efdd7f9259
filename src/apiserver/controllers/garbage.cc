#include "apiserver/controllers/garbage.h"

#include <algorithm>
#include <array>
#include <map>

namespace allot::apiserver {

namespace {

constexpr std::string_view kOrphan = "orphan", kForeground = "foregroundDeletion";
constexpr size_t kGoneOwners = 1000;
constexpr std::chrono::seconds kUnknownKindPause{60};  // the definition of the kind may still be created

bool IsWaiting(const json::Value& object) { return IsDeleting(object) && HasFinalizer(object, kForeground); }

// A namespaced owner counts only for dependents in its namespace.
bool Reaches(const Key& owner, const Key& dependent) { return owner.space.empty() || owner.space == dependent.space; }

bool Blocks(const json::Value& dependent, std::string_view owner_uid) {
  const auto owners = json::ItemsOf(dependent["metadata"]["ownerReferences"]);
  return std::any_of(owners.begin(), owners.end(), [&](const json::Value& owner) {
    return json::TextOf(owner["uid"]) == owner_uid && json::IsTrue(owner["blockOwnerDeletion"]);
  });
}

}  // namespace

void Garbage::Notice(const Sight& sight) {
  // Reconcile waiting owners on every change of a dependent: it may be gone, or no longer block.
  for (const std::string& uid : world().owners.By(sight.key())) {
    const auto waits = waiting_.find(uid);
    if (waits != waiting_.end() && Reaches(waits->second, sight.key())) Add(waits->second);
  }
  if (sight.deleted()) {
    waiting_.erase(sight.uid());
    if (!world().owners.Any(sight.uid())) return;
    Remember(sight.uid());
    for (const Key& dependent : world().owners.Of(sight.uid(), sight.key().space)) Add(dependent);
    return;
  }
  const bool ends = sight.Mentions("\"deletionTimestamp\"") && (sight.Mentions("\"orphan\"") || sight.Mentions("\"foregroundDeletion\""));
  if (ends || sight.Mentions("\"ownerReferences\"")) Add(sight.key());
}

void Garbage::Forget() {
  waiting_.clear();
  gone_.clear();
  gone_order_.clear();
}

void Garbage::Remember(const std::string& uid) {
  if (!gone_.insert(uid).second) return;
  gone_order_.push_back(uid);
  if (gone_order_.size() <= kGoneOwners) return;
  gone_.erase(gone_order_.front());
  gone_order_.pop_front();
}

Result<Again> Garbage::Reconcile(const Key& key) {
  const std::optional<Stored> object = Read(store(), key);
  if (!object) return Again();
  // Bring the index up to date: it must contain dependents written before this state of their owner.
  world().catch_up();
  if (!IsDeleting(object->json())) return CheckOwners(*object);
  Status status;
  if (HasFinalizer(object->json(), kOrphan)) {
    status = Orphan(*object);
  } else if (HasFinalizer(object->json(), kForeground)) {
    waiting_[object->uid()] = key;
    status = AwaitDependents(*object);
  }
  if (!status.ok()) return status;
  return Again();
}

// Returns the target of an object of any served kind. Its kind is null if the kind is not served.
Target Garbage::PlaceOf(const Key& key) const {
  Target place{nullptr, key.space, key.name};
  for (const auto& kind : api().kinds()->all()) {
    if (kind->type.FullName() != key.resource) continue;
    if (place.kind == nullptr || kind->ApiVersion() == kind->StorageApiVersion()) place.kind = kind;
  }
  return place;
}

Status Garbage::ChangeAny(const Stored& object, const Api::ChangeFunction& change) const {
  const Target place = PlaceOf(object.key());
  if (place.kind == nullptr) return Status();
  return Change(place, object.uid(), [&](json::Editor& edit, const json::Value& stored) -> Result<json::Value> {
    ASSIGN_OR_RETURN(const json::Value changed, change(edit, stored));
    // The object may be stored in another version than the served one.
    return edit.Set(changed, "apiVersion", edit.String(place.kind->ApiVersion()));
  });
}

Garbage::OwnerState Garbage::StateOf(const Stored& object, const json::Value& reference) const {
  const std::string uid(json::TextOf(reference["uid"]));
  if (gone_.contains(uid)) return OwnerState::kGone;
  const std::string_view version = json::TextOf(reference["apiVersion"]);
  const size_t slash = version.find('/');
  const std::string_view group = slash == std::string_view::npos ? std::string_view() : version.substr(0, slash);
  const std::shared_ptr<const Kinds> kinds = api().kinds();
  const Kind* kind =
      kinds->FindKind(group, slash == std::string_view::npos ? version : version.substr(slash + 1), json::TextOf(reference["kind"]));
  if (kind == nullptr) return OwnerState::kUnknown;
  if (kind->type.namespaced && object.key().space.empty()) return OwnerState::kUnknown;
  const Key key{kind->type.FullName(), kind->type.namespaced ? object.key().space : "", std::string(json::TextOf(reference["name"]))};
  EntryPtr owner = store().Get(key);
  if (owner == nullptr || owner->uid != uid) return OwnerState::kGone;
  return IsWaiting(Stored(std::move(owner)).json()) ? OwnerState::kWaits : OwnerState::kThere;
}

std::vector<Garbage::OwnerState> Garbage::OwnersOf(const Stored& object) const {
  std::vector<OwnerState> states;
  std::map<std::array<std::string_view, 4>, OwnerState> known;  // an object may name one owner thousands of times
  for (const json::Value& reference : json::ItemsOf(object.metadata()["ownerReferences"])) {
    const auto text = [&](std::string_view key) { return json::TextOf(reference[key]); };
    const auto [place, added] = known.try_emplace({text("apiVersion"), text("kind"), text("name"), text("uid")});
    if (added) place->second = StateOf(object, reference);
    states.push_back(place->second);
  }
  return states;
}

Result<Again> Garbage::CheckOwners(const Stored& object) {
  const std::vector<OwnerState> states = OwnersOf(object);
  const auto has = [&](OwnerState state) { return std::find(states.begin(), states.end(), state) != states.end(); };
  if (states.empty()) return Again();
  if (has(OwnerState::kUnknown)) return Again(kUnknownKindPause);
  if (has(OwnerState::kThere)) {
    if (has(OwnerState::kGone) || has(OwnerState::kWaits)) TRY(DropReferences(object, states));
    return Again();
  }
  TRY(DeleteDependent(object, has(OwnerState::kWaits)));
  return Again();
}

// Removes the references to all owners that are not there.
Status Garbage::DropReferences(const Stored& object, const std::vector<OwnerState>& states) {
  const auto references = json::ItemsOf(object.metadata()["ownerReferences"]);
  std::unordered_set<std::string_view> dropped;
  for (size_t i = 0; i < states.size(); ++i) {
    if (states[i] != OwnerState::kThere) dropped.insert(json::TextOf(references[i]["uid"]));
  }
  return ChangeAny(object, [&](json::Editor& edit, const json::Value& stored) -> Result<json::Value> {
    std::vector<json::Value> kept;
    for (const json::Value& owner : json::ItemsOf(stored["metadata"]["ownerReferences"])) {
      if (!dropped.contains(json::TextOf(owner["uid"]))) kept.push_back(owner);
    }
    if (kept.empty()) return edit.WithoutAt(stored, {"metadata", "ownerReferences"});
    return edit.SetAt(stored, {"metadata", "ownerReferences"}, edit.Array(kept));
  });
}

Status Garbage::DeleteDependent(const Stored& object, bool owner_waits) {
  const Target place = PlaceOf(object.key());
  if (place.kind == nullptr) return Status();
  DeleteOptions options;
  options.uid = object.uid();
  options.resource_version = std::to_string(object.entry().version);  // conflict, and retry, if another owner adopts the object meanwhile
  options.propagation = HasFinalizer(object.json(), kOrphan)       ? "Orphan"
                        : HasFinalizer(object.json(), kForeground) ? "Foreground"
                                                                   : "Background";
  const std::vector<Key> dependents = world().owners.Of(object.uid(), object.key().space);
  if (owner_waits && !dependents.empty()) {
    options.propagation = "Foreground";
    TRY(BreakCircle(object, dependents));
    if (const EntryPtr now = store().Get(object.key())) options.resource_version = std::to_string(now->version);
  }
  const Result<Answer> answer = api().Delete(caller(), place, options);
  return answer.ok() ? Status() : UnlessGone(answer.status());
}

// Owners that wait for each other would wait forever, so a dependent that waits itself stops blocking.
Status Garbage::BreakCircle(const Stored& object, const std::vector<Key>& dependents) {
  const bool circle = std::any_of(dependents.begin(), dependents.end(), [&](const Key& key) {
    const std::optional<Stored> dependent = Read(store(), key);
    return dependent && IsWaiting(dependent->json());
  });
  if (!circle) return Status();
  return ChangeAny(object, [](json::Editor& edit, const json::Value& stored) -> Result<json::Value> {
    const json::Value open = edit.Map(stored["metadata"]["ownerReferences"], [&](const json::Value& owner) {
      return json::IsTrue(owner["blockOwnerDeletion"]) ? edit.Set(owner, "blockOwnerDeletion", edit.Bool(false)) : owner;
    });
    return edit.SetAt(stored, {"metadata", "ownerReferences"}, open);
  });
}

Status Garbage::Orphan(const Stored& owner) {
  for (const Key& key : world().owners.Of(owner.uid(), owner.key().space)) {
    const std::optional<Stored> dependent = Read(store(), key);
    if (!dependent) continue;
    TRY(ChangeAny(*dependent, [&](json::Editor& edit, const json::Value& stored) -> Result<json::Value> {
      return WithoutOwner(edit, stored, owner.uid());
    }));
  }
  return TakeOff(owner, kOrphan);
}

Status Garbage::AwaitDependents(const Stored& owner) {
  bool blocked = false;
  for (const Key& key : world().owners.Of(owner.uid(), owner.key().space)) {
    const std::optional<Stored> dependent = Read(store(), key);
    if (!dependent) continue;
    blocked = blocked || Blocks(dependent->json(), owner.uid());
    if (!IsDeleting(dependent->json())) Add(key);
  }
  return blocked ? Status() : TakeOff(owner, kForeground);
}

Status Garbage::TakeOff(const Stored& owner, std::string_view finalizer) {
  return ChangeAny(owner, [&](json::Editor& edit, const json::Value& stored) -> Result<json::Value> {
    return WithoutFinalizer(edit, stored, finalizer);
  });
}

}  // namespace allot::apiserver

#include "apiserver/registry/registry.h"

#include <algorithm>

#include "apiserver/kinds/metadata.h"
#include "apiserver/kinds/pod/pod.h"
#include "apiserver/patch/managed_fields.h"
#include "apiserver/registry/registry_work.h"
#include "json/json.h"

namespace allot::apiserver {

namespace {

constexpr int kNameTries = 8;  // attempts for generateName

bool IsOutcome(const Status& status) { return status.code() != Code::kConflict || RefusalOf(status) != nullptr; }

// Turns an error of the store into one for the client.
Status Translated(Status status) {
  if (status.ok() || RefusalOf(status) != nullptr) return status;
  return InternalError(StrCat("the store could not write: ", status.message()));
}

}  // namespace

Registry::Registry(Parts parts) : parts_(std::move(parts)), built_in_(BuiltInKinds()), kinds_(std::make_shared<Kinds>(built_in_)) {}

std::shared_ptr<const Kinds> Registry::kinds() const {
  const std::lock_guard lock(mutex_);
  return kinds_;
}

void Registry::SetCustomKinds(std::vector<std::shared_ptr<const Kind>> kinds) {
  kinds.insert(kinds.begin(), built_in_.begin(), built_in_.end());
  auto all = std::make_shared<Kinds>(std::move(kinds));
  const std::lock_guard lock(mutex_);
  kinds_ = std::move(all);
}

std::shared_ptr<const Kind> Registry::BuiltIn(std::string_view resource) const {
  const auto found = std::find_if(built_in_.begin(), built_in_.end(), [&](const auto& kind) { return kind->type.FullName() == resource; });
  CHECK(found != built_in_.end());
  return *found;
}

Result<Answer> Registry::Get(const Target& target) {
  Answer answer;
  answer.entry = parts_.store.Get(KeyOf(target));
  if (answer.entry == nullptr) return NotFound(*target.kind, target.name);
  return answer;
}

Result<Answer> Registry::Create(const Caller& caller, const Target& target, const json::Value& body, const WriteOptions& options) {
  for (int tries = 0;; ++tries) {
    Work work(caller, target, options, parts_.clock.Now());
    ASSIGN_OR_RETURN(const json::Value object, Decode(work, body));
    const json::Value& metadata = object["metadata"];
    const bool generated = json::TextOf(metadata["name"]).empty() && !json::TextOf(metadata["generateName"]).empty();
    Proposal proposal;
    proposal.object = object;
    proposal.forgets_managers = ResetsManagers(body);
    Result<Answer> answer = Insert(work, proposal);
    if (answer.ok() || IsOutcome(answer.status())) return answer.ok() ? std::move(answer) : Translated(std::move(answer).status());
    if (generated && tries < kNameTries) continue;
    const Result<Existing> there = Load({target.kind, target.space, work.name, ""});
    Status exists = AlreadyExists(*target.kind, work.name);
    if (there.ok() && !there->object["metadata"]["deletionTimestamp"].IsNull()) return std::move(exists).Context("object is being deleted");
    return exists;
  }
}

Result<Answer> Registry::Write(Work& work, const Propose& propose) {
  for (;;) {
    Result<Existing> existing = Load(work.target);
    if (!existing.ok() && !HasReason(existing.status(), "NotFound")) return existing.status();
    ASSIGN_OR_RETURN(const Proposal proposal, propose(work, existing.ok() ? &*existing : nullptr));
    Result<Answer> answer = existing.ok() ? Replace(work, *existing, proposal) : Insert(work, proposal);
    if (answer.ok()) return answer;
    if (IsOutcome(answer.status())) return Translated(std::move(answer).status());
    work.warnings.clear();
  }
}

Result<Answer> Registry::Update(const Caller& caller, const Target& target, const json::Value& body, const WriteOptions& options) {
  Work work(caller, target, options, parts_.clock.Now());
  return Write(work, [&](Work&, const Existing* existing) -> Result<Proposal> {
    if (existing == nullptr && (!target.kind->create_on_update || !target.subresource.empty())) return NotFound(*target.kind, target.name);
    Proposal proposal;
    ASSIGN_OR_RETURN(proposal.object, Decode(work, body));
    proposal.checks_uid = true;
    proposal.forgets_managers = ResetsManagers(body);
    return proposal;
  });
}

Result<Answer> Registry::Patch(const Caller& caller, const Target& target, PatchType type, const json::Value& patch,
                               const WriteOptions& options) {
  Work work(caller, target, options, parts_.clock.Now());
  return Write(work, [&](Work&, const Existing* existing) -> Result<Proposal> {
    if (existing == nullptr && (type != PatchType::kApply || !target.subresource.empty())) return NotFound(*target.kind, target.name);
    Proposal proposal;
    if (type == PatchType::kApply) {
      ASSIGN_OR_RETURN(proposal.object, Applied(work, existing, patch));
      proposal.managed = true;
    } else {
      ASSIGN_OR_RETURN(const json::Value patched, Patched(work, *existing, type, patch));
      ASSIGN_OR_RETURN(proposal.object, Decode(work, patched));
      proposal.forgets_managers = ResetsManagers(patched);
    }
    return proposal;
  });
}

Result<Answer> Registry::Change(const Caller& caller, const Target& target, const ChangeFunction& change) {
  const WriteOptions options;
  Work work(caller, target, options, parts_.clock.Now());
  return Write(work, [&](Work&, const Existing* existing) -> Result<Proposal> {
    if (existing == nullptr) return NotFound(*target.kind, target.name);
    Proposal proposal;
    ASSIGN_OR_RETURN(const json::Value changed, change(work.edit, existing->object));
    ASSIGN_OR_RETURN(proposal.object, Decode(work, changed));
    return proposal;
  });
}

Result<Answer> Registry::Insert(Work& work, const Proposal& proposal) {
  if (!json::TextOf(proposal.object["metadata"]["resourceVersion"]).empty()) {
    if (proposal.managed || work.kind.create_on_update)
      return ConflictOn(work.kind, work.target.name, "StorageError: invalid object, the object is gone");
    return Refuse(500, "", "resourceVersion should not be set on objects to be created");
  }
  if (proposal.managed && !json::TextOf(proposal.object["metadata"]["uid"]).empty()) {
    return ConflictOn(work.kind, work.target.name, "uid mismatch: the provided object specified a uid, and no existing object was found");
  }
  TRY(CheckPlace(work, proposal.object));
  work.name = json::TextOf(proposal.object["metadata"]["name"]);
  // Record the manager before admission: no manager owns fields that the server adds.
  json::Value object = proposal.managed ? proposal.object : RecordManager(work, json::Value(), proposal);
  ASSIGN_OR_RETURN(object, Mutate(work, nullptr, object, Operation::kCreate));
  object = FillNew(work, object);
  if (work.kind.rules != nullptr) object = work.kind.rules->PrepareCreate(work.edit, object);
  ASSIGN_OR_RETURN(object, Canonical(work, object));

  FieldErrors errors;
  ValidateMetadata(work.kind, object, errors);
  if (work.kind.rules != nullptr) work.kind.rules->Validate(object, errors);
  if (!errors.empty()) return InvalidObject(work.kind, work.name, errors);
  TRY(Admit(work, nullptr, object, Operation::kCreate));
  if (work.kind.rules != nullptr) work.kind.rules->Warn(object, work.warnings);

  Answer answer;
  answer.code = 201;
  const Key key{work.kind.type.FullName(), work.target.space, work.name};
  if (work.options.dry_run) {
    if (parts_.store.Get(key) != nullptr) return Conflict("it exists");
    answer.json = json::Write(object);
  } else {
    ASSIGN_OR_RETURN(Draft draft, MakeDraft(work.kind, object));
    ASSIGN_OR_RETURN(answer.entry, parts_.store.Put(key, 0, std::move(draft)));
  }
  work.Warn();
  return answer;
}

Result<Answer> Registry::Replace(Work& work, const Existing& existing, const Proposal& proposal) {
  work.name = work.target.name;
  TRY(CheckPlace(work, proposal.object));
  TRY(CheckVersion(work, existing, proposal));
  const json::Value old = work.edit.WithoutAt(existing.object, {"metadata", "resourceVersion"});
  json::Value object = CarryOver(work, old, proposal);
  if (!proposal.managed) object = RecordManager(work, old, {object, false, false, proposal.forgets_managers});
  ASSIGN_OR_RETURN(object, Mutate(work, &old, object, Operation::kUpdate));
  if (work.target.subresource == "ephemeralcontainers") {
    object = PrepareEphemeralContainers(work.edit, object, old);
  } else if (work.kind.rules != nullptr && !work.IsAction()) {
    object = work.target.subresource == "status" ? work.kind.rules->PrepareStatus(work.edit, object, old)
                                                 : work.kind.rules->PrepareUpdate(work.edit, object, old);
  }
  ASSIGN_OR_RETURN(object, Canonical(work, object));
  object = RaiseGeneration(work, old, object);

  FieldErrors errors;
  ValidateChange(work, object, old, errors);
  if (!errors.empty()) return InvalidObject(work.kind, work.name, errors);
  TRY(Admit(work, &old, object, Operation::kUpdate));
  if (work.kind.rules != nullptr) work.kind.rules->Warn(object, work.warnings);
  object = KeepTimes(work.edit, old, object);
  return Finish(work, existing, old, object);
}

// Whether the object was only waiting for its finalizers.
bool Registry::IsOver(const Kind& kind, const json::Value& object) {
  const json::Value& metadata = object["metadata"];
  if (metadata["deletionTimestamp"].IsNull() || !json::ItemsOf(metadata["finalizers"]).empty()) return false;
  if (kind.type.FullName() == "namespaces" && !json::ItemsOf(object["spec"]["finalizers"]).empty()) return false;
  const json::Value& grace = metadata["deletionGracePeriodSeconds"];
  return !grace.IsNumber() || grace.AsInt64().value_or(0) == 0;
}

Result<Answer> Registry::Finish(Work& work, const Existing& existing, const json::Value& old, const json::Value& object) {
  Answer answer;
  work.Warn();
  const bool same = json::Equal(old, object);
  if (work.options.dry_run) {
    answer.json =
        json::Write(work.edit.SetAt(object, {"metadata", "resourceVersion"}, work.edit.String(std::to_string(existing.entry->version))));
    return answer;
  }
  if (same && !existing.other_storage && !IsOver(work.kind, object)) {
    answer.entry = existing.entry;
    return answer;
  }
  const Key key = KeyOf(work.target);
  const uint64_t version = existing.entry->version;
  ASSIGN_OR_RETURN(Draft draft, MakeDraft(work.kind, object));
  if (IsOver(work.kind, object)) {
    ASSIGN_OR_RETURN(answer.entry, parts_.store.Remove(key, version, std::move(draft)));
    answer.removed = true;
    return answer;
  }
  ASSIGN_OR_RETURN(answer.entry, parts_.store.Put(key, version, std::move(draft)));
  return answer;
}

}  // namespace allot::apiserver

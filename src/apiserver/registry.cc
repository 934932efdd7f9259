#include "apiserver/registry.h"

#include <algorithm>

#include "apiserver/kinds/custom_prune.h"
#include "apiserver/kinds/metadata.h"
#include "apiserver/kinds/pod.h"
#include "apiserver/patch/json_patch.h"
#include "apiserver/patch/managed_fields.h"
#include "apiserver/patch/merge_patch.h"
#include "apiserver/patch/strategic_patch.h"
#include "apiserver/registry_work.h"
#include "apiserver/schema/normalize.h"
#include "json/json.h"
#include "json/utf8.h"
#include "kube/timestamp.h"

namespace allot::apiserver {

namespace {

constexpr int kNameTries = 8;           // of generateName
constexpr size_t kMaxObject = 3 << 20;  // bytes that are stored
constexpr std::string_view kModified = "the object has been modified; please apply your changes to the latest version and try again";

std::string RandomSuffix(Random& random) {
  static constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";  // no vowels: no words
  std::string suffix;
  for (int i = 0; i < 5; ++i) suffix += kLetters[random.Below(kLetters.size())];
  return suffix;
}

bool IsOutcome(const Status& status) { return status.code() != Code::kConflict || RefusalOf(status) != nullptr; }

// What the store says when a write failed, for the client.
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

Key Registry::KeyOf(const Target& target) const { return {target.kind->type.FullName(), target.space, target.name}; }

Result<Answer> Registry::Get(const Target& target) {
  Answer answer;
  answer.entry = parts_.store.Get(KeyOf(target));
  if (answer.entry == nullptr) return NotFound(*target.kind, target.name);
  return answer;
}

Result<Registry::Existing> Registry::Load(const Target& target) const {
  Existing existing;
  existing.entry = parts_.store.Get(KeyOf(target));
  if (existing.entry == nullptr) return NotFound(*target.kind, target.name);
  ASSIGN_OR_RETURN(existing.document, json::Parse(existing.entry->json));
  return existing;
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
    if (there.ok() && !there->root()["metadata"]["deletionTimestamp"].IsNull()) return std::move(exists).Context("object is being deleted");
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

Result<json::Value> Registry::Patched(Work& work, const Existing& existing, PatchType type, const json::Value& patch) const {
  switch (type) {
    case PatchType::kJson: return ApplyJsonPatch(work.edit, existing.root(), patch);
    case PatchType::kMerge:
      if (!patch.IsObject()) return BadRequest("a merge patch is a JSON object");
      return ApplyMergePatch(work.edit, existing.root(), patch);
    case PatchType::kStrategic:
      if (!patch.IsObject()) return BadRequest("a strategic merge patch is a JSON object");
      if (work.kind.custom)
        return Refuse(415, "UnsupportedMediaType", "strategic merge patches are not for custom resources; use a merge patch");
      return ApplyStrategicPatch(work.edit, *work.kind.schema, existing.root(), patch);
    case PatchType::kApply: break;
  }
  return InternalError("no such type of patch");
}

Result<Answer> Registry::Change(const Caller& caller, const Target& target, const ChangeFunction& change) {
  const WriteOptions options;
  Work work(caller, target, options, parts_.clock.Now());
  return Write(work, [&](Work&, const Existing* existing) -> Result<Proposal> {
    if (existing == nullptr) return NotFound(*target.kind, target.name);
    Proposal proposal;
    ASSIGN_OR_RETURN(const json::Value changed, change(work.edit, existing->root()));
    ASSIGN_OR_RETURN(proposal.object, Decode(work, changed));
    return proposal;
  });
}

// A body as an object of the kind, with its defaults.
Result<json::Value> Registry::Decode(Work& work, const json::Value& body) const {
  const Kind& kind = work.kind;
  if (!body.IsObject()) return BadRequest(StrCat("the body must be a ", kind.type.kind, " object, not ", json::KindName(body.kind())));
  const std::string_view version = json::TextOf(body["apiVersion"]), name = json::TextOf(body["kind"]);
  if (!version.empty() && version != kind.ApiVersion()) {
    return BadRequest(
        StrCat("the API version in the data (", version, ") does not match the expected API version (", kind.ApiVersion(), ")"));
  }
  if (!name.empty() && name != kind.type.kind) {
    if (kinds()->FindKind(kind.type.group, kind.type.version, name) == nullptr) {
      return BadRequest(StrCat("no kind \"", name, "\" is registered for version \"", kind.ApiVersion(), "\""));
    }
    return BadRequest(StrCat(name, " in version \"", kind.ApiVersion(), "\" cannot be handled as a ", kind.type.kind));
  }
  std::vector<std::string> unknown;
  ASSIGN_OR_RETURN(const json::Value object, Understood(work, body, &unknown));
  TRY(CheckFields(work, unknown));
  return kind.strategy == nullptr ? object : kind.strategy->Default(work.edit, object);
}

Result<json::Value> Registry::Understood(Work& work, const json::Value& body, std::vector<std::string>* unknown) const {
  const Kind& kind = work.kind;
  const auto bad = [&](const Status& status) {
    return BadRequest(
        StrCat(kind.type.kind, " in version \"", kind.type.version, "\" cannot be handled as a ", kind.type.kind, ": ", status.message()));
  };
  json::Value object = body;
  if (kind.custom) {
    static const Type& metadata_type = *Schema::BuiltIn().Find("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
    Result<Normalized> metadata = Normalize(work.edit, metadata_type, body["metadata"].IsNull() ? work.edit.Object({}) : body["metadata"]);
    if (!metadata.ok()) return bad(metadata.status());
    for (const std::string& field : metadata->unknown) unknown->push_back(StrCat("metadata.", field));
    object = work.edit.Set(PruneCustom(work.edit, *kind.schema, body, unknown), "metadata", metadata->value);
  } else {
    Result<Normalized> normalized = Normalize(work.edit, *kind.schema, body);
    if (!normalized.ok()) return bad(normalized.status());
    object = normalized->value;
    unknown->insert(unknown->end(), normalized->unknown.begin(), normalized->unknown.end());
  }
  return WithTypeInFront(work.edit, kind, object);
}

Status Registry::CheckFields(Work& work, const std::vector<std::string>& unknown) const {
  if (work.options.validation == FieldValidation::kIgnore) return Status();
  std::vector<std::string> found;
  for (const std::string& field : unknown) found.push_back(StrCat("unknown field \"", field, "\""));
  for (const std::string& field : work.options.duplicates) found.push_back(StrCat("duplicate field \"", field, "\""));
  if (found.empty()) return Status();
  if (work.options.validation == FieldValidation::kStrict) {
    return BadRequest(StrCat(work.kind.type.kind, " in version \"", work.kind.type.version, "\" cannot be handled as a ",
                             work.kind.type.kind, ": strict decoding error: ", Join(found, ", ")));
  }
  work.warnings.insert(work.warnings.end(), found.begin(), found.end());
  return Status();
}

// The namespace and name that an object says must be those of its path.
Status Registry::CheckPlace(const Work& work, const json::Value& object) const {
  const std::string_view space = json::TextOf(object["metadata"]["namespace"]), name = json::TextOf(object["metadata"]["name"]);
  if (!space.empty() && space != work.target.space) {
    return BadRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
  if (!work.target.name.empty() && !name.empty() && name != work.target.name) {
    return BadRequest(StrCat("the name of the object (", name, ") does not match the name on the URL (", work.target.name, ")"));
  }
  return Status();
}

Result<json::Value> Registry::Mutate(Work& work, const json::Value* old, const json::Value& object, Operation operation) {
  const AdmissionRequest request{
      operation, work.kind,     work.target.space, work.name,         work.target.subresource, work.caller.user, old, work.options.dry_run,
      *this,     work.warnings, work.caller.uid,   work.caller.groups};
  json::Value changed = object;
  for (const auto& step : parts_.admission) {
    Result<json::Value> result = step->Mutate(request, work.edit, changed);
    if (!result.ok()) return Refused(work, std::move(result).status());
    changed = *result;
  }
  return changed;
}

Status Registry::Admit(Work& work, const json::Value* old, const json::Value& object, Operation operation) {
  const AdmissionRequest request{
      operation, work.kind,     work.target.space, work.name,         work.target.subresource, work.caller.user, old, work.options.dry_run,
      *this,     work.warnings, work.caller.uid,   work.caller.groups};
  for (const auto& step : parts_.admission) {
    if (Status status = step->Validate(request, object); !status.ok()) return Refused(work, std::move(status));
  }
  return Status();
}

Status Registry::Refused(const Work& work, Status status) {
  return RefusalOf(status) != nullptr ? status : ForbiddenOn(work.kind, work.name, status.message());
}

// What only the server may say about a new object.
json::Value Registry::FillNew(Work& work, const json::Value& object) {
  json::Editor& edit = work.edit;
  json::Value metadata = object["metadata"];
  for (const std::string_view key : {"deletionTimestamp", "deletionGracePeriodSeconds", "selfLink", "resourceVersion", "generation"}) {
    metadata = edit.Without(metadata, key);
  }
  const std::string_view prefix = json::TextOf(metadata["generateName"]);
  if (json::TextOf(metadata["name"]).empty() && !work.target.name.empty())
    metadata = edit.Set(metadata, "name", edit.String(work.target.name));
  if (json::TextOf(metadata["name"]).empty() && !prefix.empty()) {
    constexpr size_t kLongest = 63 - 5;
    metadata = edit.Set(metadata, "name", edit.String(StrCat(prefix.substr(0, kLongest), RandomSuffix(parts_.random))));
  }
  if (work.kind.type.namespaced) metadata = edit.Set(metadata, "namespace", edit.String(work.target.space));
  metadata = edit.Set(metadata, "uid", edit.String(Uuid4(parts_.random)));
  metadata = edit.Set(metadata, "creationTimestamp", edit.String(kube::WriteTime(parts_.clock.Now())));
  if (work.kind.has_generation) metadata = edit.Set(metadata, "generation", edit.Int(1));
  work.name = json::TextOf(metadata["name"]);
  const json::Value filled = edit.Set(object, "metadata", metadata);
  return work.kind.has_status ? edit.Without(filled, "status") : filled;
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
  ASSIGN_OR_RETURN(json::Value object, Mutate(work, nullptr, proposal.object, Operation::kCreate));
  if (proposal.forgets_managers) object = work.edit.WithoutAt(object, {"metadata", "managedFields"});
  object = FillNew(work, object);
  if (work.kind.strategy != nullptr) object = work.kind.strategy->PrepareCreate(work.edit, object);
  ASSIGN_OR_RETURN(object, Canonical(work, object));

  FieldErrors errors;
  ValidateMetadata(work.kind, object, errors);
  if (work.kind.strategy != nullptr) work.kind.strategy->Validate(object, errors);
  if (!errors.empty()) return InvalidObject(work.kind, work.name, errors);
  TRY(Admit(work, nullptr, object, Operation::kCreate));
  if (work.kind.strategy != nullptr) work.kind.strategy->Warn(object, work.warnings);
  if (!proposal.managed) object = RecordManager(work, json::Value(), object, proposal.forgets_managers);

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

// What an update cannot change.
json::Value Registry::CarryOver(Work& work, const json::Value& old, const json::Value& object) const {
  json::Editor& edit = work.edit;
  const json::Value& before = old["metadata"];
  json::Value metadata = edit.Without(object["metadata"], "resourceVersion");
  metadata = edit.Without(metadata, "selfLink");
  for (const std::string_view key : {"creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation", "namespace"}) {
    metadata = before[key].IsNull() ? edit.Without(metadata, key) : edit.Set(metadata, key, before[key]);
  }
  for (const std::string_view key : {"uid", "name"}) {
    if (json::TextOf(metadata[key]).empty()) metadata = edit.Set(metadata, key, before[key]);
  }
  // A client that knows nothing of managers leaves them alone.
  if (metadata["managedFields"].IsNull() && !before["managedFields"].IsNull()) {
    metadata = edit.Set(metadata, "managedFields", before["managedFields"]);
  }
  json::Value result = edit.Set(object, "metadata", metadata);
  if (work.target.subresource == "status") {
    json::Value kept = edit.Without(before, "resourceVersion");
    for (const std::string_view key : {"managedFields", "annotations", "finalizers"}) {
      if (key != "managedFields" && work.kind.status_is_all) break;
      kept = metadata[key].IsNull() ? edit.Without(kept, key) : edit.Set(kept, key, metadata[key]);
    }
    result = edit.Set(edit.Set(old, "metadata", kept), "status", object["status"]);
  } else if (work.target.subresource == "ephemeralcontainers" || work.target.subresource == "finalize") {
    const std::string_view part = work.target.subresource == "finalize" ? "finalizers" : "ephemeralContainers";
    json::Value kept = edit.Without(before, "resourceVersion");
    result = edit.Set(old, "metadata", edit.Set(kept, "managedFields", metadata["managedFields"]));
    result = edit.SetAt(result, {"spec", part}, object["spec"][part]);
  } else if (work.kind.has_status && !work.IsAction()) {
    result = old["status"].IsNull() ? edit.Without(result, "status") : edit.Set(result, "status", old["status"]);
  }
  return result;
}

json::Value Registry::RaiseGeneration(Work& work, const json::Value& old, const json::Value& object) const {
  if (!work.kind.has_generation || work.target.subresource == "status") return object;
  const auto counts = [&](std::string_view key) { return key != "metadata" && (key != "status" || !work.kind.has_status); };
  const auto covered = [&](const json::Value& a, const json::Value& b) {
    return std::all_of(a.Members().begin(), a.Members().end(),
                       [&](const json::Member& member) { return !counts(member.key) || json::Equal(member.value, b[member.key]); });
  };
  bool same = covered(object, old) && covered(old, object);
  if (work.kind.annotations_raise_generation) same = same && json::Equal(object["metadata"]["annotations"], old["metadata"]["annotations"]);
  if (same) return object;
  const json::Value& generation = old["metadata"]["generation"];
  const int64_t number = generation.IsNumber() ? generation.AsInt64().value_or(0) : 0;
  return work.edit.SetAt(object, {"metadata", "generation"}, work.edit.Int(number + 1));
}

Status Registry::CheckVersion(const Work& work, const Existing& existing, const Proposal& proposal) const {
  const json::Value& metadata = proposal.object["metadata"];
  const std::string_view version = json::TextOf(metadata["resourceVersion"]), uid = json::TextOf(metadata["uid"]);
  if (proposal.checks_uid && !uid.empty() && uid != existing.entry->uid) {
    return ConflictOn(work.kind, work.target.name,
                      StrCat("Precondition failed: UID in precondition: ", uid, ", UID in object meta: ", existing.entry->uid));
  }
  if (version.empty() || version == "0") {
    if (work.kind.unconditional_update || !proposal.checks_uid) return Status();
    FieldErrors errors;
    errors.Invalid(FieldPath("metadata.resourceVersion"), int64_t{0}, "must be specified for an update");
    return InvalidObject(work.kind, work.target.name, errors);
  }
  if (version != std::to_string(existing.entry->version)) return ConflictOn(work.kind, work.target.name, kModified);
  return Status();
}

void Registry::ValidateChange(Work& work, const json::Value& object, const json::Value& old, FieldErrors& errors) const {
  ValidateMetadataUpdate(work.kind, object, old, errors);
  if (work.kind.strategy == nullptr || work.IsAction()) return;
  if (work.target.subresource == "status") {
    work.kind.strategy->ValidateStatus(object, old, errors);
  } else if (work.target.subresource == "ephemeralcontainers") {
    ValidateEphemeralContainersUpdate(object, old, errors);
  } else {
    work.kind.strategy->ValidateUpdate(object, old, errors);
  }
}

Result<Answer> Registry::Replace(Work& work, const Existing& existing, const Proposal& proposal) {
  work.name = work.target.name;
  TRY(CheckPlace(work, proposal.object));
  TRY(CheckVersion(work, existing, proposal));
  const json::Value old = work.edit.WithoutAt(existing.root(), {"metadata", "resourceVersion"});
  json::Value object = CarryOver(work, old, proposal.object);
  if (proposal.forgets_managers) object = work.edit.WithoutAt(object, {"metadata", "managedFields"});
  ASSIGN_OR_RETURN(object, Mutate(work, &old, object, Operation::kUpdate));
  if (work.kind.strategy != nullptr && !work.IsAction()) {
    object = work.target.subresource == "status" ? work.kind.strategy->PrepareStatus(work.edit, object, old)
                                                 : work.kind.strategy->PrepareUpdate(work.edit, object, old);
  }
  ASSIGN_OR_RETURN(object, Canonical(work, object));
  object = RaiseGeneration(work, old, object);

  FieldErrors errors;
  ValidateChange(work, object, old, errors);
  if (!errors.empty()) return InvalidObject(work.kind, work.name, errors);
  TRY(Admit(work, &old, object, Operation::kUpdate));
  if (work.kind.strategy != nullptr) work.kind.strategy->Warn(object, work.warnings);
  object = proposal.managed ? KeepTimes(work.edit, old, object) : RecordManager(work, old, object, proposal.forgets_managers);
  ASSIGN_OR_RETURN(object, Canonical(work, object));
  return Finish(work, existing, old, object);
}

// A deletion that only waited for its finalizers.
bool Registry::IsOver(const Kind& kind, const json::Value& object) {
  const json::Value& metadata = object["metadata"];
  if (metadata["deletionTimestamp"].IsNull() || !json::ItemsOf(metadata["finalizers"]).empty()) return false;
  if (kind.type.plural == "namespaces" && !json::ItemsOf(object["spec"]["finalizers"]).empty()) return false;
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
  if (same && !IsOver(work.kind, object)) {
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

FieldWrite Registry::FieldsOf(Work& work) const {
  const Kind& kind = work.kind;
  FieldWrite write{*kind.schema,
                   work.api_version,
                   kind.type.kind,
                   work.target.subresource,
                   work.caller.manager,
                   work.now,
                   kind.custom,
                   ResetFields(work.edit, kind.type.FullName(), work.target.subresource, kind.has_status, kind.custom),
                   {}};
  if (kind.custom) {
    write.version = [kinds = kinds(), &kind](std::string_view api_version) {
      const size_t slash = api_version.find('/');
      const Kind* other = kinds->FindKind(kind.type.group, api_version.substr(slash + 1), kind.type.kind);
      return other == nullptr ? nullptr : other->schema;
    };
  }
  return write;
}

json::Value Registry::RecordManager(Work& work, const json::Value& old, const json::Value& object, bool forget) const {
  return UpdateManaged(work.edit, FieldsOf(work), old, object, forget);
}

Result<json::Value> Registry::Applied(Work& work, const Existing* existing, const json::Value& config) const {
  const json::Value live = existing == nullptr ? json::Value() : existing->root();
  if (!config.IsObject()) return BadRequest("an apply patch is an object");
  ASSIGN_OR_RETURN(const json::Value merged, ApplyManaged(work.edit, FieldsOf(work), live, config, work.options.force));
  return Decode(work, merged);
}

// The form in which it is stored.
Result<json::Value> Registry::Canonical(Work& work, const json::Value& object) const {
  if (work.kind.custom) return WithTypeInFront(work.edit, work.kind, object);
  Result<Normalized> normalized = Normalize(work.edit, *work.kind.schema, object);
  if (!normalized.ok()) return InternalError(StrCat("an object that was made is none: ", normalized.status().message()));
  return WithTypeInFront(work.edit, work.kind, normalized->value);
}

Result<Draft> Registry::MakeDraft(const Kind& kind, const json::Value& object) const {
  // With its key and quotes it cannot stand in a name, which is all that is before it.
  static constexpr std::string_view kMark = "@version@", kMarked = "\"resourceVersion\":\"@version@\"";
  json::Arena arena;
  json::Editor edit(arena);
  const std::string text = json::Write(WithVersion(edit, object, edit.Literal(kMark)));
  if (text.size() > kMaxObject) {
    return Refuse(413, "RequestEntityTooLarge",
                  StrCat("the object would have ", text.size(), " bytes; at most ", kMaxObject, " can be stored"));
  }
  // What is stored must be readable: names and managers come from other places than a body that was parsed, and patches put one body into
  // another.
  if (!json::IsUtf8(text)) return BadRequest("the object has a text that is not UTF-8");
  if (json::DepthOf(object) > json::Limits().depth)
    return BadRequest(StrCat("the object has lists and objects more than ", json::Limits().depth, " deep"));
  const size_t marked = text.find(kMarked);
  CHECK(marked != std::string::npos);
  const size_t at = marked + kMarked.size() - kMark.size() - 1;
  Draft draft;
  draft.before = text.substr(0, at);
  draft.after = text.substr(at + kMark.size());
  draft.uid = json::TextOf(object["metadata"]["uid"]);
  draft.index = IndexOf(kind, object);
  return draft;
}

}  // namespace allot::apiserver

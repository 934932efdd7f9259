// Registry: the steps between an object's body and the store.
#include <algorithm>

#include "apiserver/kinds/metadata.h"
#include "apiserver/kinds/pod/pod.h"
#include "apiserver/registry/registry_work.h"
#include "kube/timestamp.h"

namespace allot::apiserver {

namespace {

constexpr std::string_view kModified = "the object has been modified; please apply your changes to the latest version and try again";

std::string RandomSuffix(Random& random) {
  static constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";  // without vowels, so no words appear
  std::string suffix;
  for (int i = 0; i < 5; ++i) suffix += kLetters[random.Below(kLetters.size())];
  return suffix;
}

}  // namespace

// The namespace and name in an object must be those of its path.
Status Registry::CheckPlace(const Work& work, const json::Value& object) const {
  const std::string_view space = json::TextOf(object["metadata"]["namespace"]), name = json::TextOf(object["metadata"]["name"]);
  if (!space.empty() && space != work.target.space) {
    return BadRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
  if (work.target.name.empty()) return Status();
  if (name.empty())
    return BadRequest(StrCat("the name of the object (", work.target.name, " based on URL) was undeterminable: name must be provided"));
  if (name != work.target.name) {
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

// Sets what only the server may set in a new object.
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
  metadata = edit.Set(metadata, "uid", edit.String(Uuid7(parts_.clock.Now(), parts_.random)));
  metadata = edit.Set(metadata, "creationTimestamp", edit.String(work.now));
  if (work.kind.has_generation) metadata = edit.Set(metadata, "generation", edit.Int(1));
  work.name = json::TextOf(metadata["name"]);
  const json::Value filled = edit.Set(object, "metadata", metadata);
  return work.kind.has_status && !work.kind.keeps_status_on_create ? edit.Without(filled, "status") : filled;
}

// Restores what an update cannot change.
json::Value Registry::CarryOver(Work& work, const json::Value& old, const Proposal& proposal) const {
  json::Editor& edit = work.edit;
  const json::Value& object = proposal.object;
  const json::Value& before = old["metadata"];
  json::Value metadata = edit.Without(object["metadata"], "resourceVersion");
  metadata = edit.Without(metadata, "selfLink");
  for (const std::string_view key : {"creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation", "namespace"}) {
    metadata = before[key].IsNull() ? edit.Without(metadata, key) : edit.Set(metadata, key, before[key]);
  }
  for (const std::string_view key : {"uid", "name"}) {
    if (json::TextOf(metadata[key]).empty()) metadata = edit.Set(metadata, key, before[key]);
  }
  // Keep the managers if the client omits them. After an apply there may be none.
  if (!proposal.managed && metadata["managedFields"].IsNull() && !before["managedFields"].IsNull()) {
    metadata = edit.Set(metadata, "managedFields", before["managedFields"]);
  }
  json::Value result = edit.Set(object, "metadata", metadata);
  if (work.target.subresource == "status") {
    result = OnlyStatus(work, old, result);
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

// Returns the result of a status write: the new status, and the metadata if the kind allows it (KindRules::PrepareStatus may undo some of
// that).
json::Value Registry::OnlyStatus(Work& work, const json::Value& old, const json::Value& object) const {
  json::Editor& edit = work.edit;
  json::Value metadata = object["metadata"];
  if (work.kind.status_is_all) {
    const json::Value& managers = metadata["managedFields"];
    metadata = managers.IsNull() ? edit.Without(old["metadata"], "managedFields") : edit.Set(old["metadata"], "managedFields", managers);
  }
  const json::Value result = edit.Set(old, "metadata", metadata);
  return object["status"].IsNull() ? edit.Without(result, "status") : edit.Set(result, "status", object["status"]);
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
  if (work.kind.rules == nullptr || work.IsAction()) return;
  if (work.target.subresource == "status") {
    work.kind.rules->ValidateStatus(object, old, errors);
  } else if (work.target.subresource == "ephemeralcontainers") {
    ValidateEphemeralContainersUpdate(object, old, errors);
  } else {
    work.kind.rules->ValidateUpdate(object, old, errors);
  }
}

}  // namespace allot::apiserver

// Registry: deletion with preconditions, grace periods, finalizers and propagation to dependents.
#include <algorithm>

#include "apiserver/registry/registry.h"
#include "apiserver/registry/registry_work.h"
#include "json/json.h"
#include "kube/timestamp.h"

namespace allot::apiserver {

namespace {

constexpr int64_t kLongestGrace = 366 * 24 * 60 * 60;
constexpr std::string_view kOrphan = "orphan", kForeground = "foregroundDeletion";

std::vector<std::string_view> FinalizersOf(const json::Value& object) {
  std::vector<std::string_view> finalizers;
  for (const json::Value& one : json::ItemsOf(object["metadata"]["finalizers"])) finalizers.push_back(json::TextOf(one));
  return finalizers;
}

json::Value SetFinalizers(json::Editor& edit, const json::Value& object, const std::vector<std::string_view>& finalizers) {
  if (finalizers.empty()) return edit.WithoutAt(object, {"metadata", "finalizers"});
  std::vector<json::Value> items;
  for (const std::string_view one : finalizers) items.push_back(edit.String(one));
  return edit.SetAt(object, {"metadata", "finalizers"}, edit.Array(items));
}

int64_t NumberOr(const json::Value& value, int64_t other) { return value.IsNumber() ? value.AsInt64().value_or(other) : other; }

// Returns a Pod's grace period: the caller's, else the Pod's own; 0 for a Pod that never ran or has ended.
int64_t GraceOf(const json::Value& pod, const DeleteOptions& options) {
  const std::string_view phase = json::TextOf(pod["status"]["phase"]);
  if (json::TextOf(pod["spec"]["nodeName"]).empty() || phase == "Succeeded" || phase == "Failed") return 0;
  int64_t grace = options.grace_seconds.value_or(NumberOr(pod["spec"]["terminationGracePeriodSeconds"], 30));
  grace = grace < 0 ? 1 : std::min(grace, kLongestGrace);
  if (pod["metadata"]["deletionTimestamp"].IsNull()) return grace;
  return std::min(grace, NumberOr(pod["metadata"]["deletionGracePeriodSeconds"], grace));  // it never becomes longer
}

// Returns the finalizers, with those for the propagation policy; the garbage collector removes them when it is done.
std::vector<std::string_view> WithPropagation(const Kind& kind, const json::Value& object, const DeleteOptions& options) {
  std::vector<std::string_view> finalizers = FinalizersOf(object);
  std::string_view policy = options.propagation;
  if (policy.empty()) {
    const bool has =
        std::any_of(finalizers.begin(), finalizers.end(), [](std::string_view one) { return one == kOrphan || one == kForeground; });
    if (has) return finalizers;
    policy = kind.cascade == Cascade::kOrphan ? "Orphan" : "Background";
  }
  std::erase_if(finalizers, [](std::string_view one) { return one == kOrphan || one == kForeground; });
  if (policy == "Orphan") finalizers.push_back(kOrphan);
  if (policy == "Foreground") finalizers.push_back(kForeground);
  return finalizers;
}

}  // namespace

Status Registry::CheckPreconditions(const Target& target, const Existing& existing, const DeleteOptions& options) const {
  if (options.uid && *options.uid != existing.entry->uid) {
    return ConflictOn(*target.kind, target.name,
                      StrCat("the UID in the precondition (", *options.uid, ") does not match the UID in record (", existing.entry->uid,
                             "). The object might have been deleted and then recreated"));
  }
  const std::string version = std::to_string(existing.entry->version);
  if (options.resource_version && *options.resource_version != version) {
    return ConflictOn(*target.kind, target.name,
                      StrCat("the ResourceVersion in the precondition (", *options.resource_version,
                             ") does not match the ResourceVersion in record (", version, "). The object might have been modified"));
  }
  return Status();
}

// Returns the object with its deletion marked; unchanged if it already is.
json::Value Registry::Ended(Work& work, const json::Value& old, const DeleteOptions& options) const {
  json::Editor& edit = work.edit;
  json::Value object = SetFinalizers(edit, old, WithPropagation(work.kind, old, options));
  const std::string_view hold = work.kind.finalizer_on_delete;
  if (!hold.empty() && old["metadata"]["deletionTimestamp"].IsNull()) {
    std::vector<std::string_view> finalizers = FinalizersOf(object);
    if (std::find(finalizers.begin(), finalizers.end(), hold) == finalizers.end()) finalizers.push_back(hold);
    object = SetFinalizers(edit, object, finalizers);
  }
  const int64_t grace = work.kind.graceful ? GraceOf(old, options) : 0;
  const bool begun = !old["metadata"]["deletionTimestamp"].IsNull();
  if (!begun || grace < NumberOr(old["metadata"]["deletionGracePeriodSeconds"], 0)) {
    const WallTime end = parts_.clock.Now() + std::chrono::seconds(grace);
    object = edit.SetAt(object, {"metadata", "deletionTimestamp"}, edit.String(kube::WriteTime(end)));
    object = edit.SetAt(object, {"metadata", "deletionGracePeriodSeconds"}, edit.Int(grace));
    if (work.kind.has_generation && !begun) {
      object = edit.SetAt(object, {"metadata", "generation"}, edit.Int(NumberOr(old["metadata"]["generation"], 0) + 1));
    }
    if (work.kind.type.FullName() == "namespaces") object = edit.SetAt(object, {"status", "phase"}, edit.Literal("Terminating"));
  }
  return object;
}

Result<Answer> Registry::TryDelete(const Caller& caller, const Target& target, const DeleteOptions& options) {
  WriteOptions as_write;
  as_write.dry_run = options.dry_run;
  as_write.warnings = options.warnings;
  Work work(caller, target, as_write, parts_.clock.Now());
  ASSIGN_OR_RETURN(const Existing existing, Load(target));
  TRY(CheckPreconditions(target, existing, options));
  const json::Value old = work.edit.WithoutAt(existing.object, {"metadata", "resourceVersion"});
  TRY(Admit(work, &old, old, Operation::kDelete));
  const json::Value object = Ended(work, old, options);
  Answer answer;
  const Key key = KeyOf(target);
  if (IsOver(*target.kind, object)) {
    // Watches and the caller see the stored object without deletion marks, because this deletion did not have to wait.
    const json::Value& last = old["metadata"]["deletionTimestamp"].IsNull() && !target.kind->graceful ? old : object;
    answer.removed = true;
    if (options.dry_run) {
      answer.entry = existing.entry;
    } else {
      ASSIGN_OR_RETURN(Draft draft, MakeDraft(*target.kind, last));
      ASSIGN_OR_RETURN(answer.entry, parts_.store.Remove(key, existing.entry->version, std::move(draft)));
    }
    return answer;
  }
  if (options.dry_run) {
    answer.json = json::Write(WithVersion(work.edit, object, work.edit.String(std::to_string(existing.entry->version))));
  } else if (json::Equal(object, old)) {
    answer.entry = existing.entry;
  } else {
    ASSIGN_OR_RETURN(const json::Value written, Canonical(work, object));
    ASSIGN_OR_RETURN(Draft draft, MakeDraft(*target.kind, written));
    ASSIGN_OR_RETURN(answer.entry, parts_.store.Put(key, existing.entry->version, std::move(draft)));
  }
  return answer;
}

Result<Answer> Registry::Delete(const Caller& caller, const Target& target, const DeleteOptions& options) {
  for (;;) {
    Result<Answer> answer = TryDelete(caller, target, options);
    if (answer.ok() || RefusalOf(answer.status()) != nullptr) return answer;
    if (answer.status().code() != Code::kConflict) {
      return InternalError(StrCat("the store could not delete: ", answer.status().message()));
    }
  }
}

}  // namespace allot::apiserver

#include "apiserver/controllers/definitions.h"

#include <set>

#include "apiserver/controllers/conditions.h"

namespace allot::apiserver {

namespace {

constexpr std::string_view kDefinitions = "customresourcedefinitions.apiextensions.k8s.io";
constexpr std::string_view kFinalizer = "customresourcecleanup.apiextensions.k8s.io";
constexpr size_t kDeletesAtOnce = 200;
constexpr std::chrono::seconds kNextLook{5};

bool IsEstablished(const Stored& definition) { return ConditionStatus(definition.status(), "Established") == "True"; }

// Resource names and kind names are separate namespaces.
std::set<std::string> ResourceNames(const json::Value& names) {
  std::set<std::string> all;
  for (const std::string_view key : {"plural", "singular"}) all.emplace(json::TextOf(names[key]));
  for (const json::Value& one : json::ItemsOf(names["shortNames"])) all.emplace(json::TextOf(one));
  all.erase("");
  return all;
}

std::set<std::string> KindNames(const json::Value& names) {
  std::set<std::string> all{std::string(json::TextOf(names["kind"])), std::string(json::TextOf(names["listKind"]))};
  all.erase("");
  return all;
}

// Marks all versions as served, to read objects of versions that are not.
json::Value WithAllServed(json::Editor& edit, const json::Value& definition) {
  const json::Value versions =
      edit.Map(definition["spec"]["versions"], [&](const json::Value& one) { return edit.Set(one, "served", edit.Bool(true)); });
  return edit.SetAt(definition, {"spec", "versions"}, versions);
}

json::Value WithStorageVersion(json::Editor& edit, const json::Value& definition, const json::Value& stored_versions) {
  std::string_view storage;
  for (const json::Value& one : json::ItemsOf(definition["spec"]["versions"])) {
    if (json::IsTrue(one["storage"])) storage = json::TextOf(one["name"]);
  }
  for (const json::Value& one : json::ItemsOf(stored_versions)) {
    if (json::TextOf(one) == storage) return stored_versions;
  }
  return edit.Append(stored_versions, edit.String(storage));
}

}  // namespace

void Definitions::ServeStored() {
  for (EntryPtr& entry : store().List(kDefinitions, "").entries) {
    const Stored definition(std::move(entry));
    if (IsEstablished(definition)) static_cast<void>(Serve(definition, false));
  }
  Publish();
}

void Definitions::Notice(const Sight& sight) {
  if (!sight.Is(kDefinitions)) {
    if (!sight.deleted() || !served_.contains(sight.key().resource)) return;
    // A definition that is being deleted waits for the last of its objects.
    const EntryPtr definition = store().Get({std::string(kDefinitions), "", sight.key().resource});
    if (definition != nullptr && definition->json.find("\"deletionTimestamp\"") != std::string::npos) Add(definition->key);
    return;
  }
  Add(sight.key());
  if (!sight.deleted()) return;
  // The deleted definition's names are free now.
  for (const EntryPtr& other : store().List(kDefinitions, "").entries) Add(other->key);
}

Result<Again> Definitions::Reconcile(const Key& key) {
  const std::optional<Stored> definition = Read(store(), key);
  if (const auto served = served_.find(key.name); served != served_.end() && (!definition || served->second.uid != definition->uid())) {
    Withdraw(key.name);
  }
  if (!definition) return Again();
  if (IsDeleting(definition->json())) return End(*definition);
  const auto [reason, taken] = Conflict(*definition);
  // Serve the kind before the condition says so: a client that waits for the condition may use it at once.
  if (reason.empty() || IsEstablished(*definition)) {
    const bool begins = !served_.contains(key.name);
    TRY(Serve(*definition, begins && !IsEstablished(*definition)));
    Publish();
  }
  TRY(WriteStatus(*definition, taken, reason));
  return Again();
}

Status Definitions::Serve(const Stored& definition, bool begins) {
  const std::string& name = definition.key().name;
  const int64_t generation = IntOr(definition.metadata()["generation"], 0);
  if (const auto known = served_.find(name); known != served_.end() && known->second.generation == generation) return Status();
  auto kinds = parts_.kinds_of(definition.json());
  if (!kinds.ok()) return std::move(kinds).status().Context("definition ", name);
  if (begins) store().BeginHistory(name);
  served_[name] = {definition.uid(), generation, *std::move(kinds)};
  return Status();
}

void Definitions::Withdraw(const std::string& name) {
  served_.erase(name);
  Publish();
  parts_.end_watches(name);
}

void Definitions::Publish() {
  std::vector<std::shared_ptr<const Kind>> all;
  for (const auto& [name, served] : served_) all.insert(all.end(), served.kinds.begin(), served.kinds.end());
  // Set kinds only if they changed: clients would read all of them again.
  std::vector<std::shared_ptr<const Kind>> before;
  for (const auto& kind : api().kinds()->all()) {
    if (kind->custom) before.push_back(kind);
  }
  if (all != before) api().SetCustomKinds(std::move(all));
}

std::pair<std::string_view, std::string> Definitions::Conflict(const Stored& definition) const {
  std::set<std::string> resources, kinds;
  for (EntryPtr& entry : store().List(kDefinitions, "").entries) {
    if (entry->key == definition.key()) continue;
    const Stored other(std::move(entry));
    if (json::TextOf(other.spec()["group"]) != json::TextOf(definition.spec()["group"])) continue;
    resources.merge(ResourceNames(other.status()["acceptedNames"]));
    kinds.merge(KindNames(other.status()["acceptedNames"]));
  }
  const json::Value& names = definition.spec()["names"];
  const auto taken = [](const std::set<std::string>& in, const json::Value& name) { return in.contains(std::string(json::TextOf(name))); };
  if (taken(resources, names["plural"])) return {"PluralConflict", std::string(json::TextOf(names["plural"]))};
  if (taken(resources, names["singular"])) return {"SingularConflict", std::string(json::TextOf(names["singular"]))};
  for (const json::Value& name : json::ItemsOf(names["shortNames"])) {
    if (taken(resources, name)) return {"ShortNamesConflict", std::string(json::TextOf(name))};
  }
  if (taken(kinds, names["kind"])) return {"KindConflict", std::string(json::TextOf(names["kind"]))};
  if (taken(kinds, names["listKind"])) return {"ListKindConflict", std::string(json::TextOf(names["listKind"]))};
  return {};
}

Status Definitions::WriteStatus(const Stored& definition, const std::string& taken, std::string_view reason) {
  const bool accepted = reason.empty();
  return Change(
      TargetOf(definition.key(), "status"), definition.uid(), [&](json::Editor& edit, const json::Value& stored) -> Result<json::Value> {
        json::Value status = stored["status"];
        const Condition names = accepted ? Condition{"NamesAccepted", "True", "NoConflicts", "no conflicts found"}
                                         : Condition{"NamesAccepted", "False", reason, StrCat("\"", taken, "\" is already in use")};
        json::Value conditions = SetCondition(edit, status["conditions"], names, Now());
        if (ConditionStatus(status, "Established") != "True") {
          const Condition established =
              accepted ? Condition{"Established", "True", "InitialNamesAccepted", "the initial names have been accepted"}
                       : Condition{"Established", "False", "NotAccepted", "not all names are accepted"};
          conditions = SetCondition(edit, conditions, established, Now());
        }
        status = edit.Set(status, "conditions", conditions);
        if (accepted) status = edit.Set(status, "acceptedNames", stored["spec"]["names"]);
        status = edit.Set(status, "storedVersions", WithStorageVersion(edit, stored, status["storedVersions"]));
        return json::Equal(status, stored["status"]) ? stored : edit.Set(stored, "status", status);
      });
}

// Deletes as many objects as one turn allows. Once there are none, removes the definition's finalizer.
Result<Again> Definitions::End(const Stored& definition) {
  const std::string& resource = definition.key().name;
  if (!HasFinalizer(definition.json(), kFinalizer)) return Again();
  TRY(Change(TargetOf(definition.key(), "status"), definition.uid(),
             [&](json::Editor& edit, const json::Value& stored) -> Result<json::Value> {
               const Condition ending{"Terminating", "True", "InstanceDeletionInProgress", "CustomResource deletion is in progress"};
               return edit.SetAt(stored, {"status", "conditions"}, SetCondition(edit, stored["status"]["conditions"], ending, Now()));
             }));
  const std::vector<EntryPtr> objects = store().List(resource, "").entries;
  if (!objects.empty()) {
    json::Arena arena;
    json::Editor edit(arena);
    ASSIGN_OR_RETURN(const auto kinds, parts_.kinds_of(WithAllServed(edit, definition.json())));
    if (kinds.empty()) return Invalid("definition ", resource, " has no versions");
    size_t deleted = 0;
    for (const EntryPtr& object : objects) {
      if (IsDeleting(Stored(object).json())) continue;
      if (++deleted > kDeletesAtOnce) return Again(std::chrono::seconds(0));
      TRY(Delete({kinds.front(), object->key.space, object->key.name}, object->uid));
    }
    if (!store().List(resource, "").entries.empty()) return Again(kNextLook);
  }
  Withdraw(resource);
  TRY(Change(TargetOf(definition.key()), definition.uid(), [](json::Editor& edit, const json::Value& stored) -> Result<json::Value> {
    return WithoutFinalizer(edit, stored, kFinalizer);
  }));
  return Again();
}

}  // namespace allot::apiserver

#include "apiserver/patch/managers.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "apiserver/json_names.h"
#include "base/strings.h"

namespace allot::apiserver {

namespace {

constexpr size_t kMaxUpdaters = 10;
constexpr std::string_view kBucket = "ancient-changes";

auto KeyOf(const FieldManager& manager) {
  return std::tuple(manager.applied ? 0 : 1, manager.time, manager.name, manager.api_version, manager.subresource);
}

Result<FieldManager> ReadManager(Editor& edit, const Value& entry) {
  FieldManager manager;
  const std::string_view operation = TextOf(entry["operation"]);
  if (operation != "Apply" && operation != "Update") return Invalid("operation must be `Apply` or `Update`");
  manager.name = TextOf(entry["manager"]);
  manager.applied = operation == "Apply";
  manager.api_version = TextOf(entry["apiVersion"]);
  manager.subresource = TextOf(entry["subresource"]);
  manager.time = TextOf(entry["time"]);
  if (manager.api_version.empty()) return Invalid("apiVersion must not be empty");
  if (TextOf(entry["fieldsType"]) != "FieldsV1") return Invalid("fieldsType must be `FieldsV1`");
  const Value& fields = entry["fieldsV1"];
  ASSIGN_OR_RETURN(manager.fields, ReadFields(edit, fields));
  manager.read = fields;
  return manager;
}

Value WriteManager(Editor& edit, const FieldManager& manager) {
  std::vector<json::Member> members;
  if (!manager.name.empty()) members.push_back({"manager", edit.Literal(manager.name)});
  members.push_back({"operation", edit.Literal(manager.applied ? "Apply" : "Update")});
  members.push_back({"apiVersion", edit.Literal(manager.api_version)});
  if (!manager.time.empty()) members.push_back({"time", edit.Literal(manager.time)});
  members.push_back({"fieldsType", edit.Literal("FieldsV1")});
  members.push_back({"fieldsV1", manager.read.IsObject() ? manager.read : WriteFields(edit, manager.fields)});
  if (!manager.subresource.empty()) members.push_back({"subresource", edit.Literal(manager.subresource)});
  return edit.Object(members);
}

}  // namespace

Result<FieldManagers> ReadManagers(Editor& edit, const Value& managed_fields) {
  FieldManagers managers;
  std::map<std::tuple<std::string_view, bool, std::string_view, std::string_view>, size_t> places;
  for (const Value& entry : json::ItemsOf(managed_fields)) {
    ASSIGN_OR_RETURN(const FieldManager manager, ReadManager(edit, entry));
    const std::string_view version = manager.applied ? std::string_view() : manager.api_version;
    const auto [place, added] = places.emplace(std::tuple(manager.name, manager.applied, version, manager.subresource), managers.size());
    if (added) {
      managers.push_back(manager);
    } else {
      managers[place->second] = manager;
    }
  }
  return managers;
}

Value WriteManagers(Editor& edit, const FieldManagers& managers) {
  if (managers.empty()) return Value();
  FieldManagers sorted = managers;
  std::sort(sorted.begin(), sorted.end(), [](const FieldManager& a, const FieldManager& b) { return KeyOf(a) < KeyOf(b); });
  std::vector<Value> entries;
  entries.reserve(sorted.size());
  for (const FieldManager& manager : sorted) entries.push_back(WriteManager(edit, manager));
  return edit.Array(entries);
}

FieldManager* FindManager(FieldManagers& managers, const FieldManager& like) {
  const auto found = std::find_if(managers.begin(), managers.end(), [&](const FieldManager& manager) { return manager.IsSameAs(like); });
  return found == managers.end() ? nullptr : &*found;
}

void DropEmptyManagers(FieldManagers& managers) {
  std::erase_if(managers, [](const FieldManager& manager) { return manager.fields.empty(); });
}

void CapManagers(Editor& edit, FieldManagers& managers) {
  const auto updaters =
      static_cast<size_t>(std::count_if(managers.begin(), managers.end(), [](const FieldManager& m) { return !m.applied; }));
  if (updaters <= kMaxUpdaters) return;
  // Updaters first, oldest first.
  std::sort(managers.begin(), managers.end(), [](const FieldManager& a, const FieldManager& b) {
    if (std::tie(a.applied, a.time) != std::tie(b.applied, b.time)) return std::tie(a.applied, a.time) < std::tie(b.applied, b.time);
    return IdOfManager(a) < IdOfManager(b);
  });
  // The first manager of a version, or an existing bucket, absorbs the further ones.
  std::map<std::string_view, size_t> buckets;
  for (size_t i = 0; i < updaters; ++i) {
    if (managers[i].name == kBucket && managers[i].subresource.empty()) buckets.emplace(managers[i].api_version, i);
  }
  std::map<size_t, std::vector<FieldSet>> taken;  // by bucket
  std::vector<bool> gone(managers.size());
  size_t left = updaters;
  for (size_t i = 0; i < updaters && left > kMaxUpdaters; ++i) {
    const auto [bucket, first] = buckets.emplace(managers[i].api_version, i);
    if (first || bucket->second == i) continue;
    taken[bucket->second].push_back(managers[i].fields);
    managers[bucket->second].time = std::max(managers[bucket->second].time, managers[i].time);
    gone[i] = true;
    --left;
  }
  for (auto& [bucket, sets] : taken) {
    FieldManager& manager = managers[bucket];
    manager.name = kBucket;
    manager.subresource = "";
    sets.push_back(manager.fields);
    manager.Set(UnionOf(edit, std::move(sets)));
  }
  FieldManagers kept;
  for (size_t i = 0; i < managers.size(); ++i) {
    if (!gone[i]) kept.push_back(managers[i]);
  }
  managers = std::move(kept);
}

std::string IdOfManager(const FieldManager& manager) {
  constexpr size_t kAll = std::string_view::npos;
  std::string id = "{";
  if (!manager.name.empty()) id += StrCat(R"("manager":)", Quoted(manager.name, kAll), ",");
  id += StrCat(R"("operation":")", manager.applied ? "Apply" : "Update", "\"");
  if (!manager.applied) id += StrCat(R"(,"apiVersion":)", Quoted(manager.api_version, kAll));
  if (!manager.subresource.empty()) id += StrCat(R"(,"subresource":)", Quoted(manager.subresource, kAll));
  return id + "}";
}

std::string NameOfManager(const FieldManager& manager) {
  std::string name = Quoted(manager.name, std::string_view::npos);
  if (!manager.subresource.empty()) name += StrCat(" with subresource ", Quoted(manager.subresource, std::string_view::npos));
  if (!manager.applied) name += StrCat(" using ", manager.api_version);
  return name;
}

}  // namespace allot::apiserver

#include "apiserver/patch/ownership.h"

#include <algorithm>

#include "apiserver/json_names.h"
#include "apiserver/patch/merge.h"

namespace allot::apiserver {

namespace {

constexpr std::string_view kUnowned[] = {"apiVersion", "kind", "metadata"};
constexpr std::string_view kUnownedMetadata[] = {"name",        "namespace",  "creationTimestamp", "selfLink",       "uid",
                                                 "clusterName", "generation", "managedFields",     "resourceVersion"};

FieldSet WithoutMembers(Editor& edit, const FieldSet& set, std::span<const std::string_view> names) {
  std::vector<FieldNode> nodes;
  for (FieldNode node : set.nodes()) {
    if (std::any_of(names.begin(), names.end(), [&](std::string_view name) { return node.element.IsField(name); })) node.member = false;
    if (!node.empty()) nodes.push_back(node);
  }
  return FieldSet::Of(edit, nodes);
}

}  // namespace

FieldSet WithoutUnowned(Editor& edit, const FieldSet& set) {
  std::vector<FieldNode> nodes;
  for (FieldNode node : set.nodes()) {
    if (node.element.IsField("metadata")) node.children = WithoutMembers(edit, node.children, kUnownedMetadata);
    nodes.push_back(node);
  }
  return WithoutMembers(edit, FieldSet::Of(edit, nodes), kUnowned);
}

Ownership::Ownership(Editor& edit, const FieldWrite& write, const FieldManagers& managers) : edit_(edit), write_(&write) {
  for (FieldManager manager : managers) {
    const ValuePlace place = PlaceOf(manager.api_version);
    if (!place) continue;
    const FieldSet reconciled = Reconciled(edit, place, manager.fields);
    if (reconciled.nodes().data() != manager.fields.nodes().data()) manager.Set(reconciled);
    managers_.push_back(manager);
  }
}

ValuePlace Ownership::PlaceOf(std::string_view api_version) const {
  if (api_version == write_->api_version) return {&write_->type};
  return {write_->version ? write_->version(api_version) : nullptr};
}

const Comparison& Ownership::Compare(std::string_view api_version, const Value& before, const Value& after,
                                     std::map<std::string_view, Comparison>& done) const {
  const auto [found, added] = done.try_emplace(api_version);
  if (added) {
    const Comparison all = CompareObjects(edit_, PlaceOf(api_version), before, after);
    found->second = {WithoutReset(all.changed), WithoutReset(all.removed)};
  }
  return found->second;
}

std::vector<FieldConflict> Ownership::TakeOver(const Value& before, const Value& after, const FieldManager& self, bool force) {
  std::map<std::string_view, Comparison> comparisons;
  std::vector<FieldConflict> conflicts;
  FieldManagers others = managers_;
  if (!force)
    std::sort(others.begin(), others.end(), [](const FieldManager& a, const FieldManager& b) { return IdOfManager(a) < IdOfManager(b); });
  for (FieldManager& manager : others) {
    if (manager.IsSameAs(self)) continue;
    const Comparison& comparison = Compare(manager.api_version, before, after, comparisons);
    const FieldSet changed = Intersection(edit_, manager.fields, comparison.changed);
    const FieldSet removed = Intersection(edit_, manager.fields, comparison.removed);
    if (!force) {
      std::vector<PathElement> path;
      ForEachMember(changed, path, [&](std::span<const PathElement> at) { conflicts.push_back({manager, {at.begin(), at.end()}}); });
    }
    if (!changed.empty()) manager.Set(Difference(edit_, manager.fields, changed));
    if (!removed.empty()) manager.Set(Difference(edit_, manager.fields, removed));
  }
  if (conflicts.empty()) {
    managers_ = std::move(others);
    DropEmptyManagers(managers_);
  }
  return conflicts;
}

void Ownership::Update(const Value& before, const Value& after, std::string_view manager) {
  std::map<std::string_view, Comparison> comparisons;
  const Comparison own = Compare(write_->api_version, before, after, comparisons);
  const bool others_differ =
      std::any_of(managers_.begin(), managers_.end(), [&](const FieldManager& other) { return other.api_version != write_->api_version; });
  if (!own.empty() || others_differ) {
    for (FieldManager& other : managers_) {
      const Comparison& comparison = Compare(other.api_version, before, after, comparisons);
      for (const FieldSet* gone : {&comparison.changed, &comparison.removed}) {
        if (const FieldSet hit = Intersection(edit_, other.fields, *gone); !hit.empty()) other.Set(Difference(edit_, other.fields, hit));
      }
    }
    DropEmptyManagers(managers_);
  }
  FieldManager self = Writer(manager, false);
  self.fields = WithoutUnowned(edit_, own.changed);
  if (!self.fields.empty()) {
    if (const FieldManager* const previous = Find(self)) self.fields = Union(edit_, self.fields, previous->fields);
    self.time = edit_.CopyText(write_->now);
    Put(self);
  }
  CapManagers(edit_, managers_);
}

Value Ownership::Prune(const Value& merged, const FieldManager& last) {
  const ValuePlace place = PlaceOf(last.api_version);
  if (!place || last.fields.empty()) return merged;
  const FieldSet last_fields = WithNamedFields(edit_, place, last.fields);
  Value pruned = WithoutFields(edit_, place, merged, last_fields);

  // Restore what another manager owns, in any version.
  std::map<std::string_view, std::vector<FieldSet>> owned;
  for (const FieldManager& manager : managers_) owned[manager.api_version].push_back(manager.fields);
  const auto add_back = [&](std::string_view api_version, const std::vector<FieldSet>& sets) {
    const ValuePlace at = PlaceOf(api_version);
    if (!at) return;
    const FieldSet all = WithNamedFields(edit_, at, FieldsOf(edit_, at, merged));
    const FieldSet somebodys = WithNamedFields(edit_, at, UnionOf(edit_, sets));
    const FieldSet kept = Union(edit_, WithNamedFields(edit_, at, FieldsOf(edit_, at, pruned)), somebodys);
    pruned = WithoutFields(edit_, at, merged, Difference(edit_, all, kept));
  };
  if (const auto same = owned.find(last.api_version); same != owned.end()) add_back(same->first, same->second);
  for (const auto& [api_version, sets] : owned) {
    if (api_version != last.api_version) add_back(api_version, sets);
  }

  // Also restore what `last` never owned but lost because its parent is gone.
  const FieldSet all = WithNamedFields(edit_, place, FieldsOf(edit_, place, merged));
  const FieldSet kept = WithNamedFields(edit_, place, FieldsOf(edit_, place, pruned));
  return WithoutFields(edit_, place, merged, Intersection(edit_, Difference(edit_, all, kept), last_fields));
}

FieldManager Ownership::Writer(std::string_view name, bool applied) const {
  FieldManager manager;
  manager.name = name.empty() ? "unknown" : edit_.CopyText(name);
  manager.applied = applied;
  manager.api_version = edit_.CopyText(write_->api_version);
  manager.subresource = edit_.CopyText(write_->subresource);
  return manager;
}

void Ownership::Put(const FieldManager& manager) {
  if (FieldManager* const same = Find(manager)) {
    *same = manager;
  } else {
    managers_.push_back(manager);
  }
}

}  // namespace allot::apiserver

#include <vector>

#include "apiserver/json_names.h"
#include "apiserver/kinds/pod/resources.h"

namespace allot::apiserver {

namespace {

void AddTo(ResourceList& sum, const ResourceList& more) {
  for (const auto& [name, amount] : more) sum[name].Add(amount);
}

void Raise(ResourceList& most, std::string_view name, const model::Quantity& amount) {
  const auto [found, added] = most.try_emplace(name, amount);
  if (!added && amount > found->second) found->second = amount;
}

}  // namespace

ResourceList ReadResources(const json::Value& resources) {
  ResourceList list;
  for (const auto& [name, amount] : MembersOf(resources)) list.emplace(name, QuantityOf(amount));
  return list;
}

ResourceList SumOfContainers(const json::Value& spec, std::string_view which) {
  ResourceList sum;
  for (const json::Value& container : ItemsOf(spec["containers"])) AddTo(sum, ReadResources(container["resources"][which]));
  ResourceList sidecars, starting;
  for (const json::Value& container : ItemsOf(spec["initContainers"])) {
    const bool sidecar = TextOf(container["restartPolicy"]) == "Always";
    // Only this container's resources need an update: for all others `starting` already includes the sidecars before it.
    for (const auto& [name, amount] : ReadResources(container["resources"][which])) {
      model::Quantity most = amount;
      if (sidecar) {
        sum[name].Add(amount);
        model::Quantity& all = sidecars[name];
        all.Add(amount);
        most = all;
      } else if (const auto found = sidecars.find(name); found != sidecars.end()) {
        most.Add(found->second);
      }
      Raise(starting, name, most);
    }
  }
  for (const auto& [name, amount] : starting) Raise(sum, name, amount);
  return sum;
}

json::Value RoundedAmounts(json::Editor& edit, const json::Value& amounts) {
  std::vector<json::Member> members(MembersOf(amounts).begin(), MembersOf(amounts).end());
  bool changed = false;
  for (json::Member& member : members) {
    const model::Quantity quantity = QuantityOf(member.value);
    const auto milli = quantity.MilliValue();
    if (!milli) continue;
    const auto rounded = model::Quantity::Parse(StrCat(*milli, "m"));
    if (!rounded.ok() || *rounded == quantity) continue;
    member.value = edit.String(rounded->Canonical());
    changed = true;
  }
  return changed ? edit.Object(members) : amounts;
}

}  // namespace allot::apiserver

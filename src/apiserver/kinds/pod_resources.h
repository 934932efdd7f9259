#pragma once
// What containers ask for: requests, limits and claims; their rules and their sums.

#include <map>
#include <set>
#include <string_view>

#include "apiserver/kinds/core_checks.h"
#include "model/quantity.h"

namespace allot::apiserver {

using ResourceList = std::map<std::string_view, model::Quantity>;

// The amounts of a map in an object, which must live as long as the result.
ResourceList ReadResources(const json::Value& resources);

// What all containers of a Pod take together at the worst moment: the sum of containers and sidecars, or what an init container needs
// besides the sidecars before it. `which`: "requests" or "limits".
ResourceList SumOfContainers(const json::Value& spec, std::string_view which);

// The amounts, rounded up to thousandths: Kubernetes has none below. For defaults.
json::Value RoundedAmounts(json::Editor& edit, const json::Value& amounts);

bool IsHugePageResource(std::string_view name);
// Whether more of it may be promised than there is: true of cpu and memory.
bool MayOvercommit(std::string_view name);

// An amount of a resource: not negative, and whole where the resource is counted.
void CheckResourceAmount(const FieldPath& field, std::string_view name, const json::Value& amount, FieldErrors& errors);

// The names of spec.resourceClaims.
std::set<std::string_view> ClaimNamesOf(const json::Value& spec);

// `resources` of a container; `claims` are those of its Pod.
void CheckContainerResources(const FieldPath& field, const json::Value& resources, const std::set<std::string_view>& claims,
                             FieldErrors& errors);
// `overhead` of a Pod or RuntimeClass: limits only.
void CheckOverhead(const FieldPath& field, const json::Value& overhead, FieldErrors& errors);
// `resources` of the Pod itself, against those of its containers.
void CheckPodResources(const FieldPath& spec_field, const json::Value& spec, FieldErrors& errors);

// "Guaranteed", "Burstable", "BestEffort".
std::string_view QosClassOf(const json::Value& spec);

}  // namespace allot::apiserver

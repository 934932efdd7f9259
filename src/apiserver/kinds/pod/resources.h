#pragma once
// The resources of containers: requests, limits and claims, with their rules and sums.

#include <map>
#include <set>
#include <string_view>

#include "apiserver/kinds/core_checks.h"
#include "model/quantity.h"

namespace allot::apiserver {

using ResourceList = std::map<std::string_view, model::Quantity>;

// Reads the amounts of a map. The object must outlive the result.
ResourceList ReadResources(const json::Value& resources);

// Returns the most that all containers of a Pod take at once: the sum of containers and sidecars, or what an init container needs besides
// the sidecars before it. `which` is "requests" or "limits".
ResourceList SumOfContainers(const json::Value& spec, std::string_view which);

// Rounds the amounts up to thousandths, the smallest unit of Kubernetes. For defaults.
json::Value RoundedAmounts(json::Editor& edit, const json::Value& amounts);

bool IsHugePageResource(std::string_view name);
// Whether limits may exceed requests: true of cpu and memory.
bool MayOvercommit(std::string_view name);

// Checks an amount: not negative, and whole if the resource is counted.
void CheckResourceAmount(const FieldPath& field, std::string_view name, const json::Value& amount, FieldErrors& errors);

// Returns the names of spec.resourceClaims.
std::set<std::string_view> ClaimNamesOf(const json::Value& spec);

// Checks `resources` of a container; `claims` are those of its Pod.
void CheckContainerResources(const FieldPath& field, const json::Value& resources, const std::set<std::string_view>& claims,
                             FieldErrors& errors);
// Checks `overhead` of a Pod or RuntimeClass: limits only.
void CheckOverhead(const FieldPath& field, const json::Value& overhead, FieldErrors& errors);
// Checks `resources` of the Pod against those of its containers.
void CheckPodResources(const FieldPath& spec_field, const json::Value& spec, FieldErrors& errors);

// "Guaranteed", "Burstable", "BestEffort".
std::string_view QosClassOf(const json::Value& spec);

}  // namespace allot::apiserver

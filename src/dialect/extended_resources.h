#pragma once
// The dialect of amounts: `nvidia.com/gpu: 1` in a container's limits asks for devices of the DeviceClass that names the resource.
//
// Kubernetes 1.36 stores such a Pod unchanged. Its scheduler makes one claim for all containers of the Pod and names it in
// status.extendedResourceClaimStatus. Admission cannot make the claim: the claim needs the Pod's uid, and the class may be created later.
// The claim has one request for each amount: `container-<i>-request-<j>` is the j-th resource, by name, of the i-th container, init
// containers first. An init container that ends before others begin uses what these ask for. What it needs beyond that is one more request,
// which all init containers share. Pure.

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "dialect/facts.h"
#include "json/value.h"
#include "model/placement.h"
#include "model/pod.h"

namespace allot::dialect {

// The DeviceClass of each resource.
using ResourceClasses = std::map<std::string, std::string, std::less<>>;

// Returns the extended resources (with a domain, above 0) that the containers ask for and that no device plugin offers.
std::set<std::string_view> ExtendedResourcesOf(const model::Pod& pod, const Facts& facts);

// Returns those that a DeviceClass names. Of several classes the newest counts, and of equally new ones the first by name, as in Kubernetes
// 1.36.
ResourceClasses ResourcesToClaim(const model::Pod& pod, const Facts& facts);

// The claim that a Pod's status names for its extended resources.
struct MadeClaim {
  const model::ResourceClaim* claim = nullptr;  // nullptr: the status names none, or the claim does not exist
  std::string_view owner;                       // the name of the Pod that the claim was made for
  bool deleting = false;
};
// Returns the resources that still need a claim: no claim was made, or it was made when other classes stood for them. `claimed` has the
// resources listed in the Pod's status. Calls `facts` only for Pods that ask for extended resources.
ResourceClasses UnclaimedResources(const model::Pod& pod, const model::Amounts& claimed, const MadeClaim& made,
                                   const std::function<Facts()>& facts);

struct ExtendedClaim {
  std::string name;        // always the same for one Pod, so it never gets a second claim
  std::string claim;       // the ResourceClaim, as JSON; the Pod is its owner
  std::string pod_status;  // status.extendedResourceClaimStatus of the Pod, as JSON: maps requests to containers
};

// Returns a name such as "train-extended-resources-925a6d7b". It ends in the end of the Pod's uid, which is random, so Pods of one name get
// different claims.
std::string ExtendedClaimName(const json::Value& pod);

// Returns the claim for these resources of a stored Pod. REQUIRES: a container asks for one of them.
ExtendedClaim ClaimForResources(const json::Value& pod, const ResourceClasses& classes);

}  // namespace allot::dialect

#pragma once
// An amount of a resource that a device class stands for (`nvidia.com/gpu: 1`), as the claim that Kubernetes 1.36's scheduler makes of it.
//
// One claim for all containers of a Pod, with a request for each amount: `container-<i>-request-<j>`, the j-th resource, by name, of the
// i-th container, init containers first. An init container that ends before others begin uses what these ask for; what it needs beyond
// that is one more request, which all of its kind share. Pure.

#include <map>
#include <string>

#include "json/value.h"

namespace allot::dialect {

struct ExtendedClaim {
  std::string name;        // the same for the same Pod, so that none is made twice
  std::string claim;       // the ResourceClaim, as JSON; the Pod is its owner
  std::string pod_status;  // status.extendedResourceClaimStatus of the Pod, as JSON: which request is for which container
};

// "train-extended-resources-925a6d7b": the end of the Pod's uid, which is random, keeps Pods of one name apart.
std::string ExtendedClaimName(const json::Value& pod);

// `classes`: the resources that are meant, each with the class that stands for it. REQUIRES that a container asks for one of them.
ExtendedClaim ClaimForResources(const json::Value& pod, const std::map<std::string, std::string, std::less<>>& classes);

}  // namespace allot::dialect

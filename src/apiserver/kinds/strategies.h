#pragma once
// The rules of the built-in kinds, one function for each. Who adds a kind adds a line here and in table.cc.

#include <memory>

#include "apiserver/kinds/kind.h"

namespace allot::apiserver {

// resource.k8s.io/v1 (dra_*.cc)
std::shared_ptr<const Strategy> ResourceClaimStrategy();
std::shared_ptr<const Strategy> ResourceClaimTemplateStrategy();
std::shared_ptr<const Strategy> DeviceClassStrategy();
std::shared_ptr<const Strategy> ResourceSliceStrategy();

// v1
std::shared_ptr<const Strategy> PodStrategy();
std::shared_ptr<const Strategy> NodeStrategy();
std::shared_ptr<const Strategy> NamespaceStrategy();
std::shared_ptr<const Strategy> ConfigMapStrategy();
std::shared_ptr<const Strategy> SecretStrategy();
std::shared_ptr<const Strategy> ServiceAccountStrategy();
std::shared_ptr<const Strategy> EventStrategy();

// The others
std::shared_ptr<const Strategy> LeaseStrategy();
std::shared_ptr<const Strategy> PriorityClassStrategy();
std::shared_ptr<const Strategy> RuntimeClassStrategy();
std::shared_ptr<const Strategy> DeploymentStrategy();
std::shared_ptr<const Strategy> ReplicaSetStrategy();
std::shared_ptr<const Strategy> JobStrategy();
std::shared_ptr<const Strategy> DefinitionStrategy();  // CustomResourceDefinition

}  // namespace allot::apiserver

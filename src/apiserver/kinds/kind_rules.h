#pragma once
// The rules of the built-in kinds, one function for each. To add a kind, add a line here and in table.cc.

#include <memory>

#include "apiserver/kinds/kind.h"

namespace allot::apiserver {

// resource.k8s.io/v1 (dra_*.cc)
std::shared_ptr<const KindRules> ResourceClaimKindRules();
std::shared_ptr<const KindRules> ResourceClaimTemplateKindRules();
std::shared_ptr<const KindRules> DeviceClassKindRules();
std::shared_ptr<const KindRules> ResourceSliceKindRules();

// v1
std::shared_ptr<const KindRules> PodKindRules();
std::shared_ptr<const KindRules> NodeKindRules();
std::shared_ptr<const KindRules> NamespaceKindRules();
std::shared_ptr<const KindRules> ConfigMapKindRules();
std::shared_ptr<const KindRules> SecretKindRules();
std::shared_ptr<const KindRules> ServiceAccountKindRules();
std::shared_ptr<const KindRules> EventKindRules();

// Others
std::shared_ptr<const KindRules> LeaseKindRules();
std::shared_ptr<const KindRules> PriorityClassKindRules();
std::shared_ptr<const KindRules> RuntimeClassKindRules();
std::shared_ptr<const KindRules> DeploymentKindRules();
std::shared_ptr<const KindRules> ReplicaSetKindRules();
std::shared_ptr<const KindRules> JobKindRules();
std::shared_ptr<const KindRules> DefinitionKindRules();  // CustomResourceDefinition

}  // namespace allot::apiserver

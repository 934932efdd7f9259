#pragma once
// Tables of the built-in kinds: the columns of kube-apiserver 1.36, and the cells of an object.
//
// A row has a cell for each column, even if the object lacks most fields (a bookmark has only a resourceVersion).

#include <vector>

#include "apiserver/kinds/kind.h"

namespace allot::apiserver {

struct ColumnsAndRow {
  std::vector<Column> columns;
  RowFunction row;
};

// v1
ColumnsAndRow PodColumns();
ColumnsAndRow NodeColumns();
ColumnsAndRow NamespaceColumns();
ColumnsAndRow ConfigMapColumns();
ColumnsAndRow SecretColumns();
ColumnsAndRow ServiceAccountColumns();
ColumnsAndRow EventColumns();

// Workloads
ColumnsAndRow DeploymentColumns();
ColumnsAndRow ReplicaSetColumns();
ColumnsAndRow JobColumns();

// resource.k8s.io
ColumnsAndRow DeviceClassColumns();
ColumnsAndRow ResourceClaimColumns();
ColumnsAndRow ResourceClaimTemplateColumns();
ColumnsAndRow ResourceSliceColumns();

// Others
ColumnsAndRow LeaseColumns();
ColumnsAndRow PriorityClassColumns();
ColumnsAndRow RuntimeClassColumns();
ColumnsAndRow DefinitionColumns();  // CustomResourceDefinition

// For kinds without columns of their own: name and age.
ColumnsAndRow NameAndAgeColumns();
// Name and creation time, which kube-apiserver shows for kinds that define no columns.
ColumnsAndRow NameAndCreationColumns();

}  // namespace allot::apiserver

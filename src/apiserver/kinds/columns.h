#pragma once
// How the built-in kinds look in tables: the columns that kube-apiserver 1.36 has, and the cells of an object.
//
// A row has a cell for each column, also for objects that lack most fields (a bookmark has a resourceVersion only).

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

// The others
ColumnsAndRow LeaseColumns();
ColumnsAndRow PriorityClassColumns();
ColumnsAndRow RuntimeClassColumns();
ColumnsAndRow DefinitionColumns();  // CustomResourceDefinition

// Of kinds that have none of their own: the name, and how old it is.
ColumnsAndRow NameAndAgeColumns();
// The name and when it was made: what kube-apiserver shows of kinds that say nothing about their columns.
ColumnsAndRow NameAndCreationColumns();

}  // namespace allot::apiserver

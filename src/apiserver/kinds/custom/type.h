#pragma once
// Makes the Type (schema/type.h) of a custom kind from its schema, for pruning, patches, apply and OpenAPI.

#include <memory>

#include "apiserver/kinds/custom/schema.h"
#include "apiserver/schema/type.h"

namespace allot::apiserver {

struct CustomType {
  std::shared_ptr<const Schema> owner;
  const Type* type = nullptr;  // the whole object, with apiVersion, kind and metadata
};

// `name` is the name of the object's type: "com.example.v1.Thing".
CustomType MakeCustomType(const CustomSchema& schema, std::string_view name);

}  // namespace allot::apiserver

#pragma once
// The Type (schema/type.h) of a custom kind, from its schema: what pruning, patches, apply and OpenAPI work on.

#include <memory>

#include "apiserver/kinds/custom_schema.h"
#include "apiserver/schema/type.h"

namespace allot::apiserver {

struct CustomType {
  std::shared_ptr<const Schema> owner;
  const Type* type = nullptr;  // of the whole object, with apiVersion, kind and metadata
};

// `name` names the type of the object: "com.example.v1.Thing".
CustomType MakeCustomType(const CustomSchema& schema, std::string_view name);

}  // namespace allot::apiserver

#pragma once
// Which old item of a list a new one replaces.

#include <memory>

#include "apiserver/kinds/custom_schema.h"
#include "json/value.h"

namespace allot::apiserver {

// The old item with the same keys, where the schema tells items apart by keys (list type "map"); else none.
// Built from the old list once, then asked for each new item.
class OldItems {
 public:
  OldItems(const CustomSchema& schema, const json::Value* old);
  ~OldItems();
  // nullptr: there is none.
  const json::Value* Find(const json::Value& item) const;

 private:
  struct Index;
  std::unique_ptr<Index> index_;
};

}  // namespace allot::apiserver

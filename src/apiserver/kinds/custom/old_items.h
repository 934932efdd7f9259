#pragma once
// Finds the old item of a list that a new item replaces.

#include <memory>

#include "apiserver/kinds/custom/schema.h"
#include "json/value.h"

namespace allot::apiserver {

// Finds the old item with the same keys if the list type is "map"; otherwise finds none. Build it once from the old list, then ask for each
// new item.
class OldItems {
 public:
  OldItems(const CustomSchema& schema, const json::Value* old);
  ~OldItems();
  // Returns nullptr if there is none.
  const json::Value* Find(const json::Value& item) const;

 private:
  struct Index;
  std::unique_ptr<Index> index_;
};

}  // namespace allot::apiserver

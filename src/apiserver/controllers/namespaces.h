#pragma once
// A namespace that is deleted: takes its content with it, waits until that is gone, and lets the namespace go.

#include <set>
#include <string>

#include "apiserver/controllers/controller.h"

namespace allot::apiserver {

class Namespaces final : public Controller {
 public:
  explicit Namespaces(World& world) : Controller(world, "namespace-controller") {}

  void Notice(const Sight& sight) override;
  void Forget() override { ending_.clear(); }
  Result<Again> Reconcile(const Key& key) override;

 private:
  struct Content {
    size_t left = 0;       // objects that are still there
    bool all_told = true;  // each of them is being deleted
  };
  // Deletes what is in the namespace, as much as one turn may take.
  Result<Content> DeleteContent(const std::string& space);

  std::set<std::string> ending_;  // namespaces that are being deleted, or were a moment ago
};

}  // namespace allot::apiserver

#pragma once
// A namespace that is deleted: takes its content with it, waits until that is gone, and lets the namespace go.
//
// A create may have seen the namespace alive and be written after all that: what comes into a namespace that is ending or has ended is
// deleted as well. What is found without a namespace that ever was is left alone: nobody asked for its end.

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
  bool IsEnding(const std::string& space) const;
  // Deletes what is in the namespace and was written up to `version`, as much as one turn may take.
  Result<Content> DeleteContent(const std::string& space, uint64_t version);

  std::set<std::string> ending_;  // namespaces that are being deleted, or were
};

}  // namespace allot::apiserver

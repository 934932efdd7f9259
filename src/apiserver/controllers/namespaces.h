#pragma once
// A namespace that is deleted: takes its content with it, waits until that is gone, and lets the namespace go. One that has to wait says
// in its conditions for what.
//
// A create may have seen the namespace alive and be written after all that: what comes into a namespace that is ending or has ended is
// deleted as well. What is found without a namespace that ever was is left alone: nobody asked for its end.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "apiserver/controllers/controller.h"

namespace allot::apiserver {

class Namespaces final : public Controller {
 public:
  explicit Namespaces(World& world) : Controller(world, "namespace-controller") {}

  void Notice(const Sight& sight) override;
  void Forget() override {
    ending_.clear();
    explained_.clear();
  }
  Result<Again> Reconcile(const Key& key) override;

 private:
  struct Content {
    std::map<std::string, size_t> left;        // objects that are still there, by "pods." or "jobs.batch"
    std::map<std::string, size_t> finalizers;  // that they wait for
    std::vector<Status> failures;              // what cannot be deleted does not keep the others
    bool all_told = true;                      // each of them is being deleted
  };
  bool IsEnding(const std::string& space) const;
  // Deletes what is in the namespace and was written up to `version`, as much as one turn may take.
  Content DeleteContent(const std::string& space, uint64_t version);
  // When to look again at a namespace that has to wait. Writes why it does, now and then: one that ends soon needs no reasons.
  Result<Again> Wait(const Stored& space, const Content& content);

  std::set<std::string> ending_;                         // namespaces that are being deleted, or were
  std::map<std::string, MonotonicTime> explained_ = {};  // when those that wait were looked at first, or their conditions last
};

}  // namespace allot::apiserver

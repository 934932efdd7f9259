#pragma once
// Carries out the deletion of namespaces: deletes the content, waits until it is gone, then removes the namespace. While it waits, the
// namespace's conditions say for what.
//
// A create that saw the namespace alive may be stored later, so objects that appear in an ending or ended namespace are deleted too.
// Objects in a namespace that never existed stay: no deletion was requested.

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
    std::map<std::string, size_t> left;        // remaining objects, by "pods." or "jobs.batch"
    std::map<std::string, size_t> finalizers;  // finalizers that they wait for
    std::vector<Status> failures;              // errors of deletes; they do not stop the others
    bool all_told = true;                      // every object is being deleted
  };
  bool IsEnding(const std::string& space) const;
  // Deletes the objects in the namespace that were written up to `version`, as many as one turn allows.
  Content DeleteContent(const std::string& space, uint64_t version);
  // Returns when to look again at a waiting namespace. Writes the reason into its conditions now and then; a namespace that ends soon needs
  // none.
  Result<Again> Wait(const Stored& space, const Content& content);

  std::set<std::string> ending_;                         // namespaces that are being deleted, or were
  std::map<std::string, MonotonicTime> explained_ = {};  // when a waiting namespace was first seen, or its conditions last written
};

}  // namespace allot::apiserver

#pragma once
// What belongs to a controller's object: the Pods of a ReplicaSet or Job, the ReplicaSets of a Deployment.

#include <string_view>
#include <vector>

#include "apiserver/controllers/controller.h"
#include "apiserver/controllers/label_selector.h"

namespace allot::apiserver {

// A controller whose objects own others.
class OwningController : public Controller {
 public:
  using Controller::Controller;

 protected:
  // The objects of `resource` that `owner` controls. What fits its selector and belongs to nobody is adopted, and gets `finalizer` where
  // that is not empty; what it controls but does not fit any more is let go. An owner that is being deleted does neither.
  Result<std::vector<Stored>> Owned(const Stored& owner, std::string_view resource, std::string_view finalizer = "") const;

  // Adds the keys of those in the object's namespace that control it or, where nobody does, that would adopt it.
  // `kind` and `resource` are the owners'.
  void AddOwners(const Sight& sight, std::string_view kind, std::string_view resource) const;

 private:
  Result<bool> Adopt(const Stored& owner, const Stored& object, std::string_view finalizer) const;
};

}  // namespace allot::apiserver

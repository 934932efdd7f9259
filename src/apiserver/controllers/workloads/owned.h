#pragma once
// Objects that belong to a controller's object: the Pods of a ReplicaSet or Job, the ReplicaSets of a Deployment.

#include <string_view>
#include <vector>

#include "apiserver/controllers/controller.h"
#include "apiserver/controllers/label_selector.h"

namespace allot::apiserver {

// Base class of controllers whose objects own others.
class OwningController : public Controller {
 public:
  using Controller::Controller;

 protected:
  // Returns the objects of `resource` that `owner` controls. Adopts objects that match its selector and have no controller, and adds
  // `finalizer` to them unless it is empty. Releases controlled objects that do not match any more. An owner that is being deleted neither
  // adopts nor releases.
  Result<std::vector<Stored>> Owned(const Stored& owner, std::string_view resource, std::string_view finalizer = "") const;

  // Adds the keys of the owners in the object's namespace that control it, or that would adopt it if it has no controller. `kind` and
  // `resource` are the owners'.
  void AddOwners(const Sight& sight, std::string_view kind, std::string_view resource) const;

 private:
  Result<bool> Adopt(const Stored& owner, const Stored& object, std::string_view finalizer) const;
};

}  // namespace allot::apiserver

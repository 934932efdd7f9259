#pragma once
// CustomResourceDefinitions: names are accepted, kinds are served, and a definition that is deleted takes its objects with it.
//
// Promises:
//   1. a definition whose status says Established is served, also right after a start;
//   2. of two definitions that want one name in a group, the one that has it keeps it;
//   3. a definition goes when the last of its objects has gone, and its kinds go with it.

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "apiserver/controllers/controller.h"

namespace allot::apiserver {

class Definitions final : public Controller {
 public:
  struct Parts {
    // The kinds of a definition, one for each version that is served (kinds/custom_kind.h).
    std::function<Result<std::vector<std::shared_ptr<const Kind>>>(const json::Value& definition)> kinds_of;
    // Ends the watches of a resource that is not served any more.
    std::function<void(const std::string& resource)> end_watches;
  };
  Definitions(World& world, Parts parts) : Controller(world, "customresourcedefinition-controller"), parts_(std::move(parts)) {}

  // Serves what was served before, for the start. A definition that cannot be served is tried again by Reconcile: the others do not wait.
  void ServeStored();

  void Notice(const Sight& sight) override;
  Result<Again> Reconcile(const Key& key) override;

 private:
  struct Served {
    std::string uid;
    int64_t generation = 0;
    std::vector<std::shared_ptr<const Kind>> kinds;
  };

  Status Serve(const Stored& definition, bool begins);
  void Withdraw(const std::string& name);
  void Publish();
  Status WriteStatus(const Stored& definition, const std::string& taken, std::string_view reason);
  // Why the names of a definition cannot be accepted: the reason, and the name that somebody else has; empty: they can.
  std::pair<std::string_view, std::string> Conflict(const Stored& definition) const;
  Result<Again> End(const Stored& definition);

  const Parts parts_;
  std::map<std::string, Served> served_;  // by the name of the definition, which is that of the resource
};

}  // namespace allot::apiserver

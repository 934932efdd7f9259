#pragma once
// Handles CustomResourceDefinitions: accepts names, serves kinds, and deletes the objects of a deleted definition.
//
// Promises:
//   1. a definition with the condition Established is served, also right after a start;
//   2. if two definitions of a group claim one name, the definition that already has it keeps it;
//   3. a deleted definition is removed, with its kinds, after the last of its objects.

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
    // Returns the kinds of a definition, one for each served version (kinds/custom/kind.h).
    std::function<Result<std::vector<std::shared_ptr<const Kind>>>(const json::Value& definition)> kinds_of;
    // Ends the watches of a resource that is not served any more.
    std::function<void(const std::string& resource)> end_watches;
  };
  Definitions(World& world, Parts parts) : Controller(world, "customresourcedefinition-controller"), parts_(std::move(parts)) {}

  // At start, serves what was served before. Reconcile retries a definition that cannot be served; the others do not wait for it.
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
  // Returns why the names of a definition cannot be accepted: the reason, and the name that is taken. Empty if they can.
  std::pair<std::string_view, std::string> Conflict(const Stored& definition) const;
  Result<Again> End(const Stored& definition);

  const Parts parts_;
  std::map<std::string, Served> served_;  // by the definition's name, which is that of the resource
};

}  // namespace allot::apiserver

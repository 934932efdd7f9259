#pragma once
// Whether a device is one that a request asks for: class selectors, then the request's, then the node of the device.
//
// The answer does not depend on what is taken, so it is found once for each device and remembered. Requests with the same class and
// selectors share their answers.

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <string>
#include <string_view>
#include <vector>

#include "alloc/compat.h"
#include "alloc/inventory.h"
#include "alloc/reasons.h"
#include "base/status.h"
#include "cel/cache.h"
#include "model/claim.h"

namespace allot::alloc {

enum class Match : uint8_t { kUnknown, kNo, kYes, kError };  // kUnknown: not asked yet

class Matcher {
 public:
  // `arena` holds what it remembers and must outlive it.
  Matcher(const Inventory& inventory, cel::Cache& selectors, const Features& features, const Quirks& quirks,
          std::pmr::memory_resource& arena)
      : inventory_(inventory),
        selectors_(selectors),
        features_(features),
        quirks_(quirks),
        arena_(arena),
        groups_(&arena),
        programs_(&arena) {}

  // The group of requests that this one belongs to.
  uint32_t GroupOf(const model::ResourceClaim& claim, const model::DeviceClass& device_class, const model::DeviceRequest& request);
  size_t groups() const { return groups_.size(); }

  // kYes, kNo, or kError: then error() says what is wrong with the selector.
  Match Matches(uint32_t group, uint32_t device) {
    uint8_t& known = groups_[group].known[device];
    if (known == static_cast<uint8_t>(Match::kUnknown)) {
      const Match match = Find(groups_[group], device);
      if (match == Match::kError) return match;  // not remembered, so that error() is always about this device
      known = static_cast<uint8_t>(match);
    }
    return static_cast<Match>(known);
  }
  // Of the last call of Matches that gave kError.
  const Status& error() const { return error_; }

  // Why Matches says no. REQUIRES kNo.
  Reason WhyNot(uint32_t group, uint32_t device);

 private:
  struct Step {
    std::string_view expression;
    size_t index;  // of the selector in its list
    bool of_class;
    const cel::Program* program;  // once it was needed
  };
  struct Group {
    const model::ResourceClaim* claim;  // the first of its requests is of this claim
    const model::DeviceClass* device_class;
    const model::DeviceRequest* request;
    std::pmr::vector<Step> steps;
    std::pmr::vector<uint8_t> known;  // a Match for each device
  };

  struct Compiled {
    std::string_view expression;
    std::shared_ptr<const cel::Program> program;
  };

  // The program of a selector, from the cache the first time it is met here.
  Result<const cel::Program*> ProgramOf(std::string_view expression);
  Match Find(Group& group, uint32_t device);
  // kNo with the step that is false in `failed`.
  Match RunSelectors(Group& group, const InventoryDevice& device, const Step** failed);
  Match CheckNode(const InventoryDevice& device);
  Match Fail(Group& group, const Step& step, std::string_view stage, const Status& status);

  const Inventory& inventory_;
  cel::Cache& selectors_;
  const Features& features_;
  const Quirks& quirks_;
  std::pmr::memory_resource& arena_;
  std::pmr::vector<Group> groups_;
  std::pmr::vector<Compiled> programs_;  // only a few: scanning them is faster than a lookup in the shared cache
  Status error_;
};

}  // namespace allot::alloc

#include "alloc/preference.h"

#include <algorithm>

namespace allot::alloc {
namespace {

class BestFit : public Preference {
 public:
  std::string_view name() const override { return "best-fit"; }

  // The largest part of any capacity that stays free, between 0 and 1. A device that is taken whole leaves nothing, so that among those
  // the smallest is best: its size decides.
  double Cost(const Candidate& candidate) const override {
    double cost = 0;
    for (size_t i = 0; i < candidate.device.capacity.size(); ++i) {
      const model::Capacity& capacity = candidate.device.capacity[i];
      model::Quantity left = capacity.value;
      if (candidate.usage != nullptr) {
        if (const model::Quantity* held = candidate.usage->Consumed(capacity.name.full)) left.Sub(*held);
      }
      if (!candidate.taken.empty()) left.Sub(candidate.taken[i]);
      left.Sub(candidate.asked[i]);
      cost = std::max(cost, left.AsApproximateFloat64());
    }
    return cost;
  }
};

}  // namespace

Result<std::unique_ptr<const Preference>> MakePreference(std::string_view name) {
  if (name == "first") return std::unique_ptr<const Preference>();
  if (name == "best-fit") return std::unique_ptr<const Preference>(std::make_unique<BestFit>());
  return Invalid("preference ", Quoted(name), " is not one of first, best-fit");
}

}  // namespace allot::alloc

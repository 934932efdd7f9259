#include "alloc/preference.h"

#include "model/memory.h"

namespace allot::alloc {
namespace {

class Fit : public Preference {
 public:
  explicit Fit(bool best) : sign_(best ? 1 : -1) {}

  double Cost(const Candidate& candidate) const override { return sign_ * Left(candidate); }

 private:
  static double Left(const Candidate& candidate) {
    const std::vector<model::Capacity>& capacity = candidate.device.capacity;
    if (capacity.empty()) return 0;
    const model::Capacity* const memory = model::MemoryOf(candidate.device);
    const size_t which = memory == nullptr ? 0 : static_cast<size_t>(memory - capacity.data());
    constexpr double kTieBreak = 1e-6;  // the size of the device decides only between equal remainders
    const double size = capacity[which].value.AsApproximateFloat64() * kTieBreak;
    if (!candidate.device.allow_multiple_allocations) return size;  // no other claim can use the rest
    model::Quantity left = capacity[which].value;
    if (candidate.usage != nullptr) {
      if (const model::Quantity* held = candidate.usage->Consumed(capacity[which].name.full)) left.Sub(*held);
    }
    if (!candidate.taken.empty()) left.Sub(candidate.taken[which]);
    left.Sub(candidate.asked[which]);
    return left.AsApproximateFloat64() + size;
  }

  const double sign_;
};

}  // namespace

Result<std::unique_ptr<const Preference>> MakePreference(std::string_view name) {
  if (name == "first") return std::unique_ptr<const Preference>();
  if (name == "best-fit") return std::unique_ptr<const Preference>(std::make_unique<Fit>(true));
  if (name == "worst-fit") return std::unique_ptr<const Preference>(std::make_unique<Fit>(false));
  return Invalid("preference ", Quoted(name), " is not one of first, best-fit, worst-fit");
}

}  // namespace allot::alloc

#include "apiserver/kinds/pod/resources.h"

namespace allot::apiserver {

namespace {

// Sums cpu and memory, and tracks whether each container has limits for both.
class Sums {
 public:
  void Add(const json::Value& resources, bool limits_needed) {
    AddPositive(requests_, resources["requests"]);
    const size_t limited = AddPositive(limits_, resources["limits"]);
    if (limits_needed && limited < 2) guaranteed_ = false;
  }

  std::string_view Class() const {
    if (requests_.empty() && limits_.empty()) return "BestEffort";
    return guaranteed_ && requests_ == limits_ ? "Guaranteed" : "Burstable";
  }

 private:
  static size_t AddPositive(ResourceList& sum, const json::Value& amounts) {
    size_t count = 0;
    for (const std::string_view name : {"cpu", "memory"}) {
      const model::Quantity amount = QuantityOf(amounts[name]);
      if (amount.Sign() <= 0) continue;
      sum[name].Add(amount);
      ++count;
    }
    return count;
  }

  ResourceList requests_, limits_;
  bool guaranteed_ = true;
};

}  // namespace

std::string_view QosClassOf(const json::Value& spec) {
  Sums sums;
  if (const json::Value& whole = spec["resources"]; whole.IsObject()) {
    sums.Add(whole, IsSet(whole["limits"]));
  } else {
    for (const std::string_view list : {"containers", "initContainers"}) {
      for (const json::Value& container : json::ItemsOf(spec[list])) sums.Add(container["resources"], true);
    }
  }
  return sums.Class();
}

}  // namespace allot::apiserver

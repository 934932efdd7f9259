#include "apiserver/controllers/workloads/deployment_plan.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "apiserver/controllers/stored.h"

namespace allot::apiserver {

namespace {

// A number, or a percentage of `whole`: 5, "25%".
int64_t Share(const json::Value& value, int64_t whole, bool round_up) {
  if (value.IsNumber()) return IntOr(value, 0);
  const std::string_view text = json::TextOf(value);
  int64_t percent = 0;
  std::from_chars(text.data(), text.data() + text.size(), percent);
  percent = std::clamp<int64_t>(percent, 0, 1'000'000);
  return (percent * whole + (round_up ? 99 : 0)) / 100;
}

int64_t Sum(const std::vector<SetSize>& sets, int64_t SetSize::* what) {
  int64_t sum = 0;
  for (const SetSize& set : sets) sum += set.*what;
  return sum;
}

}  // namespace

RolloutPlan PlanOf(const json::Value& deployment) {
  RolloutPlan plan;
  const json::Value& spec = deployment["spec"];
  plan.replicas = IntOr(spec["replicas"], 1);
  plan.rolling = json::TextOf(spec["strategy"]["type"]) != "Recreate";
  if (!plan.rolling) return plan;
  const json::Value& rolling = spec["strategy"]["rollingUpdate"];
  plan.surge = Share(rolling["maxSurge"], plan.replicas, true);
  plan.unavailable = Share(rolling["maxUnavailable"], plan.replicas, false);
  // With neither, the rollout could not proceed.
  if (plan.surge == 0 && plan.unavailable == 0) plan.unavailable = 1;
  plan.unavailable = std::min(plan.unavailable, plan.replicas);
  return plan;
}

int64_t NextSize(const RolloutPlan& plan, const SetSize& current, const std::vector<SetSize>& old) {
  if (!plan.rolling || current.replicas >= plan.replicas) return plan.replicas;
  const int64_t room = plan.most() - current.replicas - Sum(old, &SetSize::replicas);
  return current.replicas + std::clamp<int64_t>(room, 0, plan.replicas - current.replicas);
}

std::vector<int64_t> NextOldSizes(const RolloutPlan& plan, const SetSize& current, const std::vector<SetSize>& old) {
  std::vector<int64_t> sizes;
  for (const SetSize& set : old) sizes.push_back(set.replicas);
  const int64_t all = Sum(old, &SetSize::replicas) + current.replicas;
  int64_t room = all - plan.least_available() - (current.replicas - current.available);
  if (room <= 0) return sizes;

  const auto shrink = [](int64_t& size, int64_t by, int64_t& left) {
    by = std::clamp<int64_t>(std::min(by, left), 0, size);
    size -= by;
    left -= by;
  };
  for (size_t i = 0; i < old.size(); ++i) shrink(sizes[i], old[i].replicas - old[i].available, room);
  int64_t spare = Sum(old, &SetSize::available) + current.available - plan.least_available();
  for (int64_t& size : sizes) {
    if (spare > 0) shrink(size, size, spare);
  }
  return sizes;
}

std::vector<int64_t> ProportionalSizes(const RolloutPlan& plan, const std::vector<SetSize>& sets, int64_t replicas_now) {
  std::vector<int64_t> sizes;
  const int64_t allowed = plan.replicas > 0 ? plan.most() : 0;
  const int64_t change = allowed - Sum(sets, &SetSize::replicas);
  int64_t done = 0;
  for (const SetSize& set : sets) {
    int64_t part = 0;
    if (plan.replicas == 0) {
      part = -set.replicas;
    } else if (const int64_t before = set.most_before.value_or(0) > 0 ? *set.most_before : replicas_now; before > 0) {
      const double size = static_cast<double>(set.replicas) * static_cast<double>(plan.most()) / static_cast<double>(before);
      // The previous number is an annotation, which users may edit. Limit it to the size of any set.
      part = std::llround(std::min<double>(size, std::numeric_limits<int32_t>::max())) - set.replicas;
    }
    const int64_t left = change - done;
    part = change > 0 ? std::min(part, left) : std::max(part, left);
    if (change == 0 || left == 0) part = 0;
    done += part;
    sizes.push_back(std::max<int64_t>(0, set.replicas + part));
  }
  if (!sizes.empty()) sizes.front() = std::max<int64_t>(0, sizes.front() + change - done);
  return sizes;
}

}  // namespace allot::apiserver

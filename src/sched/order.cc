#include "sched/order.h"

#include "base/random.h"

namespace allot::sched {

std::strong_ordering ComparePriorities(const Pod& a, const Pod& b) { return b.placement.priority <=> a.placement.priority; }

std::weak_ordering CompareTurns(const Pod& a, const Pod& b) {
  if (const auto order = ComparePriorities(a, b); order != 0) return order;
  if (const auto order = a.created <=> b.created; order != 0) return order;
  return TimeOfUuid(a.pod.uid) <=> TimeOfUuid(b.pod.uid);
}

bool IsAhead(const Pod& a, const Pod& b) {
  const std::weak_ordering order = CompareTurns(a, b);
  return order != 0 ? order < 0 : a.key < b.key;
}

}  // namespace allot::sched

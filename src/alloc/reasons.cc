#include "alloc/reasons.h"

#include <algorithm>

namespace allot::alloc {

bool Reason::IsHeldByThisPod() const {
  return std::any_of(holders.begin(), holders.end(), [](const Holder& holder) { return holder.kind == Holder::Kind::kThisPod; });
}

}  // namespace allot::alloc

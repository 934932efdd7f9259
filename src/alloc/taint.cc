#include "alloc/taint.h"

#include <algorithm>

namespace allot::alloc {
namespace {

bool Tolerates(const model::Toleration& toleration, const model::Taint& taint) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  if (toleration.op == "Exists") return true;
  return (toleration.op.empty() || toleration.op == "Equal") && toleration.value == taint.value;
}

}  // namespace

bool IsTolerated(const model::Taint& taint, std::span<const model::Toleration> tolerations) {
  return std::any_of(tolerations.begin(), tolerations.end(), [&](const auto& t) { return Tolerates(t, taint); });
}

const model::Taint* PreventingTaint(std::span<const model::Taint> taints, std::span<const model::Toleration> tolerations) {
  for (const model::Taint& taint : taints) {
    if (taint.effect != "NoSchedule" && taint.effect != "NoExecute") continue;  // other effects forbid nothing
    if (!IsTolerated(taint, tolerations)) return &taint;
  }
  return nullptr;
}

}  // namespace allot::alloc

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

const model::Taint* PreventingTaint(const model::Device& device, std::span<const model::Toleration> tolerations) {
  for (const model::Taint& taint : device.taints) {
    if (taint.effect != "NoSchedule" && taint.effect != "NoExecute") continue;  // others do not keep anybody away
    if (std::none_of(tolerations.begin(), tolerations.end(), [&](const auto& t) { return Tolerates(t, taint); })) return &taint;
  }
  return nullptr;
}

}  // namespace allot::alloc

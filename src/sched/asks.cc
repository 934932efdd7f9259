#include "sched/asks.h"

#include <algorithm>

namespace allot::sched {
namespace {

// Whether both ask for the same, apart from the count.
bool IsLike(const model::DeviceRequest& a, const model::DeviceRequest& b) {
  const auto same_selector = [](const model::Selector& x, const model::Selector& y) { return x.expression == y.expression; };
  const auto same_amount = [](const model::NamedQuantity& x, const model::NamedQuantity& y) {
    return x.name == y.name && x.amount == y.amount;
  };
  const auto same_toleration = [](const model::Toleration& x, const model::Toleration& y) {
    return x.key == y.key && x.op == y.op && x.value == y.value && x.effect == y.effect;
  };
  return a.class_name == b.class_name &&
         std::equal(a.selectors.begin(), a.selectors.end(), b.selectors.begin(), b.selectors.end(), same_selector) &&
         std::equal(a.capacity.begin(), a.capacity.end(), b.capacity.begin(), b.capacity.end(), same_amount) &&
         std::equal(a.tolerations.begin(), a.tolerations.end(), b.tolerations.begin(), b.tolerations.end(), same_toleration);
}

bool IsCounted(const model::Request& request) {
  return request.exactly && request.exactly->allocation_mode != "All" && !request.exactly->admin_access.value_or(false);
}

// Whether a constraint is about all requests.
bool IsAboutAll(const model::Constraint& constraint, const model::ResourceClaim& claim) {
  return constraint.requests.empty() || constraint.requests.size() == claim.requests.size();
}

}  // namespace

std::vector<model::DeviceRequest*> AsksOf(model::Request& request) {
  std::vector<model::DeviceRequest*> asks;
  if (request.exactly) asks.push_back(&*request.exactly);
  for (model::DeviceRequest& one : request.first_available) asks.push_back(&one);
  return asks;
}

std::vector<const model::DeviceRequest*> AsksOf(const model::Request& request) {
  std::vector<const model::DeviceRequest*> asks;
  if (request.exactly) asks.push_back(&*request.exactly);
  for (const model::DeviceRequest& one : request.first_available) asks.push_back(&one);
  return asks;
}

model::MiB MemoryAsked(const model::DeviceRequest& ask) {
  const model::NamedQuantity* const memory = model::MemoryOf(ask.capacity);
  return memory == nullptr ? model::MiB(0) : model::MiB::Taken(memory->amount);
}

model::MiB MemoryAsked(const model::Request& request) {
  model::MiB most;
  for (const model::DeviceRequest* ask : AsksOf(request)) most = std::max(most, MemoryAsked(*ask));
  return most;
}

void AskForMemory(model::DeviceRequest& ask, model::MiB memory) {
  ask.has_capacity = true;
  const model::NamedQuantity* const asked = model::MemoryOf(ask.capacity);
  const std::string name = asked == nullptr ? "memory" : asked->name;
  std::erase_if(ask.capacity, [&](const model::NamedQuantity& amount) { return amount.name == name; });
  ask.capacity.push_back({name, memory.ToQuantity()});
  std::sort(ask.capacity.begin(), ask.capacity.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
}

PodWithClaims WithClaim(const PodWithClaims& asking, size_t index, const std::function<void(model::ResourceClaim&)>& change) {
  PodWithClaims changed = asking;
  auto copy = std::make_shared<Claim>(*asking.claims[index]);
  change(copy->claim);
  changed.claims[index] = std::move(copy);
  return changed;
}

std::optional<Several> SeveralOf(const PodWithClaims& asking) {
  std::optional<size_t> index;
  for (size_t i = 0; i < asking.claims.size(); ++i) {
    if (asking.claims[i]->claim.allocation) continue;
    if (index) return std::nullopt;
    index = i;
  }
  if (!index) return std::nullopt;
  const model::ResourceClaim& claim = asking.claims[*index]->claim;
  if (claim.requests.empty() || !IsCounted(claim.requests[0])) return std::nullopt;
  // One request never gets the same device twice, even a shared one (as in Kubernetes 1.36).
  const bool one_request = claim.requests.size() == 1;
  Several several{*index, 0, *claim.requests[0].exactly, one_request || MemoryAsked(*claim.requests[0].exactly) == model::MiB(0)};
  for (const model::Constraint& constraint : claim.constraints) {
    if (!constraint.distinct_attribute) continue;
    if (!IsAboutAll(constraint, claim)) return std::nullopt;
    several.differ = true;
  }
  for (const model::Request& one : claim.requests) {
    if (!IsCounted(one) || !IsLike(*one.exactly, several.ask)) return std::nullopt;
    if (one.exactly->count > 1 && !several.differ) return std::nullopt;
    if (__builtin_add_overflow(several.count, one.exactly->count, &several.count)) return std::nullopt;
  }
  several.ask.count = 1;
  return several.count > 1 ? std::optional<Several>(std::move(several)) : std::nullopt;
}

PodWithClaims WithCount(const PodWithClaims& asking, const Several& several, int64_t count) {
  return WithClaim(asking, several.claim, [&](model::ResourceClaim& claim) {
    int64_t left = count;
    for (model::Request& one : claim.requests) {
      one.exactly->count = std::min(left, one.exactly->count);
      left -= one.exactly->count;
    }
    std::erase_if(claim.requests, [](const model::Request& one) { return one.exactly->count == 0; });
    // Drop constraints on requests that were removed.
    const auto is_gone = [&](std::string_view name) {
      return std::none_of(claim.requests.begin(), claim.requests.end(), [&](const model::Request& one) { return one.name == name; });
    };
    std::erase_if(claim.constraints, [&](model::Constraint& constraint) {
      return std::erase_if(constraint.requests, is_gone) > 0 && constraint.requests.empty();  // one without a list is about all
    });
    claim.config.clear();
  });
}

}  // namespace allot::sched

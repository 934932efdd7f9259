#pragma once
// Reads and changes what the requests of a claim ask for.

#include <functional>
#include <optional>
#include <vector>

#include "model/memory.h"
#include "sched/objects.h"

namespace allot::sched {

// The only ask of the request, or its alternatives.
std::vector<model::DeviceRequest*> AsksOf(model::Request& request);
std::vector<const model::DeviceRequest*> AsksOf(const model::Request& request);

// The memory that the ask names; 0: it names none, and takes a whole device.
model::MiB MemoryAsked(const model::DeviceRequest& ask);
// The most that any alternative asks for.
model::MiB MemoryAsked(const model::Request& request);
void AskForMemory(model::DeviceRequest& ask, model::MiB memory);

// The Pod with another state of one of its claims.
PodWithClaims WithClaim(const PodWithClaims& asking, size_t index, const std::function<void(model::ResourceClaim&)>& change);

// Several interchangeable devices, or shares of devices, that a Pod asks for: by a count, or by requests that are alike.
struct Several {
  size_t claim = 0;  // the index of the only claim that is not allocated
  int64_t count = 0;
  model::DeviceRequest ask;  // for one of them; views the claim
  bool differ = false;       // each of another device: one request counts them, a constraint says so, or each takes the whole of one
};
// nullopt unless the Pod asks for several interchangeable devices.
std::optional<Several> SeveralOf(const PodWithClaims& asking);
// The Pod with fewer of them. REQUIRES 0 < count < several.count.
PodWithClaims WithCount(const PodWithClaims& asking, const Several& several, int64_t count);

}  // namespace allot::sched

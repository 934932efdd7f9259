// Selectors: an expression compiles or gives an error. A compiled expression has the same result and cost for a device every time, within
// the cost limit, and gives no reason for a device that it selects.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "cel/program.h"
#include "json/json.h"
#include "model/device.h"

namespace {

using allot::Result;

// A shared GPU, one with every kind of attribute, and one without attributes.
constexpr std::string_view kSlice = R"({
  "apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "n1-gpus"},
  "spec": {
    "driver": "gpu.example.com", "nodeName": "n1", "pool": {"name": "n1", "generation": 1, "resourceSliceCount": 1},
    "devices": [
      {"name": "gpu-0", "allowMultipleAllocations": true,
       "attributes": {"model": {"string": "L4"}, "cores": {"int": 58}, "mig": {"bool": false}, "driverVersion": {"version": "570.86.15"}},
       "capacity": {"memory": {"value": "24Gi"}}},
      {"name": "gpu-1",
       "attributes": {"model": {"string": ""}, "cores": {"int": -9223372036854775808}, "mig": {"bool": true},
                      "driverVersion": {"version": "1.0.0-rc.1+b"}, "resource.kubernetes.io/pcieRoot": {"string": "pci0000:80"}},
       "capacity": {"memory": {"value": "0"}, "other.example.com/lanes": {"value": "1500m"}}},
      {"name": "gpu-2"}
    ]
  }
})";

const allot::model::ResourceSlice& Slice() {
  static const auto document = allot::json::Parse(kSlice);
  static const auto slice = allot::model::ResourceSlice::Read(document->root());
  return *slice;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const allot::cel::Options options;
  const auto program = allot::cel::Program::Compile(std::string_view(reinterpret_cast<const char*>(data), size), options);
  if (!program.ok()) {
    CHECK(!program.status().message().empty());
    return 0;
  }
  for (const allot::model::Device& device : Slice().devices) {
    uint64_t cost = 0, cost_again = 0;
    const Result<bool> matches = (*program)->Matches(device, Slice().driver, &cost);
    const Result<bool> again = (*program)->Matches(device, Slice().driver, &cost_again);
    CHECK(matches.ok() == again.ok());
    if (matches.ok()) {
      CHECK(*matches == *again);
      CHECK(cost == cost_again);
      CHECK(cost <= options.cost_limit);
    } else {
      CHECK(!matches.status().message().empty());
      CHECK(matches.status().message() == again.status().message());
    }
    const allot::cel::NotTrue why_not = (*program)->Explain(device, Slice().driver);
    if (matches.ok() && *matches) CHECK(why_not == allot::cel::NotTrue());
  }
  return 0;
}

#include "tests/bench/shapes.h"

#include "base/strings.h"

namespace allot::bench {
namespace {

std::string Gpu(int index) {
  return StrCat(R"({"name":"gpu-)", index, R"(","allowMultipleAllocations":true,"attributes":{"uuid":{"string":"GPU-)", index,
                R"("},"productName":{"string":"NVIDIA GeForce RTX 3090"},"driverVersion":{"version":"550.54.15"}},)",
                R"("capacity":{"memory":{"value":"24Gi","requestPolicy":{"default":"24Gi","validRange":{"min":"1Mi","step":"1Mi"}}}}})");
}

std::string Case(int devices, int held_full, int claims, std::string_view memory) {
  std::string text = R"({"node":{"metadata":{"name":"n"}},"deviceClasses":[{"metadata":{"name":"gpu"},"spec":{"selectors":[)"
                     R"({"cel":{"expression":"device.driver == 'gpu.nvidia.com'"}}]}}],"resourceSlices":[)";
  constexpr int kPerSlice = 128;
  const int slices = (devices + kPerSlice - 1) / kPerSlice;
  for (int slice = 0; slice < slices; ++slice) {
    text += StrCat(slice > 0 ? "," : "", R"({"metadata":{"name":"s)", 10000 + slice,
                   R"("},"spec":{"driver":"gpu.nvidia.com","nodeName":"n","pool":{"name":"n",)", R"("generation":1,"resourceSliceCount":)",
                   slices, R"(},"devices":[)");
    for (int i = slice * kPerSlice; i < devices && i < (slice + 1) * kPerSlice; ++i) text += StrCat(i % kPerSlice > 0 ? "," : "", Gpu(i));
    text += "]}}";
  }
  text += R"(],"claims":[)";
  for (int i = 0; i < claims; ++i) {
    text +=
        StrCat(i > 0 ? "," : "", R"({"metadata":{"name":"c)", i,
               R"("},"spec":{"devices":{"requests":[{"name":"gpu","exactly":{"deviceClassName":"gpu",)",
               R"("allocationMode":"ExactCount","count":1,"selectors":[{"cel":{"expression":)",
               R"("device.attributes['gpu.nvidia.com'].productName == 'NVIDIA GeForce RTX 3090'"}}],"capacity":{"requests":{"memory":")",
               memory, R"("}}}}]}}})");
  }
  text += R"(],"allocated":{"consumedCapacity":[)";
  for (int i = 0; i < held_full; ++i) {
    text += StrCat(i > 0 ? "," : "", R"({"driver":"gpu.nvidia.com","pool":"n","device":"gpu-)", i, R"(","consumed":{"memory":"20Gi"}})");
  }
  return text + "]}}";
}

std::string Device(std::string_view expression) {
  return StrCat(
      R"({"expression":")", expression,
      R"(","driver":"gpu.nvidia.com","allowMultipleAllocations":true,"attributes":{"type":{"string":"gpu"},"uuid":{"string":)",
      R"("GPU-4cf8db2d-06c0-7d70-1a51-e59b25b2c16c"},"productName":{"string":"NVIDIA GeForce RTX 3090"},"brand":{"string":"GeForce"},)",
      R"("architecture":{"string":"Ampere"},"cudaComputeCapability":{"version":"8.6.0"},"driverVersion":{"version":"550.54.15"},)",
      R"("index":{"int":0}},"capacity":{"memory":{"value":"24Gi"},"multiprocessors":{"value":"82"}}})");
}

}  // namespace

const std::vector<Shape>& Shapes() {
  static const std::vector<Shape> shapes = [] {
    std::vector<Shape> all;
    for (const int devices : {8, 64, 512, 4096}) {
      all.push_back({StrCat("devices=", devices, ", last fits"), Case(devices, devices - 1, 1, "6Gi"), true});
    }
    for (const int devices : {8, 64, 512, 4096}) {
      all.push_back({StrCat("devices=", devices, ", none fits"), Case(devices, devices, 1, "6Gi"), true});
    }
    for (const int claims : {1, 4, 16, 64}) all.push_back({StrCat("claims=", claims, ", 16 devices"), Case(16, 0, claims, "6Gi"), true});
    all.push_back({"6 claims, 5 equal devices", Case(5, 0, 6, "13Gi"), true});
    all.push_back({"9 claims, 8 equal devices", Case(8, 0, 9, "13Gi"), true});
    all.push_back({"33 shares of 6Gi, 8 devices", Case(8, 0, 33, "6Gi"), false});
    return all;
  }();
  return shapes;
}

const std::vector<Selector>& Selectors() {
  static const std::vector<Selector> selectors = {
      {"model", Device("device.attributes['gpu.nvidia.com'].productName == 'NVIDIA GeForce RTX 3090'")},
      {"memory", Device("device.capacity['gpu.nvidia.com'].memory.compareTo(quantity('16Gi')) >= 0")},
      {"class", Device("device.driver == 'gpu.nvidia.com' && device.attributes['gpu.nvidia.com'].type == 'gpu'")},
      {"capability", Device("device.attributes['gpu.nvidia.com'].cudaComputeCapability.isGreaterThan(semver('8.0.0'))")},
      {"pattern", Device("device.attributes['gpu.nvidia.com'].productName.lowerAscii().matches('^.*rtx.*$')")},
  };
  return selectors;
}

}  // namespace allot::bench

// Claims that fit, or nearly fit, but not with the first choice: Kubernetes' search has to backtrack.

#include <algorithm>
#include <string>

#include "generate_allocator.h"

namespace allot::conformance {

namespace {

std::vector<const Device*> Visible(const Cluster& cluster) {
  std::vector<const Device*> devices;
  for (const Device& device : cluster.devices) {
    if (device.visible) devices.push_back(&device);
  }
  return devices;
}

Object Body(const Profile& profile, int count) {
  return Object()
      .Set("deviceClassName", Text(profile.drivers.front()))
      .Set("allocationMode", Text("ExactCount"))
      .Set("count", Number(count));
}

// Each request has one target device, and also accepts devices before it. Requests that accept the most come first.
std::vector<Json> Choosy(Dice& dice, const Profile& profile, const std::vector<const Device*>& devices) {
  const std::string index = "device.attributes['" + profile.drivers.front() + "'].index";
  const int most = static_cast<int>(std::min<size_t>(devices.size(), 8));
  std::vector<int> wanted(static_cast<size_t>(most));
  for (int i = 0; i < most; ++i) wanted[static_cast<size_t>(i)] = most - 1 - i;
  if (dice.Percent(30)) dice.Shuffle(wanted);
  const size_t requests = static_cast<size_t>(dice.Between(2, 5));
  if (wanted.size() > requests) wanted.erase(wanted.begin(), wanted.end() - static_cast<std::ptrdiff_t>(requests));
  if (wanted.size() > 1 && dice.Percent(25)) wanted.back() = wanted.front();  // may make it not fit
  std::vector<Json> bodies;
  for (const int device : wanted) {
    const std::string last = std::to_string(device);
    std::string selector;
    switch (dice.Weighted({50, 20, 15, 15})) {
      case 0: selector = index + " <= " + last; break;
      case 1: selector = index + " in [" + last + ", " + std::to_string(dice.Below(most)) + ']'; break;
      case 2: selector = index + " == " + last + " || " + index + " < " + std::to_string(dice.Below(3)); break;
      default: selector = index + " >= 0";
    }
    const int count = dice.Percent(12) ? 2 : 1;
    bodies.push_back(Body(profile, count).Set("selectors", List({Object().Set("cel", Object().Set("expression", Text(selector)))})));
  }
  return bodies;
}

// Requests for parts of each device's memory, in random order.
std::vector<Json> Packing(Dice& dice, const Profile& profile, const std::vector<const Device*>& devices) {
  std::vector<int64_t> parts;
  for (const Device* device : devices) {
    if (device->capacity.empty() || parts.size() > 5) continue;
    const int64_t memory = device->capacity.front().amount;
    const int64_t first = memory * dice.Pick({1, 2, 3, 4, 5, 6, 7}) / 8;
    const int64_t second = dice.Percent(25) ? (memory - first) / 2 : 0;
    parts.push_back(first);
    if (second > 0) parts.push_back(second);
    parts.push_back(memory - first - second);
  }
  dice.Shuffle(parts);
  if (!parts.empty() && dice.Percent(25)) parts.back() += 1;  // one MiB too much
  if (parts.size() > 2 && dice.Percent(40)) parts.pop_back();
  std::vector<Json> bodies;
  for (const int64_t part : parts) {
    const Json requests = Object().Set("memory", Text(MemoryText(dice, part)));
    bodies.push_back(Body(profile, 1).Set("capacity", Object().Set("requests", requests)));
  }
  return bodies;
}

}  // namespace

std::vector<Json> GeneratePuzzle(Dice& dice, const Profile& profile, const Cluster& cluster) {
  const std::vector<const Device*> devices = Visible(cluster);
  const std::vector<Json> bodies = profile.shared_devices > 0 ? Packing(dice, profile, devices) : Choosy(dice, profile, devices);
  const std::string& driver = profile.drivers.front();
  std::vector<Json> claims;
  std::vector<Json> requests;
  const auto close = [&] {
    Object spec;
    spec.Set("requests", List(requests));
    if (dice.Percent(profile.constraints / 3)) {
      const std::string attribute = dice.Pick({driver + "/numa", std::string("resource.kubernetes.io/pcieRoot"), driver + "/uuid"});
      spec.Set("constraints", List({Object().Set(dice.Percent(65) ? "matchAttribute" : "distinctAttribute", Text(attribute))}));
    }
    claims.push_back(Object()
                         .Set("metadata", Object().Set("name", Text("claim-" + std::to_string(claims.size()))))
                         .Set("spec", Object().Set("devices", spec)));
    requests.clear();
  };
  for (const Json& body : bodies) {
    const std::string name = "req-" + std::to_string(requests.size());
    if (profile.Has(kPrioritizedList) && dice.Percent(12)) {
      // The first alternative asks for more than fits.
      const Json greedy = Body(profile, 2).Set("name", Text("greedy"));
      const Json modest = Body(profile, 1).Set("name", Text("modest"));
      requests.push_back(Object().Set("name", Text(name)).Set("firstAvailable", List({greedy, modest})));
    } else {
      requests.push_back(Object().Set("name", Text(name)).Set("exactly", body));
    }
    if (dice.Percent(20)) close();
  }
  if (!requests.empty()) close();
  return claims;
}

}  // namespace allot::conformance

#pragma once
// For tests: a world of `allot explain` from YAML, without a server.

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/strings.h"
#include "cli/explain/text.h"
#include "json/yaml.h"
#include "sched/test_world.h"

namespace allot::cli {

// The objects of a stream of YAML documents, as lists of the API.
inline void PutObjects(std::string_view yaml, view::World& world) {
  Result<std::vector<json::Document>> documents = json::ParseYaml(yaml);
  ASSERT_TRUE(documents.ok()) << documents.status().message();
  for (const json::Document& document : *documents) {
    if (document.root().IsNull()) continue;
    const kube::ObjectPtr object = kube::CopyObject(document.root());
    view::Listing* const listing = object->kind() == "Pod"             ? &world.pods
                                   : object->kind() == "Node"          ? &world.nodes
                                   : object->kind() == "Namespace"     ? &world.namespaces
                                   : object->kind() == "ResourceClaim" ? &world.claims
                                   : object->kind() == "ResourceSlice" ? &world.slices
                                   : object->kind() == "DeviceClass"   ? &world.classes
                                                                       : nullptr;
    if (object->kind() == "ResourceClaimTemplate") {
      world.templates[kube::KeyOf(*object)] = object;
    } else {
      ASSERT_NE(listing, nullptr) << object->kind();
      listing->objects.push_back(object);
    }
  }
}

inline view::World WorldOf(std::string_view yaml, bool own_api = true) {
  view::World world;
  world.own_api = own_api;
  PutObjects(sched::kGpuClass, world);
  PutObjects(yaml, world);
  return world;
}

// A Pod that runs on the node and has so much of one of its GPUs.
inline std::string Running(std::string_view name, std::string_view node, std::string_view device, std::string_view memory,
                           std::string_view spec = "") {
  return StrCat("kind: ResourceClaim\nmetadata: {name: ", name, "-gpu, namespace: lab, uid: claim-", name,
                "}\nspec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu, allocationMode: ExactCount, count: 1, ",
                "capacity: {requests: {memory: ", memory, "}}}}]}}\nstatus: {reservedFor: [{resource: pods, name: ", name,
                "}], allocation: {devices: {results: [{request: gpu, driver: gpu.nvidia.com, pool: ", node, ", device: ", device,
                ", shareID: share-", name, ", consumedCapacity: {memory: ", memory,
                "}}]}, nodeSelector: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [", node,
                "]}]}]}}}\n---\nkind: Pod\nmetadata: {name: ", name, ", namespace: lab, uid: pod-", name, "}\nspec: {nodeName: ", node,
                ", containers: [{name: c}], resourceClaims: [{name: gpu, resourceClaimName: ", name, "-gpu}]", spec,
                "}\nstatus: {phase: Running}\n---\n");
}

// Pod p with claim c, which has these requests.
inline std::string WithClaim(std::string_view requests, std::string_view more = "") {
  return StrCat("kind: ResourceClaim\nmetadata: {name: c, namespace: lab, uid: u}\nspec: {devices: {requests: [", requests, "]", more,
                "}}\n---\n", sched::PlainPod("p", ", resourceClaims: [{name: gpu, resourceClaimName: c}]"));
}

inline std::string OneDevice(std::string_view more, std::string_view device_class = "gpu", int count = 1) {
  return StrCat("{name: gpu, exactly: {deviceClassName: ", device_class, ", allocationMode: ExactCount, count: ", count, more, "}}");
}

inline std::string TextOf(view::World& world, std::string_view pod, const Screen& screen = {}) {
  const sched::Cluster cluster = view::ClusterOf(world);
  return ExplainText(view::Explain(world, cluster, StrCat("lab/", pod)), screen, WallTime());
}

inline std::string ExplainIn(std::string_view yaml, std::string_view pod, bool own_api = true, const Screen& screen = {}) {
  view::World world = WorldOf(yaml, own_api);
  return TextOf(world, pod, screen);
}

}  // namespace allot::cli

#pragma once
// A small cluster in YAML, for tests of this area and of those that use it.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "json/yaml.h"
#include "sched/cluster.h"
#include "sched/queue.h"
#include "sched/words.h"

namespace allot::sched {

// The objects of a stream of YAML documents: Node, Pod, ResourceClaim, ResourceSlice, DeviceClass, Namespace.
inline void PutYaml(Cluster& cluster, std::string_view yaml) {
  Result<std::vector<json::Document>> documents = json::ParseYaml(yaml);
  ASSERT_TRUE(documents.ok()) << documents.status().message();
  for (json::Document& document : *documents) {
    const auto kept = std::make_shared<const json::Document>(std::move(document));
    const json::Value& object = kept->root();
    if (object.IsNull()) continue;
    const std::string_view kind = object["kind"].AsString();
    const Status put = kind == "Node"            ? cluster.PutNode(kept)
                       : kind == "Pod"           ? cluster.PutPod(kept)
                       : kind == "ResourceClaim" ? cluster.PutClaim(kept)
                       : kind == "ResourceSlice" ? cluster.PutSlice(kept)
                       : kind == "DeviceClass"   ? cluster.PutClass(kept)
                       : kind == "Namespace"     ? cluster.PutNamespace(kept)
                                                 : Invalid("kind ", kind);
    ASSERT_TRUE(put.ok()) << put.message();
  }
}

// A node with GPUs of so many GiB, each shareable by memory.
inline std::string GpuNode(std::string_view name, std::initializer_list<int> gpus, std::string_view more = "") {
  std::string yaml =
      StrCat("kind: Node\nmetadata: {name: ", name, ", labels: {kubernetes.io/hostname: ", name,
             "}}\nstatus: {allocatable: {cpu: '8', memory: 64Gi, pods: '110'}}\n", more,
             "---\nkind: ResourceSlice\nmetadata: {name: ", name, "-gpus}\nspec:\n  driver: gpu.nvidia.com\n  nodeName: ", name,
             "\n  pool: {name: ", name, ", generation: 1, resourceSliceCount: 1}\n  devices:\n");
  int index = 0;
  for (const int gib : gpus) {
    yaml +=
        StrCat("  - {name: gpu-", index++, ", allowMultipleAllocations: true, attributes: {productName: {string: GPU-", gib,
               "}}, capacity: {memory: {value: ", gib, "Gi, requestPolicy: {default: ", gib, "Gi, validRange: {min: 1Mi, step: 1Mi}}}}}\n");
  }
  return yaml + "---\n";
}

inline constexpr std::string_view kGpuClass = "kind: DeviceClass\nmetadata: {name: gpu}\nspec: {}\n---\n";

// A Pod with a claim of its own for so much memory of one GPU; `spec`: more of the Pod's spec, in flow style, ", " in front. `again`: what
// tells its uids from those of another Pod of the name.
inline std::string GpuPod(std::string_view name, std::string_view memory, std::string_view spec = "", std::string_view again = "") {
  return StrCat(
      "kind: ResourceClaim\nmetadata: {name: ", name, "-gpu, namespace: lab, uid: claim-", name, again,
      "}\nspec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu, allocationMode: ExactCount, count: 1, capacity: ",
      "{requests: {memory: ", memory, "}}}}]}}\n---\nkind: Pod\nmetadata: {name: ", name, ", namespace: lab, uid: pod-", name, again,
      "}\nspec: {containers: [{name: c}], resourceClaims: [{name: gpu, resourceClaimName: ", name, "-gpu}]", spec, "}\n---\n");
}

// A Pod that asks for no device.
inline std::string PlainPod(std::string_view name, std::string_view spec = "", std::string_view metadata = "") {
  return StrCat("kind: Pod\nmetadata: {name: ", name, ", namespace: lab, uid: pod-", name, metadata, "}\nspec: {containers: [{name: c}]",
                spec, "}\n---\n");
}

class World {
 public:
  explicit World(std::string_view yaml) : random_(1), decider_(selectors_, random_), queue_(decider_, {}) {
    PutYaml(cluster_, kGpuClass);
    PutYaml(cluster_, yaml);
  }

  void Add(std::string_view yaml) { PutYaml(cluster_, yaml); }
  // The Pod and its claim are gone.
  void End(std::string_view pod) {
    cluster_.RemovePod("lab", pod);
    cluster_.RemoveClaim("lab", StrCat(pod, "-gpu"));
  }

  // "a>n1/gpu-0 b>n1": the Pods that start, in order, and where.
  std::string Run() {
    std::string text;
    queue_.Run(cluster_, [&](const Placed& placed) {
      text += StrCat(text.empty() ? "" : " ", placed.asking.pod->pod.name, ">", placed.node);
      for (const model::Allocation& allocation : placed.allocations) {
        for (const model::DeviceResult& result : allocation.results) text += StrCat("/", result.device);
      }
    });
    return text;
  }

  std::string WhyWaits(std::string_view pod) {
    const Waiting* one = queue_.Find(StrCat("lab/", pod));
    if (one == nullptr) return "does not wait";
    return one->error.empty() ? Summary(one->decision) : StrCat("error: ", one->error);
  }

  Cluster& cluster() { return cluster_; }
  Queue& queue() { return queue_; }
  Decider& decider() { return decider_; }

 private:
  cel::Cache selectors_;
  SeededRandom random_;
  Cluster cluster_;
  Decider decider_;
  Queue queue_;
};

}  // namespace allot::sched

#pragma once
// For tests: a cluster with all objects that status and doctor read. Each test changes the part that it is about.
//
//   FakeCluster cluster = HealthyCluster();
//   cluster.forbidden = "/resourceclaims";
//   const FakeApi::Outcome outcome = cluster.Run({"status"});

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/fake_api.h"

namespace allot::cli {

struct FakeCluster {
  // Items of lists, separated by commas.
  std::string nodes, slices, claims, classes, daemon_sets, agents, pending, events;
  std::string nvidias_sets;  // DaemonSets of NVIDIA's own chart
  std::string minor = "36", emulates = "";
  std::string log;                                                               // of every Pod
  std::string class_kept = R"("extendedResourceName":"doctor.allot/question")";  // of a dry run
  std::string device_kept =
      R"("allowMultipleAllocations":true,"capacity":{"memory":{"value":"2Mi","requestPolicy":{}}},"taints":[{"key":"k"}])";
  std::string lacks;      // a verb that the agents may not use
  std::string forbidden;  // part of the targets that are refused
  bool has_resource_api = true;

  FakeApi::Outcome Run(std::vector<std::string> words) {
    FakeApi api([this](const http::Request& request) { return Answer(request); });
    FakeApi::Outcome outcome = api.Run(std::move(words));
    requests = api.requests();
    return outcome;
  }
  std::vector<std::string> requests{};  // of the last run

  http::Response Answer(const http::Request& request) const {
    const std::string& target = request.target;
    const auto has = [&](std::string_view part) { return target.find(part) != std::string::npos; };
    const auto list = [](const std::string& items) {
      return FakeApi::Json(200, StrCat(R"({"metadata":{"resourceVersion":"1"},"items":[)", items, "]}"));
    };
    if (!forbidden.empty() && has(forbidden)) return FakeApi::Refused(403, "Forbidden", StrCat("you may not see ", forbidden));
    if (target == "/version") {
      return FakeApi::Json(200,
                           StrCat(R"({"minor":")", minor, R"(","gitVersion":"v1.)", minor, R"(.0","emulationMinor":")", emulates, R"("})"));
    }
    if (has("resource.k8s.io") && !has_resource_api) return {404, {{"Content-Type", "text/plain"}}, "404 page not found\n"};
    if (target == "/apis/resource.k8s.io") return FakeApi::Json(200, R"({"versions":[{"version":"v1"}]})");
    if (request.method == "POST") return Reviewed(request);
    if (has("/log?")) return {200, {{"Content-Type", "text/plain"}}, log};
    if (has("/resourceclaimtemplates/")) return FakeApi::Refused(404, "NotFound", "no such template");
    if (has("/nodes")) return list(nodes);
    if (has("/resourceslices")) return list(slices);
    if (has("/resourceclaims")) return list(claims);
    if (has("/deviceclasses")) return list(classes);
    if (has("/daemonsets")) return list(has("part-of%3Dallot") ? daemon_sets : has("dra-driver-nvidia-gpu") ? nvidias_sets : "");
    if (has("/events")) return list(events);
    if (has("/pods")) return list(has("Pending") ? pending : has("part-of%3Dallot") ? agents : "");
    return FakeApi::Refused(404, "NotFound", "not in this cluster");
  }

 private:
  http::Response Reviewed(const http::Request& request) const {
    const auto has = [&](std::string_view part) { return request.target.find(part) != std::string::npos; };
    if (has("/subjectaccessreviews")) {
      const bool refused = !lacks.empty() && request.body.find(StrCat("\"", lacks, "\"")) != std::string::npos;
      return FakeApi::Json(201, StrCat(R"({"status":{"allowed":)", !refused, "}}"));
    }
    if (!has("dryRun=All")) return FakeApi::Refused(500, "InternalError", "the doctor must not change anything");
    if (has("/deviceclasses")) return FakeApi::Json(201, StrCat(R"({"spec":{)", class_kept, "}}"));
    return FakeApi::Json(201, StrCat(R"({"spec":{"devices":[{"name":"question",)", device_kept, "}]}}"));
  }
};

// A shareable device of 24576 MiB.
inline std::string FakeGpu(std::string_view name, std::string_view more = R"("allowMultipleAllocations":true)") {
  return StrCat(R"({"name":")", name, R"(","attributes":{"productName":{"string":"RTX 3090"},"uuid":{"string":"GPU-1"}},)",
                R"("capacity":{"memory":{"value":"24Gi"}})", more.empty() ? "" : ",", more, "}");
}

inline std::string FakeSlice(std::string_view node, std::string_view devices, int slices = 1) {
  return StrCat(R"({"metadata":{"name":")", node, R"(-s"},"spec":{"driver":"gpu.nvidia.com","nodeName":")", node, R"(","pool":{"name":")",
                node, R"(","generation":1,"resourceSliceCount":)", slices, R"(},"devices":[)", devices, "]}}");
}

// A claim of the namespace lab, allocated on the node n1. Takes one share of a device with `shares`. `pods` are names, separated by commas;
// `more` are fields of the result.
inline std::string FakeClaim(std::string_view name, std::string_view device, std::string_view memory, std::string_view pods,
                             std::string_view more = R"(,"shareID":"s")") {
  std::string reserved;
  for (const std::string_view pod : Split(pods, ',')) {
    if (!pod.empty()) reserved += StrCat(reserved.empty() ? "" : ",", R"({"resource":"pods","name":")", pod, R"("})");
  }
  return StrCat(R"({"metadata":{"name":")", name, R"(","namespace":"lab","uid":"uid-)", name,
                R"(","creationTimestamp":"2020-01-01T00:00:00Z"},"spec":{"devices":{
    "requests":[{"name":"gpu","exactly":{"deviceClassName":"gpu.nvidia.com","capacity":{"requests":{"memory":")",
                memory, R"("}}}}]}},"status":{"reservedFor":[)", reserved, R"(],"allocation":{"devices":{"results":[{"request":"gpu",
    "driver":"gpu.nvidia.com","pool":"n1","device":")",
                device, R"(","consumedCapacity":{"memory":")", memory, R"(","shares":"1"})", more,
                R"(}]},"nodeSelector":{"nodeSelectorTerms":[{"matchFields":[{
    "key":"metadata.name","operator":"In","values":["n1"]}]}]}}}})");
}

// `ready` is "True", "False" or "Unknown".
inline std::string FakeNode(std::string_view name, std::string_view runtime = "containerd://2.1.4", std::string_view capacity = "{}",
                            std::string_view ready = "True", bool cordoned = false) {
  return StrCat(R"({"metadata":{"name":")", name, R"("},"spec":{"unschedulable":)", cordoned, R"(},"status":{"capacity":)", capacity,
                R"(,"nodeInfo":{"containerRuntimeVersion":")", runtime, R"("},"conditions":[{"type":"Ready","status":")", ready,
                R"(","message":"kubelet says so"}]}})");
}

// The agent's Pod on a node. `ready` is "True" or "False"; `container` is the rest of its container's status.
inline std::string FakeAgent(std::string_view node, std::string_view ready, std::string_view container) {
  return StrCat(R"({"metadata":{"name":"agent-)", node, R"(","namespace":"gpus","ownerReferences":[{"kind":"DaemonSet","name":"agents"}]},
    "spec":{"nodeName":")",
                node, R"("},"status":{"conditions":[{"type":"Ready","status":")", ready, R"("}],"containerStatuses":[{"name":"gpus",
    "image":"reg/allot:v1","ready":false,)",
                container, "}]}}");
}

// A DaemonSet with these numbers of desired, created and ready Pods.
inline std::string FakeDaemonSet(int wanted, int made, int ready, std::string_view name = "agents") {
  return StrCat(R"({"metadata":{"name":")", name, R"(","namespace":"gpus","labels":{"app.kubernetes.io/instance":"sharing"}},"spec":{
    "template":{"spec":{"serviceAccountName":"sa"}}},"status":{"desiredNumberScheduled":)",
                wanted, R"(,"currentNumberScheduled":)", made, R"(,"numberReady":)", ready, "}}");
}

// Two nodes with an agent. n1 has a GPU of which two Pods hold 18 GiB.
inline FakeCluster HealthyCluster() {
  FakeCluster cluster;
  cluster.nodes = StrCat(FakeNode("n1"), ",", FakeNode("n2"));
  cluster.slices = StrCat(FakeSlice("n1", FakeGpu("gpu-0")), ",", FakeSlice("n2", FakeGpu("gpu-0")));
  cluster.claims = StrCat(FakeClaim("c1", "gpu-0", "12Gi", "train"), ",", FakeClaim("c2", "gpu-0", "6Gi", "eval"));
  cluster.classes = R"({"metadata":{"name":"gpu.nvidia.com"},"spec":{"extendedResourceName":"nvidia.com/gpu",
    "selectors":[{"cel":{"expression":"device.driver == 'gpu.nvidia.com'"}}]}})";
  cluster.daemon_sets = FakeDaemonSet(2, 2, 2);
  cluster.agents = StrCat(FakeAgent("n1", "True", R"("state":{"running":{}})"), ",", FakeAgent("n2", "True", R"("state":{"running":{}})"));
  return cluster;
}

// The output of doctor, with wrapped lines joined. Expects the exit code `code`.
inline std::string Diagnosis(FakeCluster& cluster, int code, std::vector<std::string> words = {"doctor"}) {
  const FakeApi::Outcome outcome = cluster.Run(std::move(words));
  EXPECT_EQ(outcome.code, code) << outcome.out << outcome.err;
  std::string joined;
  bool space = false;
  for (const char c : outcome.out) {
    const bool is_space = c == ' ' || c == '\n';
    if (is_space && space) continue;
    joined += is_space ? ' ' : c;
    space = is_space;
  }
  return joined;
}

}  // namespace allot::cli

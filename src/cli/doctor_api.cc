// Checks of the API server: its version, what it serves, which fields it keeps, and the class of our devices.

#include <charconv>

#include "base/strings.h"
#include "cli/description.h"
#include "cli/doctor_checks.h"
#include "json/json.h"

namespace allot::cli {
namespace {

constexpr int kOldest = 34;          // the first with resource.k8s.io/v1
constexpr int kSharesByItself = 36;  // the first with the gates on

// What the API server makes of a shared device. Nothing is kept: it is a dry run.
std::string QuestionSlice(std::string_view node) {
  return StrCat(R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":{"name":"allot-doctor"},"spec":{
    "driver":"doctor.allot","nodeName":)",
                Quoted(node, node.size() + 1), R"(,"pool":{"name":"doctor","generation":1,"resourceSliceCount":1},"devices":[{
    "name":"question","allowMultipleAllocations":true,"taints":[{"key":"doctor.allot/question","effect":"NoSchedule"}],
    "capacity":{"memory":{"value":"2Mi","requestPolicy":{"default":"2Mi","validRange":{"min":"1Mi","max":"2Mi","step":"1Mi"}}}}}]}})");
}
constexpr std::string_view kQuestionClass =
    R"({"apiVersion":"resource.k8s.io/v1","kind":"DeviceClass","metadata":{"name":"allot-doctor"},
    "spec":{"extendedResourceName":"doctor.allot/question"}})";

Result<kube::ObjectPtr> DryRun(Session& session, const kube::ResourceType& type, std::string_view object) {
  kube::WriteOptions options;
  options.dry_run = true;
  options.field_validation = "Ignore";  // fields that it does not know are an answer, too
  return session.client().Create(type, "", object, options);
}

struct ServerVersion {
  std::string text;  // "v1.36.4"
  int minor = 0;     // 0: not known
};

ServerVersion VersionOf(std::string_view body) {
  ServerVersion version;
  const Result<json::Document> parsed = json::Parse(body);
  if (!parsed.ok()) return version;
  const json::Value& root = parsed->root();
  // A server may behave as an older one (--emulated-version, Kubernetes 1.31).
  const std::string emulates(Text(root["emulationMinor"]));
  const std::string minor = emulates.empty() ? std::string(Text(root["minor"])) : emulates;
  std::from_chars(minor.data(), minor.data() + minor.size(), version.minor);
  version.text = Text(root["gitVersion"]);
  if (minor != Text(root["minor"])) version.text += StrCat(" that behaves as 1.", minor);
  return version;
}

std::string WhyNoDryRun(const Status& status, std::string_view kind) {
  if (IsForbidden(status)) return StrCat("not seen, as you may not create ", kind, ", not even in a dry run");
  return StrCat("not seen, the dry run was refused: ", Reason(status));
}

// A gate that the server has off. `minor`: of its version.
Finding GateOff(std::string_view gate, int minor, Verdict verdict, std::string_view means) {
  const std::string programs = "kube-apiserver, kube-scheduler, kube-controller-manager and kubelet";
  const std::string advice = minor >= kSharesByItself
                                 ? StrCat("somebody switched it off: take ", gate, "=false out of --feature-gates of ", programs)
                                 : StrCat("start ", programs, " with --feature-gates=", gate, "=true, or move to Kubernetes 1.36");
  return {"gates", verdict, StrCat("gate ", gate, " of the API server: off; ", means), advice};
}

Finding GateOn(std::string_view gate) { return {"gates", Verdict::kOk, StrCat("gate ", gate, " of the API server: on")}; }

void CheckSliceGates(const json::Value& device, int minor, Findings& findings) {
  const bool shared = device["allowMultipleAllocations"].IsBool() && device["capacity"]["memory"]["requestPolicy"].IsObject();
  findings.push_back(shared ? GateOn("DRAConsumableCapacity")
                            : GateOff("DRAConsumableCapacity", minor, Verdict::kFailed, "GPUs cannot be shared, only given as a whole"));
  findings.push_back(!ItemsOf(device["taints"]).empty() ? GateOn("DRADeviceTaints")
                                                        : GateOff("DRADeviceTaints", minor, Verdict::kWarning,
                                                                  "a GPU with a fault, or cordoned, is left out instead of tainted"));
}

// The newest claim on a shared device says what the scheduler does: with the gate on it gives everyone there a share ID, without it the
// whole device (Kubernetes 1.34). Older claims may be of a time before the gate, or before the device was shared. False: no sign of it.
bool CheckSchedulersGate(const ClusterFacts& facts, Findings& findings) {
  const DeviceStatus* device = nullptr;
  const Holder* newest = nullptr;
  for (const DeviceStatus& one : facts.devices) {
    if (!one.shared) continue;
    for (const Holder& holder : one.holders) {
      if (newest != nullptr && (holder.since < newest->since || (holder.since == newest->since && holder.has_share_id))) continue;
      device = &one;
      newest = &holder;
    }
  }
  if (newest == nullptr || newest->has_share_id) return false;
  const std::string_view advice =
      facts.minor >= kSharesByItself ? "somebody switched it off: take DRAConsumableCapacity=false out of --feature-gates of kube-scheduler"
                                     : "start kube-scheduler with --feature-gates=DRAConsumableCapacity=true, or move to Kubernetes 1.36";
  findings.push_back({"gates", Verdict::kFailed,
                      StrCat("gate DRAConsumableCapacity of kube-scheduler: off; claim ", newest->namespace_name, "/", newest->claim,
                             " got ", device->Name(), " as a whole, although it is shared"),
                      StrCat(advice, "; then end the Pods of such claims and start them anew. Its flags:"),
                      "kubectl get pods -n kube-system -l component=kube-scheduler -o yaml | grep feature-gates"});
  return true;
}

bool SelectsOurs(const json::Value& spec) {
  for (const json::Value& selector : ItemsOf(spec["selectors"])) {
    const std::string_view expression = Text(selector["cel"]["expression"]);
    if (expression.find("device.driver") != expression.npos && expression.find(kGpuDriver) != expression.npos) return true;
  }
  return false;
}

}  // namespace

Finding CannotSee(std::string_view check, std::string_view verb, std::string_view resource, const Status& status) {
  Finding finding{std::string(check), Verdict::kUnknown, ""};
  if (IsForbidden(status)) {
    finding.text = StrCat(resource, ": not seen, as you may not ", verb, " them");
    finding.advice = "run this as an admin, or ask for the right; whether you have it:";
    finding.command = StrCat("kubectl auth can-i ", verb, " ", resource, " -A");
  } else {
    finding.text = StrCat(resource, ": not seen: ", Reason(status));
    finding.advice = "try again; with -v every request is shown";
  }
  return finding;
}

bool CheckServer(Session& session, ClusterFacts& facts, Findings& findings) {
  const std::string server = session.client().config().server;
  const Result<http::Response> answer = session.client().Raw({"GET", "/version", {}, ""}, "get the version");
  if (!answer.ok()) {
    if (IsForbidden(answer.status())) {
      findings.push_back({"server", Verdict::kUnknown,
                          StrCat("API server: ", server, " does not tell its version: ", Reason(answer.status())),
                          "allot needs Kubernetes 1.34 or later; its admin knows"});
      return true;
    }
    findings.push_back({"server", Verdict::kFailed, StrCat("API server: ", Reason(answer.status())),
                        "is this the right cluster, and does it run? Which one is used:", "kubectl config view --minify"});
    return false;
  }
  const ServerVersion version = VersionOf(answer->body);
  facts.minor = version.minor;
  const std::string text = StrCat("API server: Kubernetes ", version.text, " at ", server);
  if (facts.minor == 0) {
    findings.push_back({"server", Verdict::kUnknown, StrCat("API server: ", server, " answers, but tells no version"),
                        "is it Kubernetes? allot needs 1.34 or later"});
  } else if (facts.minor < kOldest) {
    findings.push_back({"server", Verdict::kFailed, StrCat(text, ", which is too old"),
                        "allot needs Kubernetes 1.36, or 1.34 with the gate DRAConsumableCapacity; update the cluster"});
  } else {
    findings.push_back({"server", Verdict::kOk, text});
  }
  return true;
}

bool CheckResourceApi(Session& session, Findings& findings) {
  const Result<http::Response> answer = session.client().Raw({"GET", "/apis/resource.k8s.io", {}, ""}, "get resource.k8s.io");
  if (!answer.ok() && !IsMissing(answer.status())) {
    findings.push_back(CannotSee("resource-api", "get", "resource.k8s.io", answer.status()));
    return true;
  }
  const Result<json::Document> parsed = answer.ok() ? json::Parse(answer->body) : Result<json::Document>(answer.status());
  if (parsed.ok()) {
    for (const json::Value& version : ItemsOf(parsed->root()["versions"])) {
      if (Text(version["version"]) != "v1") continue;
      findings.push_back({"resource-api", Verdict::kOk, "resource.k8s.io/v1: served"});
      return true;
    }
  }
  findings.push_back(
      {"resource-api", Verdict::kFailed, "resource.k8s.io/v1: not served, so there are no claims and no slices",
       "update to Kubernetes 1.34 or later, and do not switch it off: no resource.k8s.io/v1=false in --runtime-config and no "
       "DynamicResourceAllocation=false in --feature-gates of kube-apiserver"});
  return false;
}

void CheckGates(Session& session, const ClusterFacts& facts, Findings& findings) {
  const std::string node(facts.nodes.objects.empty() ? "doctor" : facts.nodes.objects[0]->name());
  const Result<kube::ObjectPtr> slice = DryRun(session, kube::types::kResourceSlices, QuestionSlice(node));
  if (slice.ok() && !ItemsOf((*slice)->json()["spec"]["devices"]).empty()) {
    CheckSliceGates((*slice)->json()["spec"]["devices"].Items()[0], facts.minor, findings);
  } else if (!slice.ok()) {
    findings.push_back(CannotSee("gates", "create", "resourceslices.resource.k8s.io", slice.status()));
    findings.back().text = StrCat("gates DRAConsumableCapacity and DRADeviceTaints: ", WhyNoDryRun(slice.status(), "slices"));
  }
  const Result<kube::ObjectPtr> device_class = DryRun(session, kube::types::kDeviceClasses, kQuestionClass);
  if (device_class.ok()) {
    const bool is_on = (*device_class)->json()["spec"]["extendedResourceName"].IsString();
    findings.push_back(
        is_on ? GateOn("DRAExtendedResource")
              : GateOff("DRAExtendedResource", facts.minor, Verdict::kWarning, "Pods can ask by claims only, not by nvidia.com/gpu: 1"));
  } else {
    findings.push_back(CannotSee("gates", "create", "deviceclasses.resource.k8s.io", device_class.status()));
    findings.back().text = StrCat("gate DRAExtendedResource: ", WhyNoDryRun(device_class.status(), "classes"));
  }
  if (CheckSchedulersGate(facts, findings) || facts.minor == 0 || facts.minor >= kSharesByItself) return;
  findings.push_back({"gates", Verdict::kUnknown, "gates of kube-scheduler: the API does not tell; before 1.36 they are off unless set",
                      "look whether DRAConsumableCapacity=true is there:",
                      "kubectl get pods -n kube-system -l component=kube-scheduler -o yaml | grep feature-gates"});
}

void CheckClass(const ClusterFacts& facts, Findings& findings) {
  if (!facts.classes.ok()) {
    return findings.push_back(CannotSee("class", "list", "deviceclasses.resource.k8s.io", facts.classes.status));
  }
  for (const kube::ObjectPtr& device_class : facts.classes.objects) {
    if (device_class->name() != kGpuDriver) continue;
    const json::Value& spec = device_class->json()["spec"];
    const std::string_view resource = Text(spec["extendedResourceName"]);
    if (SelectsOurs(spec)) {
      const std::string also = resource.empty() ? "" : StrCat(", and stands for ", resource);
      return findings.push_back({"class", Verdict::kOk, StrCat("class ", kGpuDriver, ": selects the devices of ", kGpuDriver, also)});
    }
    return findings.push_back({"class", Verdict::kWarning, StrCat("class ", kGpuDriver, ": does not select the driver ", kGpuDriver),
                               "claims of this class may get other devices, or none; its selector should have device.driver == "
                               "'gpu.nvidia.com':",
                               "kubectl edit deviceclass gpu.nvidia.com"});
  }
  findings.push_back({"class", Verdict::kFailed, StrCat("class ", kGpuDriver, ": does not exist, so claims cannot ask for GPUs"),
                      "the chart makes it (deviceClasses.create); by hand:",
                      "kubectl create -f - <<< \"{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu.nvidia.com}, "
                      "spec: {selectors: [{cel: {expression: device.driver == 'gpu.nvidia.com'}}]}}\""});
}

}  // namespace allot::cli

// Checks of the API server: its version, what it serves, which fields it keeps, and the class of our devices.

#include <charconv>

#include "base/strings.h"
#include "json/editor.h"
#include "json/json.h"
#include "view/doctor/checks.h"

namespace allot::view {
namespace {

using json::ItemsOf;
using json::TextOf;
using Check = Finding::Check;
using Kind = Finding::Kind;
using Verdict = Finding::Verdict;

constexpr int kOldest = 34;  // the first with resource.k8s.io/v1

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

Result<kube::ObjectPtr> DryRun(kube::Client& client, const kube::ResourceType& type, std::string_view object) {
  kube::WriteOptions options;
  options.dry_run = true;
  options.field_validation = "Ignore";  // fields that it does not know are an answer, too
  return client.Create(type, "", object, options);
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
  const std::string emulates(TextOf(root["emulationMinor"]));
  const std::string minor = emulates.empty() ? std::string(TextOf(root["minor"])) : emulates;
  std::from_chars(minor.data(), minor.data() + minor.size(), version.minor);
  version.text = TextOf(root["gitVersion"]);
  if (minor != TextOf(root["minor"])) version.text += StrCat(" that behaves as 1.", minor);
  return version;
}

Finding Gate(std::string_view gate, bool is_on, Verdict if_off, int minor) {
  return {.check = Check::kGates,
          .verdict = is_on ? Verdict::kOk : if_off,
          .kind = is_on ? Kind::kGateOn : Kind::kGateOff,
          .name = std::string(gate),
          .minor = minor};
}

Finding GatesNotSeen(std::vector<std::string> gates, std::string_view resource, const Status& status) {
  Finding finding = NotSeen(Check::kGates, "create", resource, status);
  finding.kind = Kind::kGatesNotSeen;
  finding.names = std::move(gates);
  return finding;
}

void CheckSliceGates(const json::Value& device, int minor, Findings& findings) {
  const bool shared = device["allowMultipleAllocations"].IsBool() && device["capacity"]["memory"]["requestPolicy"].IsObject();
  findings.push_back(Gate("DRAConsumableCapacity", shared, Verdict::kFailed, minor));
  findings.push_back(Gate("DRADeviceTaints", !ItemsOf(device["taints"]).empty(), Verdict::kWarning, minor));
}

// The newest claim on a shared device says what the scheduler does: with the gate on it gives everyone there a share ID, without it the
// whole device (Kubernetes 1.34). Older claims may be of a time before the gate, or before the device was shared. False: no sign of it.
bool CheckSchedulersGate(const ClusterFacts& facts, Findings& findings) {
  const Device* device = nullptr;
  const Holder* newest = nullptr;
  for (const Device& one : facts.devices) {
    if (!one.shared) continue;
    for (const Holder& holder : one.holders) {
      if (newest != nullptr && (holder.since < newest->since || (holder.since == newest->since && holder.is_share))) continue;
      device = &one;
      newest = &holder;
    }
  }
  if (newest == nullptr || newest->is_share) return false;
  findings.push_back({.check = Check::kGates,
                      .verdict = Verdict::kFailed,
                      .kind = Kind::kSchedulerGateOff,
                      .claim = StrCat(newest->namespace_name, "/", newest->claim),
                      .minor = facts.minor,
                      .device = device->Name()});
  return true;
}

bool SelectsOurs(const json::Value& spec) {
  for (const json::Value& selector : ItemsOf(spec["selectors"])) {
    const std::string_view expression = TextOf(selector["cel"]["expression"]);
    if (expression.find("device.driver") != expression.npos && expression.find(kGpuDriver) != expression.npos) return true;
  }
  return false;
}

}  // namespace

bool CheckServer(kube::Client& client, ClusterFacts& facts, Findings& findings) {
  const std::string server = client.config().server;
  const Result<http::Response> answer = client.Raw({"GET", "/version", {}, ""}, "get the version");
  const auto add = [&](Verdict verdict, Kind kind) -> Finding& {
    findings.push_back({.check = Check::kServer, .verdict = verdict, .kind = kind, .name = server});
    return findings.back();
  };
  if (!answer.ok()) {
    const bool hidden = IsForbidden(answer.status());
    add(hidden ? Verdict::kUnknown : Verdict::kFailed, hidden ? Kind::kVersionHidden : Kind::kServerFailed).message =
        ServerMessage(answer.status());
    return hidden;
  }
  const ServerVersion version = VersionOf(answer->body);
  facts.minor = version.minor;
  if (facts.minor == 0) {
    add(Verdict::kUnknown, Kind::kNoVersion);
  } else if (facts.minor < kOldest) {
    add(Verdict::kFailed, Kind::kTooOld).version = version.text;
  } else {
    add(Verdict::kOk, Kind::kServerOk).version = version.text;
  }
  return true;
}

bool CheckResourceApi(kube::Client& client, Findings& findings) {
  const Result<http::Response> answer = client.Raw({"GET", "/apis/resource.k8s.io", {}, ""}, "get resource.k8s.io");
  if (!answer.ok() && !IsMissing(answer.status())) {
    findings.push_back(NotSeen(Check::kResourceApi, "get", "resource.k8s.io", answer.status()));
    return true;
  }
  const Result<json::Document> parsed = answer.ok() ? json::Parse(answer->body) : Result<json::Document>(answer.status());
  if (parsed.ok()) {
    for (const json::Value& version : ItemsOf(parsed->root()["versions"])) {
      if (TextOf(version["version"]) != "v1") continue;
      findings.push_back({.check = Check::kResourceApi, .kind = Kind::kResourceApiOk});
      return true;
    }
  }
  findings.push_back({.check = Check::kResourceApi, .verdict = Verdict::kFailed, .kind = Kind::kNoResourceApi});
  return false;
}

void CheckGates(kube::Client& client, const ClusterFacts& facts, Findings& findings) {
  const std::string node(facts.nodes.objects.empty() ? "doctor" : facts.nodes.objects[0]->name());
  const Result<kube::ObjectPtr> slice = DryRun(client, kube::types::kResourceSlices, QuestionSlice(node));
  if (slice.ok() && !ItemsOf((*slice)->json()["spec"]["devices"]).empty()) {
    CheckSliceGates((*slice)->json()["spec"]["devices"].Items()[0], facts.minor, findings);
  } else if (!slice.ok()) {
    findings.push_back(GatesNotSeen({"DRAConsumableCapacity", "DRADeviceTaints"}, "resourceslices.resource.k8s.io", slice.status()));
  }
  const Result<kube::ObjectPtr> device_class = DryRun(client, kube::types::kDeviceClasses, kQuestionClass);
  if (device_class.ok()) {
    const bool is_on = (*device_class)->json()["spec"]["extendedResourceName"].IsString();
    findings.push_back(Gate("DRAExtendedResource", is_on, Verdict::kWarning, facts.minor));
  } else {
    findings.push_back(GatesNotSeen({"DRAExtendedResource"}, "deviceclasses.resource.k8s.io", device_class.status()));
  }
  if (CheckSchedulersGate(facts, findings) || facts.minor == 0 || facts.minor >= kSharesByDefault) return;
  findings.push_back({.check = Check::kGates, .verdict = Verdict::kUnknown, .kind = Kind::kSchedulerNotKnown});
}

void CheckClass(const ClusterFacts& facts, Findings& findings) {
  if (!facts.classes.ok()) {
    return findings.push_back(NotSeen(Check::kClass, "list", "deviceclasses.resource.k8s.io", facts.classes.status));
  }
  for (const kube::ObjectPtr& device_class : facts.classes.objects) {
    if (device_class->name() != kGpuDriver) continue;
    const json::Value& spec = device_class->json()["spec"];
    const bool ours = SelectsOurs(spec);
    return findings.push_back({.check = Check::kClass,
                               .verdict = ours ? Verdict::kOk : Verdict::kWarning,
                               .kind = ours ? Kind::kClassOk : Kind::kClassSelectsOthers,
                               .resource = std::string(TextOf(spec["extendedResourceName"]))});
  }
  findings.push_back({.check = Check::kClass, .verdict = Verdict::kFailed, .kind = Kind::kClassMissing});
}

}  // namespace allot::view

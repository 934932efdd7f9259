#include "local/node_object.h"

#include "apiserver/rest/discovery.h"
#include "json/editor.h"
#include "kube/timestamp.h"

namespace allot::local {
namespace {

using kube::types::kLeases;
using kube::types::kNodes;

constexpr std::chrono::seconds kConditionsEvery{60};
constexpr int kLeaseSeconds = 40;
constexpr char kLeaseSpace[] = "kube-node-lease";
constexpr kube::PatchType kStrategic = kube::PatchType::kStrategic;

std::string Text(std::string_view text) { return Quoted(text, 4096); }

std::string Condition(std::string_view type, std::string_view status, std::string_view reason, std::string_view message,
                      const std::string& now, bool changed) {
  return StrCat("{\"type\":", Text(type), ",\"status\":", Text(status), ",\"reason\":", Text(reason), ",\"message\":", Text(message),
                ",\"lastHeartbeatTime\":", Text(now), changed ? StrCat(",\"lastTransitionTime\":", Text(now)) : "", "}");
}

// The API merges conditions by type. A condition whose status does not change keeps its lastTransitionTime.
std::string Conditions(const json::Value& node, const std::string& now) {
  struct Wanted {
    std::string_view type, status, reason, message;
  };
  constexpr Wanted kWanted[] = {{"Ready", "True", "AllotUp", "allot up runs this node"},
                                {"MemoryPressure", "False", "AllotUp", "not watched"},
                                {"DiskPressure", "False", "AllotUp", "not watched"},
                                {"PIDPressure", "False", "AllotUp", "not watched"}};
  std::string text;
  for (const Wanted& wanted : kWanted) {
    bool same = false;
    for (const json::Value& condition : json::ItemsOf(node["status"]["conditions"])) {
      same = same || (json::TextOf(condition["type"]) == wanted.type && json::TextOf(condition["status"]) == wanted.status);
    }
    text += StrCat(text.empty() ? "" : ",", Condition(wanted.type, wanted.status, wanted.reason, wanted.message, now, !same));
  }
  return StrCat("[", text, "]");
}

std::string Labels(const NodeObject::Facts& facts) {
  const Machine& machine = facts.machine;
  std::string text = StrCat("{\"kubernetes.io/hostname\":", Text(facts.name), ",\"kubernetes.io/os\":\"linux\"");
  text += StrCat(",\"kubernetes.io/arch\":", Text(machine.architecture), ",\"", kLocalLabel, "\":\"true\"");
  return StrCat(text, ",\"", kSimulatedLabel, "\":", facts.simulated ? "\"true\"" : "null", "}");
}

std::string StatusPatch(const NodeObject::Facts& facts, const std::string& conditions) {
  const Machine& machine = facts.machine;
  const std::string amounts = StrCat("{\"cpu\":\"", machine.cpus, "\",\"memory\":\"", machine.memory_kib, "Ki\",\"ephemeral-storage\":\"",
                                     machine.disk_kib, "Ki\",\"pods\":\"110\"}");
  const std::string info = StrCat("{\"architecture\":", Text(machine.architecture), ",\"bootID\":", Text(machine.boot_id),
                                  ",\"machineID\":", Text(machine.machine_id), ",\"kernelVersion\":", Text(machine.kernel),
                                  ",\"osImage\":", Text(machine.os_image), ",\"kubeletVersion\":", Text(apiserver::kKubernetesVersion),
                                  ",\"containerRuntimeVersion\":", Text(facts.runtime),
                                  ",\"operatingSystem\":\"linux\",\"systemUUID\":\"\",\"kubeProxyVersion\":\"\"}");
  const std::string addresses = StrCat("[{\"type\":\"InternalIP\",\"address\":", Text(machine.address),
                                       "},{\"type\":\"Hostname\",\"address\":", Text(facts.name), "}]");
  return StrCat("{\"status\":{\"capacity\":", amounts, ",\"allocatable\":", amounts, ",\"nodeInfo\":", info, ",\"addresses\":", addresses,
                ",\"conditions\":", conditions, "}}");
}

}  // namespace

Status NodeObject::Make(const Patience& patience) {
  const std::string node = StrCat("{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":", Text(facts_.name), "}}");
  return client_.Create(kNodes, "", node, {}, patience).status();
}

Status NodeObject::Write(const Patience& patience) {
  Result<kube::ObjectPtr> node = client_.Get(kNodes, "", facts_.name, patience);
  if (!node.ok() && node.status().code() == Code::kNotFound) {
    TRY(Make(patience));
    node = client_.Get(kNodes, "", facts_.name, patience);
  }
  if (!node.ok()) return node.status();
  const std::string labels = StrCat("{\"metadata\":{\"labels\":", Labels(facts_), "}}");
  TRY(client_.Patch(kNodes, "", facts_.name, kStrategic, labels, "", {}, patience).status());
  const std::string conditions = Conditions((*node)->json(), kube::WriteTime(clock_.Now()));
  TRY(client_.Patch(kNodes, "", facts_.name, kStrategic, StatusPatch(facts_, conditions), "status", {}, patience).status());
  written_ = clock_.MonotonicNow();
  return RenewLease(patience);
}

Status NodeObject::RenewLease(const Patience& patience) {
  const std::string spec = StrCat("\"spec\":{\"holderIdentity\":", Text(facts_.name), ",\"leaseDurationSeconds\":", kLeaseSeconds,
                                  ",\"renewTime\":", Text(kube::WriteMicroTime(clock_.Now())), "}");
  const Status renewed =
      client_.Patch(kLeases, kLeaseSpace, facts_.name, kube::PatchType::kMerge, StrCat("{", spec, "}"), "", {}, patience).status();
  if (renewed.ok() || renewed.code() != Code::kNotFound) return renewed;
  const std::string lease =
      StrCat("{\"apiVersion\":\"coordination.k8s.io/v1\",\"kind\":\"Lease\",\"metadata\":{\"name\":", Text(facts_.name), "},", spec, "}");
  return client_.Create(kLeases, kLeaseSpace, lease, {}, patience).status();
}

Status NodeObject::RenewHeartbeat(const Patience& patience) {
  TRY(RenewLease(patience));
  // Create a deleted Node again before the Pod garbage collector deletes its Pods.
  const Status there = client_.Get(kNodes, "", facts_.name, patience).status();
  const bool deleted = there.code() == Code::kNotFound;
  if (!there.ok() && !deleted) return there;
  return deleted || clock_.MonotonicNow() - written_ >= kConditionsEvery ? Write(patience) : Status();
}

Status MarkNotReady(kube::Client& client, const std::string& name, std::string_view why, WallTime now, const Patience& patience) {
  const std::string condition = Condition("Ready", "False", "NotStarted", why, kube::WriteTime(now), true);
  const std::string patch = StrCat("{\"status\":{\"conditions\":[", condition, "]}}");
  return client.Patch(kNodes, "", name, kStrategic, patch, "status", {}, patience).status();
}

}  // namespace allot::local

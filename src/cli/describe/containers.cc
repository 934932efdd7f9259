// The containers and volumes of a Pod, in kubectl's lines.

#include <algorithm>

#include "cli/age.h"
#include "cli/describe/description.h"

namespace allot::cli {
namespace {

void DescribePorts(const json::Value& ports, Description& description) {
  std::string container, host;
  for (const json::Value& port : ItemsOf(ports)) {
    const std::string_view protocol = Text(port["protocol"]).empty() ? "TCP" : Text(port["protocol"]);
    const std::string_view between = container.empty() ? "" : ", ";
    container += StrCat(between, OneLine(port["containerPort"]), "/", protocol);
    if (port["name"].IsString()) container += StrCat(" (", Text(port["name"]), ")");
    host += StrCat(between, port["hostPort"].IsNull() ? "0" : OneLine(port["hostPort"]), "/", protocol);
  }
  const bool several = ItemsOf(ports).size() > 1;
  description.Field(2, several ? "Ports" : "Port", container.empty() ? "<none>" : container);
  description.Field(2, several ? "Host Ports" : "Host Port", host.empty() ? "<none>" : host);
}

void DescribeWords(std::string_view label, const json::Value& words, Description& description) {
  if (ItemsOf(words).empty()) return;
  description.Line(2, label, ":");
  for (const json::Value& word : words.Items()) {
    const std::string text = OneLine(word);
    for (const std::string_view line : Split(text, '\n')) description.Line(3, line);
  }
}

void DescribeState(std::string_view label, const json::Value& state, Description& description) {
  if (state["running"].IsObject()) {
    description.Field(2, label, "Running");
    description.Field(3, "Started", LongTime(Text(state["running"]["startedAt"])));
  } else if (state["terminated"].IsObject()) {
    const json::Value& end = state["terminated"];
    description.Field(2, label, "Terminated");
    if (!Text(end["reason"]).empty()) description.Field(3, "Reason", Text(end["reason"]));
    if (!Text(end["message"]).empty()) description.Field(3, "Message", Text(end["message"]));
    description.Field(3, "Exit Code", OneLine(end["exitCode"]));
    if (end["signal"].IsNumber()) description.Field(3, "Signal", OneLine(end["signal"]));
    description.Field(3, "Started", LongTime(Text(end["startedAt"])));
    description.Field(3, "Finished", LongTime(Text(end["finishedAt"])));
  } else {
    description.Field(2, label, "Waiting");
    if (!Text(state["waiting"]["reason"]).empty()) description.Field(3, "Reason", Text(state["waiting"]["reason"]));
  }
}

void DescribeStatus(const json::Value& status, Description& description) {
  DescribeState("State", status["state"], description);
  if (!MembersOf(status["lastState"]).empty()) DescribeState("Last State", status["lastState"], description);
  const bool ready = json::IsTrue(status["ready"]);
  description.Field(2, "Ready", ready ? "True" : "False");
  description.Field(2, "Restart Count", OneLine(status["restartCount"]));
}

void DescribeAmounts(std::string_view label, const json::Value& amounts, Description& description) {
  if (MembersOf(amounts).empty()) return;
  description.Line(2, label, ":");
  std::vector<const json::Member*> sorted;
  for (const json::Member& member : amounts.Members()) sorted.push_back(&member);
  std::sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) { return a->key < b->key; });
  for (const json::Member* const member : sorted) description.Field(3, member->key, OneLine(member->value));
}

// "http-get http://:8080/healthz delay=3s timeout=1s period=10s #success=1 #failure=3"
std::string ProbeText(const json::Value& probe) {
  const auto number = [&](std::string_view name) { return probe[name].IsNull() ? std::string("0") : OneLine(probe[name]); };
  const std::string times =
      StrCat("delay=", number("initialDelaySeconds"), "s timeout=", number("timeoutSeconds"), "s period=", number("periodSeconds"),
             "s #success=", number("successThreshold"), " #failure=", number("failureThreshold"));
  if (probe["exec"].IsObject()) {
    std::string command;
    for (const json::Value& word : ItemsOf(probe["exec"]["command"])) command += StrCat(command.empty() ? "" : " ", OneLine(word));
    return StrCat("exec [", command, "] ", times);
  }
  if (const json::Value& get = probe["httpGet"]; get.IsObject()) {
    std::string scheme(Text(get["scheme"]));
    for (char& c : scheme) c = static_cast<char>(c | 0x20);
    return StrCat("http-get ", scheme, "://", Text(get["host"]), ":", OneLine(get["port"]), Text(get["path"]), " ", times);
  }
  if (const json::Value& tcp = probe["tcpSocket"]; tcp.IsObject()) {
    return StrCat("tcp-socket ", Text(tcp["host"]), ":", OneLine(tcp["port"]), " ", times);
  }
  if (const json::Value& grpc = probe["grpc"]; grpc.IsObject()) {
    return StrCat("grpc <pod>:", OneLine(grpc["port"]), " ", Text(grpc["service"]), " ", times);
  }
  return StrCat("unknown ", times);
}

std::string VariableText(const json::Value& variable) {
  const json::Value& from = variable["valueFrom"];
  const auto optional = [](const json::Value& ref) { return json::IsTrue(ref["optional"]) ? "true" : "false"; };
  if (const json::Value& field = from["fieldRef"]; field.IsObject()) {
    return StrCat(" (", Text(field["apiVersion"]), ":", Text(field["fieldPath"]), ")");
  }
  if (const json::Value& resource = from["resourceFieldRef"]; resource.IsObject()) return StrCat(" (", Text(resource["resource"]), ")");
  if (const json::Value& secret = from["secretKeyRef"]; secret.IsObject()) {
    return StrCat("<set to the key '", Text(secret["key"]), "' in secret '", Text(secret["name"]), "'>\tOptional: ", optional(secret));
  }
  if (const json::Value& map = from["configMapKeyRef"]; map.IsObject()) {
    return StrCat("<set to the key '", Text(map["key"]), "' of config map '", Text(map["name"]), "'>\tOptional: ", optional(map));
  }
  const std::string value = variable["value"].IsNull() ? "" : OneLine(variable["value"]);
  std::string lines;
  for (const std::string_view line : Split(value, '\n')) lines += StrCat(lines.empty() ? "" : "\n\t", line);
  return lines;
}

void DescribeEnvironment(const json::Value& container, Description& description) {
  if (!ItemsOf(container["envFrom"]).empty()) {
    description.Line(2, "Environment Variables from:");
    for (const json::Value& source : container["envFrom"].Items()) {
      const bool map = source["configMapRef"].IsObject();
      const json::Value& ref = map ? source["configMapRef"] : source["secretRef"];
      const bool optional = json::IsTrue(ref["optional"]);
      const std::string prefix = source["prefix"].IsString() ? StrCat(" with prefix '", Text(source["prefix"]), "'") : "";
      description.Line(3, Text(ref["name"]), "\t", map ? "ConfigMap" : "Secret", prefix, "\tOptional: ", optional);
    }
  }
  if (ItemsOf(container["env"]).empty()) return description.Field(2, "Environment", "<none>");
  description.Line(2, "Environment:");
  for (const json::Value& variable : container["env"].Items()) description.Field(3, Text(variable["name"]), VariableText(variable));
}

void DescribeMounts(const json::Value& mounts, Description& description) {
  if (ItemsOf(mounts).empty()) return description.Field(2, "Mounts", "<none>");
  description.Line(2, "Mounts:");
  std::vector<const json::Value*> sorted;
  for (const json::Value& mount : mounts.Items()) sorted.push_back(&mount);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto* a, const auto* b) { return Text((*a)["mountPath"]) < Text((*b)["mountPath"]); });
  for (const json::Value* const mount : sorted) {
    const bool read_only = json::IsTrue((*mount)["readOnly"]);
    const std::string_view sub_path = Text((*mount)["subPath"]);
    const std::string path = sub_path.empty() ? "" : StrCat(",path=", Quoted(sub_path, 400));
    description.Line(3, Text((*mount)["mountPath"]), " from ", Text((*mount)["name"]), " (", read_only ? "ro" : "rw", path, ")");
  }
}

std::string BoolText(const json::Value& value) { return json::IsTrue(value) ? "true" : "false"; }

void DescribeProjected(const json::Value& projected, Description& description) {
  description.Field(2, "Type", "Projected (a volume that contains injected data from multiple sources)");
  for (const json::Value& source : ItemsOf(projected["sources"])) {
    if (const json::Value& secret = source["secret"]; secret.IsObject()) {
      description.Field(2, "SecretName", Text(secret["name"]));
      description.Field(2, "Optional", BoolText(secret["optional"]));
    } else if (source["downwardAPI"].IsObject()) {
      description.Field(2, "DownwardAPI", "true");
    } else if (const json::Value& map = source["configMap"]; map.IsObject()) {
      description.Field(2, "ConfigMapName", Text(map["name"]));
      description.Field(2, "Optional", BoolText(map["optional"]));
    } else if (const json::Value& token = source["serviceAccountToken"]; token.IsObject()) {
      description.Field(2, "TokenExpirationSeconds", OneLine(token["expirationSeconds"]));
    } else {
      description.Generic(2, source);
    }
  }
}

void DescribeVolume(const json::Value& volume, Description& description) {
  if (volume["projected"].IsObject()) return DescribeProjected(volume["projected"], description);
  if (const json::Value& empty = volume["emptyDir"]; empty.IsObject()) {
    description.Field(2, "Type", "EmptyDir (a temporary directory that shares a pod's lifetime)");
    description.Field(2, "Medium", Text(empty["medium"]));
    description.Field(2, "SizeLimit", empty["sizeLimit"].IsNull() ? "<unset>" : OneLine(empty["sizeLimit"]));
  } else if (const json::Value& host = volume["hostPath"]; host.IsObject()) {
    description.Field(2, "Type", "HostPath (bare host directory volume)");
    description.Field(2, "Path", Text(host["path"]));
    description.Field(2, "HostPathType", Text(host["type"]));
  } else if (const json::Value& secret = volume["secret"]; secret.IsObject()) {
    description.Field(2, "Type", "Secret (a volume populated by a Secret)");
    description.Field(2, "SecretName", Text(secret["secretName"]));
    description.Field(2, "Optional", BoolText(secret["optional"]));
  } else if (const json::Value& map = volume["configMap"]; map.IsObject()) {
    description.Field(2, "Type", "ConfigMap (a volume populated by a ConfigMap)");
    description.Field(2, "Name", Text(map["name"]));
    description.Field(2, "Optional", BoolText(map["optional"]));
  } else if (const json::Value& disk = volume["persistentVolumeClaim"]; disk.IsObject()) {
    description.Field(2, "Type", "PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)");
    description.Field(2, "ClaimName", Text(disk["claimName"]));
    description.Field(2, "ReadOnly", BoolText(disk["readOnly"]));
  } else {
    description.Generic(2, volume, {"name"});
  }
}

}  // namespace

void DescribeContainers(std::string_view label, const json::Value& containers, const json::Value& statuses, Description& description) {
  description.Line(0, label, ":");
  for (const json::Value& container : ItemsOf(containers)) {
    const auto all = ItemsOf(statuses);
    const auto status =
        std::find_if(all.begin(), all.end(), [&](const json::Value& one) { return Text(one["name"]) == Text(container["name"]); });
    description.Line(1, Text(container["name"]), ":");
    if (status != all.end()) description.Field(2, "Container ID", Text((*status)["containerID"]));
    description.Field(2, "Image", Text(container["image"]));
    if (status != all.end()) description.Field(2, "Image ID", Text((*status)["imageID"]));
    DescribePorts(container["ports"], description);
    DescribeWords("Command", container["command"], description);
    DescribeWords("Args", container["args"], description);
    if (status != all.end()) DescribeStatus(*status, description);
    DescribeAmounts("Limits", container["resources"]["limits"], description);
    DescribeAmounts("Requests", container["resources"]["requests"], description);
    if (container["livenessProbe"].IsObject()) description.Field(2, "Liveness", ProbeText(container["livenessProbe"]));
    if (container["readinessProbe"].IsObject()) description.Field(2, "Readiness", ProbeText(container["readinessProbe"]));
    if (container["startupProbe"].IsObject()) description.Field(2, "Startup", ProbeText(container["startupProbe"]));
    DescribeEnvironment(container, description);
    DescribeMounts(container["volumeMounts"], description);
  }
}

void DescribeVolumes(const json::Value& volumes, Description& description) {
  if (ItemsOf(volumes).empty()) return description.Field(0, "Volumes", "<none>");
  description.Line(0, "Volumes:");
  for (const json::Value& volume : volumes.Items()) {
    description.Line(1, Text(volume["name"]), ":");
    DescribeVolume(volume, description);
  }
}

}  // namespace allot::cli

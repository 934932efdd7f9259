#include "apiserver/pod_actions.h"

#include <map>

#include "json/json.h"
#include "kube/timestamp.h"

namespace allot::apiserver {

namespace {

json::Value SetCondition(json::Editor& edit, const json::Value& status, std::string_view type, const json::Value& condition) {
  std::vector<json::Value> kept;
  for (const json::Value& one : json::ItemsOf(status["conditions"])) {
    if (json::TextOf(one["type"]) != type) kept.push_back(one);
  }
  kept.push_back(condition);
  return edit.Set(status, "conditions", edit.Array(kept));
}

Status CheckBindable(const Kind& kind, const json::Value& pod, const json::Value& binding) {
  const std::string_view name = json::TextOf(pod["metadata"]["name"]), node = json::TextOf(pod["spec"]["nodeName"]);
  const std::string_view uid = json::TextOf(binding["metadata"]["uid"]);
  if (!uid.empty() && uid != json::TextOf(pod["metadata"]["uid"])) {
    return ConflictOn(
        kind, name,
        StrCat("Precondition failed: UID in precondition: ", uid, ", UID in object meta: ", json::TextOf(pod["metadata"]["uid"])));
  }
  if (!pod["metadata"]["deletionTimestamp"].IsNull())
    return ConflictOn(kind, name, StrCat("pod ", name, " is being deleted, cannot be assigned to a host"));
  if (!node.empty()) return ConflictOn(kind, name, StrCat("pod ", name, " is already assigned to node \"", node, "\""));
  if (!json::ItemsOf(pod["spec"]["schedulingGates"]).empty()) {
    return ConflictOn(kind, name, StrCat("pod ", name, " has non-empty .spec.schedulingGates"));
  }
  return Status();
}

}  // namespace

Status BindPod(Api& api, const Caller& caller, const Target& pod, const json::Value& binding, bool dry_run) {
  FieldErrors errors;
  const std::string_view node = json::TextOf(binding["target"]["name"]), kind = json::TextOf(binding["target"]["kind"]);
  if (!kind.empty() && kind != "Node") errors.NotSupported(FieldPath("target.kind"), kind, {"Node", "<empty>"});
  if (node.empty()) errors.Required(FieldPath("target.name"));
  if (!errors.empty()) return InvalidObject(*pod.kind, pod.name, errors);
  const auto bind = [&](json::Editor& edit, const json::Value& object) -> Result<json::Value> {
    TRY(CheckBindable(*pod.kind, object, binding));
    json::Value bound = edit.SetAt(object, {"spec", "nodeName"}, edit.String(node));
    for (const std::string_view part : {"annotations", "labels"}) {
      std::map<std::string_view, json::Value> all;
      for (const json::Member& member : json::MembersOf(object["metadata"][part])) all[member.key] = member.value;
      for (const json::Member& member : json::MembersOf(binding["metadata"][part])) {
        all[edit.CopyText(member.key)] = edit.Copy(member.value);
      }
      std::vector<json::Member> members;
      for (const auto& [key, value] : all) members.push_back({key, value});
      if (!members.empty()) bound = edit.SetAt(bound, {"metadata", part}, edit.Object(members));
    }
    const json::Value condition = edit.Object({{"type", edit.Literal("PodScheduled")},
                                               {"status", edit.Literal("True")},
                                               {"lastTransitionTime", edit.String(kube::WriteTime(SystemClock().Now()))}});
    const json::Value status = edit.Without(bound["status"], "nominatedNodeName");
    return edit.Set(bound, "status", SetCondition(edit, status, "PodScheduled", condition));
  };
  Target target = pod;
  target.subresource = "binding";
  if (dry_run) {
    ASSIGN_OR_RETURN(const Answer answer, api.Get(pod));
    ASSIGN_OR_RETURN(json::Document document, json::Parse(answer.text()));
    json::Editor edit(document.arena());
    return bind(edit, document.root()).status();
  }
  return api.Change(caller, target, bind).status();
}

Status EvictPod(Api& api, const Caller& caller, const Target& pod, const json::Value& eviction, bool dry_run) {
  const json::Value& options = eviction["deleteOptions"];
  DeleteOptions as_delete;
  as_delete.dry_run = dry_run || !json::ItemsOf(options["dryRun"]).empty();
  if (options["gracePeriodSeconds"].IsNumber()) as_delete.grace_seconds = options["gracePeriodSeconds"].AsInt64();
  if (options["preconditions"]["uid"].IsString()) as_delete.uid = options["preconditions"]["uid"].AsString();
  if (options["preconditions"]["resourceVersion"].IsString())
    as_delete.resource_version = options["preconditions"]["resourceVersion"].AsString();
  as_delete.propagation = json::TextOf(options["propagationPolicy"]);
  return api.Delete(caller, pod, as_delete).status();
}

Result<std::string> ContainerOf(const json::Value& pod, std::string_view asked) {
  const std::string_view name = json::TextOf(pod["metadata"]["name"]);
  std::vector<std::string> names;
  for (const std::string_view list : {"containers", "initContainers", "ephemeralContainers"}) {
    for (const json::Value& container : json::ItemsOf(pod["spec"][list])) {
      names.emplace_back(json::TextOf(container["name"]));
      if (!asked.empty() && names.back() == asked) return names.back();
    }
  }
  if (!asked.empty()) return BadRequest(StrCat("container ", asked, " is not valid for pod ", name));
  const auto containers = json::ItemsOf(pod["spec"]["containers"]);
  if (containers.size() == 1) return std::string(json::TextOf(containers.front()["name"]));
  return BadRequest(StrCat("a container name must be specified for pod ", name, ", choose one of: [", Join(names, " "), "]"));
}

}  // namespace allot::apiserver

#include "local/cdi_devices.h"

#include <algorithm>

#include "json/editor.h"
#include "json/json.h"
#include "node/nvidia/devices.h"
#include "node/prepare/cdi.h"

namespace allot::local {
namespace {

constexpr size_t kLongestSpec = 1 << 20;

bool IsWanted(const node::PreparedDevice& device, std::span<const std::string> requests) {
  return requests.empty() || std::any_of(requests.begin(), requests.end(), [&](const std::string& request) {
           return std::find(device.requests.begin(), device.requests.end(), request) != device.requests.end();
         });
}

std::string CopyOf(const json::Value& text) { return std::string(json::TextOf(text)); }

std::vector<std::string> TextsOf(const json::Value& list) {
  std::vector<std::string> texts;
  for (const json::Value& item : json::ItemsOf(list)) texts.push_back(CopyOf(item));
  return texts;
}

// Reads edits as node/prepare/cdi.h writes them.
void AddEdits(const json::Value& from, ContainerEdits& edits) {
  for (const json::Value& variable : json::ItemsOf(from["env"])) {
    const std::string_view text = json::TextOf(variable);
    const size_t equals = text.find('=');
    if (equals != std::string_view::npos) edits.environment[std::string(text.substr(0, equals))] = text.substr(equals + 1);
  }
  for (const json::Value& node : json::ItemsOf(from["deviceNodes"])) {
    const json::Value& host = node["hostPath"];
    edits.device_nodes.push_back({CopyOf(host.IsNull() ? node["path"] : host), CopyOf(node["path"]), CopyOf(node["permissions"])});
  }
  for (const json::Value& mount : json::ItemsOf(from["mounts"])) {
    edits.mounts.push_back({CopyOf(mount["hostPath"]), CopyOf(mount["containerPath"]), Join(TextsOf(mount["options"]), ",")});
  }
  for (const json::Value& hook : json::ItemsOf(from["hooks"])) edits.hooks.push_back(TextsOf(hook["args"]));
}

void AppendOnce(std::string_view uuid, std::string& list) {
  for (const std::string_view there : Split(list, ',')) {
    if (there == uuid) return;
  }
  list += StrCat(list.empty() ? "" : ",", uuid);
}

Status CheckRequests(const node::ClaimRef& claim, std::span<const std::string> requests, std::span<const node::PreparedDevice> devices) {
  for (const std::string& request : requests) {
    const auto has = [&](const node::PreparedDevice& device) { return IsWanted(device, std::span(&request, 1)); };
    if (std::none_of(devices.begin(), devices.end(), has)) return NotFound(claim.ToString(), ": no device for request ", Quoted(request));
  }
  return Status();
}

}  // namespace

Result<DeviceAccess> CdiDevices::Prepare(const node::ClaimRef& claim, std::span<const std::string> requests, const Patience& patience) {
  Keep(claim.uid);
  ASSIGN_OR_RETURN(const std::vector<node::PreparedDevice> devices, preparer_.Prepare(claim, patience));
  TRY(CheckRequests(claim, requests, devices));
  const std::string path = StrCat(cdi_folder_, "/", node::CdiPrefix(node::nvidia::kDriver), claim.uid, ".yaml");
  ASSIGN_OR_RETURN(const std::string text, files_.ReadFile(path, kLongestSpec).Context(claim.ToString()));
  ASSIGN_OR_RETURN(const json::Document spec, json::Parse(text).Context(path));

  std::set<std::string, std::less<>> ids;
  std::string uuids;
  for (const node::PreparedDevice& device : devices) {
    if (!IsWanted(device, requests)) continue;
    ids.insert(device.cdi_ids.begin(), device.cdi_ids.end());
    AppendOnce(device.uuid, uuids);
  }
  DeviceAccess access;
  const std::string kind = node::CdiKind(node::nvidia::kDriver);
  AddEdits(spec.root()["containerEdits"], access.edits);
  for (const json::Value& device : json::ItemsOf(spec.root()["devices"])) {
    if (ids.contains(StrCat(kind, "=", json::TextOf(device["name"])))) AddEdits(device["containerEdits"], access.edits);
  }
  access.environment = more_;
  for (const auto& [name, value] : access.edits.environment) access.environment[name] = value;
  access.environment[kCudaVisible] = uuids;
  access.environment[kNvidiaVisible] = uuids;
  return access;
}

void CdiDevices::Keep(const std::string& claim_uid) {
  const std::lock_guard lock(mutex_);
  in_use_.insert(claim_uid);
}

Status CdiDevices::Unprepare(const node::ClaimRef& claim, const Patience& patience) {
  TRY(preparer_.Unprepare(claim, patience));
  const std::lock_guard lock(mutex_);
  in_use_.erase(claim.uid);
  return Status();
}

bool CdiDevices::IsInUse(const std::string& claim_uid) const {
  const std::lock_guard lock(mutex_);
  return in_use_.contains(claim_uid);
}

}  // namespace allot::local

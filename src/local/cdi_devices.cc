#include "local/cdi_devices.h"

#include <algorithm>

namespace allot::local {
namespace {

bool IsWanted(const node::PreparedDevice& device, std::span<const std::string> requests) {
  return requests.empty() || std::any_of(requests.begin(), requests.end(), [&](const std::string& request) {
           return std::find(device.requests.begin(), device.requests.end(), request) != device.requests.end();
         });
}

void AddEdits(const node::ContainerEdits& from, ContainerEdits& edits) {
  for (const std::string& variable : from.env) {
    const size_t equals = variable.find('=');
    if (equals != std::string::npos) edits.environment[variable.substr(0, equals)] = variable.substr(equals + 1);
  }
  for (const auto& [container, host] : from.nodes) edits.device_nodes.push_back({host, container, "rw"});
  for (const auto& mount : from.mounts) edits.mounts.push_back({mount.host, mount.container, Join(mount.options, ",")});
  edits.hooks.insert(edits.hooks.end(), from.hooks.begin(), from.hooks.end());
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
  ASSIGN_OR_RETURN(const node::PreparedClaim prepared, preparer_.PrepareWithEdits(claim, patience));
  const auto& [devices, edits] = prepared;
  TRY(CheckRequests(claim, requests, devices));

  DeviceAccess access;
  std::vector<std::string> uuids;
  AddEdits(edits.common, access.edits);
  for (size_t i = 0; i < devices.size(); ++i) {
    if (!IsWanted(devices[i], requests)) continue;
    AddEdits(edits.shares[i], access.edits);
    if (std::find(uuids.begin(), uuids.end(), devices[i].uuid) == uuids.end()) uuids.push_back(devices[i].uuid);
  }
  access.environment = more_;
  for (const auto& [name, value] : access.edits.environment) access.environment[name] = value;
  for (const auto& [name, value] : preparer_.VisibleDevices(uuids)) access.environment[name] = value;
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

#include "apiserver/kinds/dra/claim_status.h"

#include <set>
#include <tuple>
#include <vector>

#include "apiserver/kinds/checks.h"
#include "apiserver/kinds/dra/checks.h"
#include "apiserver/kinds/dra/claim_spec.h"
#include "cel/library/net.h"

namespace allot::apiserver {

namespace {

constexpr size_t kMaxConsumers = 256;
constexpr size_t kMaxConditions = 8;
constexpr size_t kMaxAddresses = 16;
constexpr size_t kMaxInterfaceNameBytes = 256;
constexpr size_t kMaxHardwareAddressBytes = 128;

// Driver, pool, device and share, from a result or a device's status. A missing share equals an empty one.
using DeviceKey = std::tuple<std::string_view, std::string_view, std::string_view, std::string_view>;

DeviceKey KeyOf(const json::Value& device) {
  return {json::TextOf(device["driver"]), json::TextOf(device["pool"]), json::TextOf(device["device"]), json::TextOf(device["shareID"])};
}

std::string Shown(const DeviceKey& key) {
  const auto& [driver, pool, device, share] = key;
  return StrCat(driver, "/", pool, "/", device, share.empty() ? "" : "/", share);
}

std::set<DeviceKey> AllocatedDevices(const json::Value& status) {
  std::set<DeviceKey> devices;
  for (const json::Value& result : json::ItemsOf(status["allocation"]["devices"]["results"])) devices.insert(KeyOf(result));
  return devices;
}

using Consumer = std::tuple<std::string_view, std::string_view, std::string_view, std::string_view>;

std::set<Consumer> ConsumersOf(const json::Value& status) {
  std::set<Consumer> consumers;
  for (const json::Value& entry : json::ItemsOf(status["reservedFor"])) {
    consumers.emplace(json::TextOf(entry["apiGroup"]), json::TextOf(entry["resource"]), json::TextOf(entry["name"]),
                      json::TextOf(entry["uid"]));
  }
  return consumers;
}

void CheckConsumer(const FieldPath& field, const json::Value& consumer, FieldErrors& errors) {
  for (const std::string_view name : {"resource", "name", "uid"}) {
    if (json::TextOf(consumer[name]).empty()) errors.Required(field.Child(name));
  }
}

void CheckReservations(const FieldPath& field, const json::Value& status, const json::Value& old, bool deleted, FieldErrors& errors) {
  if (json::ItemsOf(status["reservedFor"]).empty()) return;
  if (status["allocation"].IsNull()) return errors.Forbidden(field, "may not be specified when `allocated` is not set");
  if (!deleted) return;
  const std::set<Consumer> before = ConsumersOf(old);
  for (const Consumer& consumer : ConsumersOf(status)) {
    if (before.contains(consumer)) continue;
    return errors.Forbidden(field, "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set");
  }
}

// Requires an address with a prefix length, in Go's canonical form.
void CheckInterfaceAddress(const FieldPath& field, std::string_view text, FieldErrors& errors) {
  const auto cidr = cel::ParseCidr(text);
  if (!cidr) return errors.Invalid(field, text, "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)");
  if (const std::string canonical = cidr->ToString(); canonical != text) {
    errors.Invalid(field, text, StrCat("must be in canonical form (\"", canonical, "\")"));
  }
}

void CheckNetworkData(const FieldPath& field, const json::Value& data, FieldErrors& errors) {
  if (json::TextOf(data["interfaceName"]).size() > kMaxInterfaceNameBytes) {
    errors.TooLong(field.Child("interfaceName"), kMaxInterfaceNameBytes);
  }
  if (json::TextOf(data["hardwareAddress"]).size() > kMaxHardwareAddressBytes) {
    errors.TooLong(field.Child("hardwareAddress"), kMaxHardwareAddressBytes);
  }
  CheckSet(field.Child("ips"), data["ips"], kMaxAddresses, errors, json::TextOf,
           [&](const FieldPath& at, const json::Value& address) { CheckInterfaceAddress(at, json::TextOf(address), errors); });
}

void CheckDeviceStatus(const FieldPath& field, const json::Value& device, const std::set<DeviceKey>& allocated, FieldErrors& errors) {
  CheckDriverName(field.Child("driver"), json::TextOf(device["driver"]), errors);
  CheckPoolName(field.Child("pool"), json::TextOf(device["pool"]), errors);
  CheckDnsLabel(field.Child("device"), json::TextOf(device["device"]), errors);
  if (!device["shareID"].IsNull()) CheckUuid(field.Child("shareID"), json::TextOf(device["shareID"]), errors);
  if (const DeviceKey key = KeyOf(device); !allocated.contains(key)) {
    errors.Invalid(field, Shown(key), "must be an allocated device in the claim");
  }
  const json::Value& conditions = device["conditions"];
  if (const size_t count = json::ItemsOf(conditions).size(); count > kMaxConditions) {
    errors.TooMany(field.Child("conditions"), count, kMaxConditions);
  }
  CheckConditions(field.Child("conditions"), conditions, errors);
  if (!device["data"].IsNull()) CheckRawObject(field.Child("data"), device["data"], kMaxParameterBytes, errors);
  CheckNetworkData(field.Child("networkData"), device["networkData"], errors);
}

void CheckDeviceStatuses(const FieldPath& field, const json::Value& status, FieldErrors& errors) {
  const std::set<DeviceKey> allocated = AllocatedDevices(status);
  const auto devices = json::ItemsOf(status["devices"]);
  for (size_t i = 0; i < devices.size(); ++i) CheckDeviceStatus(field.Index(i), devices[i], allocated, errors);
  std::set<DeviceKey> seen;
  for (size_t i = 0; i < devices.size(); ++i) {
    const DeviceKey key = KeyOf(devices[i]);
    if (!seen.insert(key).second) errors.Duplicate(field.Index(i), Shown(key));
  }
}

void CheckResult(const FieldPath& field, const json::Value& result, const RequestNames& names, FieldErrors& errors) {
  CheckRequestReference(field.Child("request"), json::TextOf(result["request"]), names, errors);
  CheckDriverName(field.Child("driver"), json::TextOf(result["driver"]), errors);
  CheckPoolName(field.Child("pool"), json::TextOf(result["pool"]), errors);
  CheckDnsLabel(field.Child("device"), json::TextOf(result["device"]), errors);
  CheckBindingConditions(field, result, errors);
  if (!result["shareID"].IsNull()) CheckUuid(field.Child("shareID"), json::TextOf(result["shareID"]), errors);
}

void CheckAllocation(const FieldPath& field, const json::Value& allocation, const RequestNames& names, FieldErrors& errors) {
  const json::Value& devices = allocation["devices"];
  const FieldPath at = field.Child("devices");
  CheckList(at.Child("results"), devices["results"], kMaxDeviceEntries, errors,
            [&](const FieldPath& path, const json::Value& result) { CheckResult(path, result, names, errors); });
  // The configuration of the classes and of the claim.
  CheckList(at.Child("config"), devices["config"], 2 * kMaxDeviceEntries, errors, [&](const FieldPath& path, const json::Value& config) {
    CheckEnum(path.Child("source"), json::TextOf(config["source"]), {"FromClaim", "FromClass"}, errors);
    CheckRequestReferences(path.Child("requests"), config["requests"], names, errors);
    CheckDeviceConfiguration(path, config, /*stored=*/false, errors);
  });
  const json::Value& selector = allocation["nodeSelector"];
  if (!selector.IsNull()) CheckNodeSelector(field.Child("nodeSelector"), selector, errors);
}

}  // namespace

json::Value DefaultClaimStatus(json::Editor& edit, const json::Value& status) {
  const json::Value& results = status["allocation"]["devices"]["results"];
  if (!results.IsArray()) return status;
  return edit.SetAt(status, {"allocation", "devices", "results"},
                    edit.Map(results, [&](const json::Value& result) { return DefaultTolerations(edit, result); }));
}

json::Value DropDeallocatedDevices(json::Editor& edit, const json::Value& claim, const json::Value& old) {
  const json::Value& status = claim["status"];
  const auto devices = json::ItemsOf(status["devices"]);
  if (devices.empty()) return claim;
  std::set<DeviceKey> gone = AllocatedDevices(old["status"]);
  for (const DeviceKey& device : AllocatedDevices(status)) gone.erase(device);

  std::vector<json::Value> kept;
  for (const json::Value& device : devices) {
    if (!gone.contains(KeyOf(device))) kept.push_back(device);
  }
  if (kept.size() == devices.size()) return claim;
  if (kept.empty()) return edit.WithoutAt(claim, {"status", "devices"});
  return edit.SetAt(claim, {"status", "devices"}, edit.Array(kept));
}

void CheckClaimStatus(const json::Value& claim, const json::Value& old, FieldErrors& errors) {
  const FieldPath field("status");
  const json::Value& status = claim["status"];
  const json::Value& old_status = old["status"];
  CheckSet(
      field.Child("reservedFor"), status["reservedFor"], kMaxConsumers, errors,
      [](const json::Value& consumer) { return json::TextOf(consumer["uid"]); },
      [&](const FieldPath& at, const json::Value& consumer) { CheckConsumer(at, consumer, errors); });
  CheckDeviceStatuses(field.Child("devices"), status, errors);
  CheckReservations(field.Child("reservedFor"), status, old_status, !claim["metadata"]["deletionTimestamp"].IsNull(), errors);

  const json::Value& allocation = status["allocation"];
  if (allocation.IsNull()) return;
  if (!old_status["allocation"].IsNull()) {
    CheckImmutable(field.Child("allocation"), allocation, old_status["allocation"], errors);
  } else {
    CheckAllocation(field.Child("allocation"), allocation, RequestNames(claim["spec"]["devices"]), errors);
  }
}

}  // namespace allot::apiserver

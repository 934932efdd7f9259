#include "model/claim.h"

#include <algorithm>

#include "json/editor.h"
#include "model/reader.h"

namespace allot::model {
namespace {

std::vector<Selector> ReadSelectors(const Reader& reader) {
  std::vector<Selector> selectors;
  reader.Each("selectors", [&](const Reader& selector) {
    const Reader cel = selector["cel"];
    selectors.push_back({cel.IsPresent() ? std::optional(cel.Text("expression")) : std::nullopt});
  });
  return selectors;
}

std::vector<Toleration> ReadTolerations(const Reader& reader) {
  std::vector<Toleration> tolerations;
  reader.Each("tolerations", [&](const Reader& t) {
    tolerations.push_back({t.Text("key"), t.Text("operator"), t.Text("value"), t.Text("effect"), t.OptionalInt("tolerationSeconds")});
  });
  return tolerations;
}

std::vector<NamedQuantity> ReadQuantities(const Reader& reader, std::string_view key) {
  std::vector<NamedQuantity> quantities;
  reader.EachQuantity(key, [&](std::string_view name, Quantity amount) { quantities.push_back({std::string(name), std::move(amount)}); });
  std::sort(quantities.begin(), quantities.end(), [](const NamedQuantity& a, const NamedQuantity& b) { return a.name < b.name; });
  return quantities;
}

std::vector<Config> ReadConfig(const Reader& reader) {
  std::vector<Config> configs;
  reader.Each("config", [&](const Reader& config) { configs.push_back({config.Texts("requests"), Opaque(config["opaque"].value())}); });
  return configs;
}

DeviceRequest ReadDeviceRequest(const Reader& reader, std::string_view name) {
  DeviceRequest request;
  request.name = name;
  request.class_name = reader.Text("deviceClassName");
  request.selectors = ReadSelectors(reader);
  request.allocation_mode = reader.Text("allocationMode");
  request.count = reader.OptionalInt("count").value_or(0);
  request.admin_access = reader.OptionalBool("adminAccess");
  request.tolerations = ReadTolerations(reader);
  const Reader capacity = reader["capacity"];
  request.has_capacity = capacity.IsPresent();
  request.capacity = ReadQuantities(capacity, "requests");
  return request;
}

void ReadClaimSpec(const Reader& spec, ResourceClaim& claim) {
  const Reader devices = spec["devices"];
  devices.Each("requests", [&](const Reader& item) {
    Request& request = claim.requests.emplace_back();
    request.name = item.Text("name");
    if (const Reader exactly = item["exactly"]; exactly.IsPresent()) request.exactly = ReadDeviceRequest(exactly, request.name);
    item.Each("firstAvailable", [&](const Reader& sub) {
      request.first_available.push_back(ReadDeviceRequest(sub, sub.Text("name")));
      request.first_available.back().admin_access.reset();  // an alternative has no such field
    });
  });
  devices.Each("constraints", [&](const Reader& c) {
    claim.constraints.push_back({c.Texts("requests"), c.OptionalText("matchAttribute"), c.OptionalText("distinctAttribute")});
  });
  claim.config = ReadConfig(devices);
}

Allocation ReadAllocation(const Reader& reader) {
  Allocation allocation;
  const Reader devices = reader["devices"];
  devices.Each("results", [&](const Reader& item) {
    DeviceResult& result = allocation.results.emplace_back();
    result.request = item.Text("request");
    result.driver = item.Text("driver");
    result.pool = item.Text("pool");
    result.device = item.Text("device");
    result.admin_access = item.OptionalBool("adminAccess").value_or(false);
    const std::vector<Toleration> tolerations = ReadTolerations(item);
    result.tolerations.assign(tolerations.begin(), tolerations.end());
    for (const std::string_view condition : item.Texts("bindingConditions")) result.binding_conditions.emplace_back(condition);
    for (const std::string_view condition : item.Texts("bindingFailureConditions")) {
      result.binding_failure_conditions.emplace_back(condition);
    }
    result.share_id = item.Text("shareID");
    result.consumed_capacity = ReadQuantities(item, "consumedCapacity");
  });
  devices.Each("config", [&](const Reader& item) {
    AllocatedConfig& config = allocation.config.emplace_back();
    config.from_class = item.Text("source") == "FromClass";
    for (const std::string_view name : item.Texts("requests")) config.requests.emplace_back(name);
    config.opaque = Opaque(item["opaque"].value());
  });
  if (const Reader selector = reader["nodeSelector"]; selector.IsPresent()) allocation.node_selector = NodeSelector::Read(selector);
  return allocation;
}

template <typename Texts>
void WriteTexts(json::Builder& to, std::string_view key, const Texts& texts) {
  if (texts.empty()) return;
  to.Key(key);
  to.StartArray();
  for (const std::string_view text : texts) to.String(text);
  to.EndArray();
}

void WriteText(json::Builder& to, std::string_view key, std::string_view text) {
  if (text.empty()) return;
  to.Key(key);
  to.String(text);
}

void WriteResult(json::Builder& to, const DeviceResult& result) {
  to.StartObject();
  to.Key("request");
  to.String(result.request);
  to.Key("driver");
  to.String(result.driver);
  to.Key("pool");
  to.String(result.pool);
  to.Key("device");
  to.String(result.device);
  if (result.admin_access) {
    to.Key("adminAccess");
    to.Bool(true);
  }
  if (!result.tolerations.empty()) {
    to.Key("tolerations");
    to.StartArray();
    for (const ResultToleration& t : result.tolerations) {
      to.StartObject();
      WriteText(to, "key", t.key);
      WriteText(to, "operator", t.op);
      WriteText(to, "value", t.value);
      WriteText(to, "effect", t.effect);
      if (t.seconds) {
        to.Key("tolerationSeconds");
        to.Int(*t.seconds);
      }
      to.EndObject();
    }
    to.EndArray();
  }
  WriteTexts(to, "bindingConditions", result.binding_conditions);
  WriteTexts(to, "bindingFailureConditions", result.binding_failure_conditions);
  WriteText(to, "shareID", result.share_id);
  if (!result.consumed_capacity.empty()) {
    to.Key("consumedCapacity");
    to.StartObject();
    for (const NamedQuantity& consumed : result.consumed_capacity) {
      to.Key(consumed.name);
      to.String(consumed.amount.ToString());
    }
    to.EndObject();
  }
  to.EndObject();
}

}  // namespace

Opaque::Opaque(const json::Value& value) {
  if (value.IsNull()) return;
  auto arena = std::make_unique<json::Arena>();
  const json::Value copy = json::Editor(*arena).Copy(value);
  document_ = std::make_shared<const json::Document>(std::move(arena), copy);
}

const json::Value& Opaque::value() const {
  static const json::Value null{};
  return document_ == nullptr ? null : document_->root();
}

Result<Allocation> Allocation::Read(const json::Value& object) {
  const Reader reader(object);
  Allocation allocation = ReadAllocation(reader);
  TRY(reader.status());
  return allocation;
}

bool SameDevices(const Allocation& a, const Allocation& b) {
  return std::equal(
      a.results.begin(), a.results.end(), b.results.begin(), b.results.end(), [](const DeviceResult& x, const DeviceResult& y) {
        return x.request == y.request && x.driver == y.driver && x.pool == y.pool && x.device == y.device && x.share_id == y.share_id;
      });
}

void Allocation::Write(json::Builder& to) const {
  to.StartObject();
  to.Key("devices");
  to.StartObject();
  to.Key("results");
  to.StartArray();
  for (const DeviceResult& result : results) WriteResult(to, result);
  to.EndArray();
  if (!config.empty()) {
    to.Key("config");
    to.StartArray();
    for (const AllocatedConfig& item : config) {
      to.StartObject();
      to.Key("source");
      to.String(item.from_class ? "FromClass" : "FromClaim");
      WriteTexts(to, "requests", item.requests);
      if (!item.opaque.value().IsNull()) {
        to.Key("opaque");
        to.Add(item.opaque.value());
      }
      to.EndObject();
    }
    to.EndArray();
  }
  to.EndObject();
  if (node_selector) {
    to.Key("nodeSelector");
    node_selector->Write(to);
  }
  to.EndObject();
}

std::string ResourceClaim::FullName() const { return name_space.empty() ? std::string(name) : StrCat(name_space, "/", name); }

Result<ResourceClaim> ResourceClaim::Read(const json::Value& object) {
  const Reader reader(object);
  const Reader metadata = reader["metadata"];
  ResourceClaim claim;
  claim.name = metadata.Text("name");
  claim.name_space = metadata.Text("namespace");
  claim.uid = metadata.Text("uid");
  ReadClaimSpec(reader["spec"], claim);
  const Reader status = reader["status"];
  if (const Reader allocation = status["allocation"]; allocation.IsPresent()) claim.allocation = ReadAllocation(allocation);
  status.Each("reservedFor", [&](const Reader& user) { claim.reserved_for.emplace_back(user.Text("name")); });
  TRY(reader.status());
  return claim;
}

Result<ResourceClaimTemplate> ResourceClaimTemplate::Read(const json::Value& object) {
  const Reader reader(object);
  const Reader metadata = reader["metadata"];
  ResourceClaimTemplate result;
  result.name = metadata.Text("name");
  result.name_space = metadata.Text("namespace");
  ReadClaimSpec(reader["spec"]["spec"], result.spec);
  TRY(reader.status());
  return result;
}

bool DeviceClass::StandsFor(std::string_view resource) const {
  constexpr std::string_view kImplicit = "deviceclass.resource.kubernetes.io/";
  if (resource.starts_with(kImplicit)) return resource.substr(kImplicit.size()) == name;
  return !resource.empty() && resource == extended_resource_name;
}

Result<DeviceClass> DeviceClass::Read(const json::Value& object) {
  const Reader reader(object);
  const Reader spec = reader["spec"];
  DeviceClass result;
  result.name = reader["metadata"].Text("name");
  result.created = reader["metadata"].Text("creationTimestamp");
  result.selectors = ReadSelectors(spec);
  result.config = ReadConfig(spec);
  result.extended_resource_name = spec.Text("extendedResourceName");
  TRY(reader.status());
  return result;
}

}  // namespace allot::model

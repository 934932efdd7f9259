#include "local/device_classes.h"

#include "kube/error.h"
#include "node/devices.h"

namespace allot::local {

Result<std::vector<std::string>> MakeDeviceClasses(kube::Client& client, const http::Patience& patience) {
  std::vector<std::string> missing;
  for (const std::string_view type : {"gpu", "mig"}) {
    const std::string name = StrCat(type, ".nvidia.com");
    const Status there = client.Get(kube::types::kDeviceClasses, "", name, patience).status();
    if (there.ok()) continue;
    if (there.code() != Code::kNotFound) return there;
    const std::string expression =
        StrCat("device.driver == '", node::kDriver, "' && device.attributes['", node::kDriver, "'].type == '", type, "'");
    const std::string_view amounts = type == "gpu" ? R"("extendedResourceName":"nvidia.com/gpu",)" : "";
    const std::string text = StrCat(R"({"apiVersion":"resource.k8s.io/v1","kind":"DeviceClass","metadata":{"name":")", name,
                                    R"("},"spec":{)", amounts, R"("selectors":[{"cel":{"expression":)", Quoted(expression, 4096), "}}]}}");
    const Status made = client.Create(kube::types::kDeviceClasses, "", text, {}, patience).status();
    if (made.ok()) missing.push_back(name);
    if (!made.ok() && !kube::HasReason(made, "AlreadyExists")) return made;
  }
  return missing;
}

}  // namespace allot::local

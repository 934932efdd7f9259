#include "local/device_classes.h"

#include "kube/error.h"

namespace allot::local {

Result<std::vector<std::string>> MakeDeviceClasses(kube::Client& client, std::span<const node::DeviceClass> classes,
                                                   const Patience& patience) {
  std::vector<std::string> missing;
  for (const node::DeviceClass& each : classes) {
    const Status there = client.Get(kube::types::kDeviceClasses, "", each.name, patience).status();
    if (there.ok()) continue;
    if (there.code() != Code::kNotFound) return there;
    const std::string extended =
        each.extended_resource.empty() ? "" : StrCat(R"("extendedResourceName":)", Quoted(each.extended_resource, 4096), ",");
    const std::string text =
        StrCat(R"({"apiVersion":"resource.k8s.io/v1","kind":"DeviceClass","metadata":{"name":")", each.name, R"("},"spec":{)", extended,
               R"("selectors":[{"cel":{"expression":)", Quoted(each.selector, 4096), "}}]}}");
    const Status made = client.Create(kube::types::kDeviceClasses, "", text, {}, patience).status();
    if (made.ok()) missing.push_back(each.name);
    if (!made.ok() && !kube::HasReason(made, "AlreadyExists")) return made;
  }
  return missing;
}

}  // namespace allot::local

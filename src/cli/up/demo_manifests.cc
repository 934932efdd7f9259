#include "cli/up/demo_manifests.h"

#include <string_view>

#include "base/strings.h"

namespace allot::cli {
namespace {

constexpr std::string_view kRtx3090 = "NVIDIA GeForce RTX 3090";

// A claim template for `memory` of one GPU of `model`; an empty model is any model.
DemoManifest Template(std::string_view name, std::string_view memory, std::string_view model) {
  std::string yaml =
      StrCat("apiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata:\n  name: ", name,
             "\nspec:\n  spec:\n    devices:\n      requests:\n      - name: gpu\n        exactly:\n",
             "          deviceClassName: gpu.nvidia.com\n          capacity:\n            requests:\n              memory: ", memory, "\n");
  if (!model.empty()) {
    yaml += StrCat("          selectors:\n          - cel:\n              expression: device.attributes['gpu.nvidia.com'].productName == '",
                   model, "'\n");
  }
  return {std::string(name), "ResourceClaimTemplate", std::move(yaml)};
}

DemoManifest Pod(std::string_view name, std::string_view claim_template) {
  return {std::string(name), "Pod",
          StrCat("apiVersion: v1\nkind: Pod\nmetadata:\n  name: ", name,
                 "\nspec:\n  terminationGracePeriodSeconds: 1\n  resourceClaims:\n  - name: gpu\n    resourceClaimTemplateName: ",
                 claim_template,
                 "\n  containers:\n  - name: main\n    image: any  # not used: containers are processes of the machine\n"
                 "    command: [sh, -c, nvidia-smi && exec sleep 3600]\n    resources:\n      claims:\n      - name: gpu\n")};
}

}  // namespace

std::vector<DemoManifest> DemoManifests() {
  return {
      Template("gpu-6gi-3090", "6Gi", kRtx3090),
      Pod("share-1", "gpu-6gi-3090"),
      Pod("share-2", "gpu-6gi-3090"),
      Pod("share-3", "gpu-6gi-3090"),
      Pod("share-4", "gpu-6gi-3090"),
      Template("gpu-24gi-3090", "24Gi", kRtx3090),
      Pod("whole-1", "gpu-24gi-3090"),
      Pod("whole-2", "gpu-24gi-3090"),
      Template("gpu-6gi-any", "6Gi", ""),
      Pod("any-1", "gpu-6gi-any"),
      Pod("any-2", "gpu-6gi-any"),
  };
}

std::string DemoYaml() {
  std::string text;
  for (const DemoManifest& manifest : DemoManifests())
    text += StrCat(text.empty() ? "" : "---\n", "# ", manifest.name, ".yaml\n", manifest.yaml);
  return text;
}

}  // namespace allot::cli

#pragma once
// The manifests that `allot demo` applies, and prints with --print.

#include <string>
#include <vector>

namespace allot::cli {

struct DemoManifest {
  std::string name;  // of the object; its file is NAME.yaml
  std::string kind;  // Pod or ResourceClaimTemplate
  std::string yaml;  // one object
};

// In the order in which the demo applies them.
std::vector<DemoManifest> DemoManifests();

// All manifests as one stream for `kubectl apply -f -`, each after a comment with its file name.
std::string DemoYaml();

}  // namespace allot::cli

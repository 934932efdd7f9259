#pragma once
// What `allot demo` applies, and prints for who wants to do the same by hand.

#include <string>
#include <vector>

namespace allot::cli {

struct DemoManifest {
  std::string name;  // of the object; its file is NAME.yaml
  std::string kind;  // Pod or ResourceClaimTemplate
  std::string yaml;  // one object
};

// In the order in which they are applied.
std::vector<DemoManifest> DemoManifests();

// All of them as one stream for `kubectl apply -f -`, each behind a comment with the name of its file.
std::string DemoYaml();

}  // namespace allot::cli

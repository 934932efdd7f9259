#pragma once
// Finds the resourceVersions of objects before they are applied, with few requests: one list (of metadata only) for a kind and namespace
// with many manifests, else one request for each object.

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "cli/apply/manifest.h"
#include "cli/session.h"

namespace allot::cli {

class Versions {
 public:
  // `manifests` must outlive it.
  Versions(Session& session, const std::vector<Manifest>& manifests);

  // The resourceVersion of the stored object; nullopt if it does not exist.
  Result<std::optional<std::string>> Of(const Manifest& manifest);
  // Records an applied object: a later manifest may name it again.
  void Set(const Manifest& manifest, std::string version);

 private:
  using Place = std::pair<const kube::ApiResource*, std::string>;  // with the namespace

  bool List(const Manifest& manifest, size_t named);

  Session& session_;
  std::map<Place, size_t> named_;                                             // number of manifests
  std::map<Place, std::optional<std::map<std::string, std::string>>> known_;  // nullopt: get each object
};

}  // namespace allot::cli

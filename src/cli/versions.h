#pragma once
// Which version objects had before they are applied, for as few requests as that takes: one list (of metadata alone) for a kind and
// namespace of which the manifests name many, a request for each object otherwise.

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "cli/manifest.h"
#include "cli/session.h"

namespace allot::cli {

class Versions {
 public:
  // `manifests` must outlive it.
  Versions(Session& session, const std::vector<Manifest>& manifests);

  // The resourceVersion of what is there; nothing: there is no such object.
  Result<std::optional<std::string>> Of(const Manifest& manifest);
  // What was applied: a manifest further on may name the same object.
  void Set(const Manifest& manifest, std::string version);

 private:
  using Place = std::pair<const kube::ApiResource*, std::string>;  // with the namespace

  bool List(const Manifest& manifest, size_t named);

  Session& session_;
  std::map<Place, size_t> named_;                                             // how many manifests there are
  std::map<Place, std::optional<std::map<std::string, std::string>>> known_;  // nothing: asked for one by one
};

}  // namespace allot::cli

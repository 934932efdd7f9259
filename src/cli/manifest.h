#pragma once
// Objects that people write into files: YAML or JSON, several documents, lists.

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "cli/session.h"
#include "kube/object.h"

namespace allot::cli {

struct Manifest {
  std::string place;  // for messages: "gpu.yaml, document 2", "gpu.yaml, document 1, items[3]"
  kube::ObjectPtr object;
  const kube::ApiResource* resource = nullptr;
  std::string namespace_name;                    // where it goes; empty for kinds without one
  std::shared_ptr<const std::string> text = {};  // of the whole file
  // The server does not have the kind: a CustomResourceDefinition among the manifests, which comes before this one, defines it.
  bool awaits_definition = false;
};

// One document or item as it was read, not yet checked against the cluster.
struct RawManifest {
  std::string place;
  kube::ObjectPtr object;
  std::shared_ptr<const std::string> text = {};
};

// The objects of a text. kInvalid names the place and the field: each has apiVersion, kind and metadata.name.
Result<std::vector<RawManifest>> ParseManifests(std::string_view text, const std::string& name);

// The objects of files, folders (their *.yaml, *.yml and *.json, by name; folders in them with `recursive`) and "-", standard input.
// In the order in which they stand there, but for definitions that others wait for, which come first. Nothing of it is used when one is
// wrong: the error has all that is wrong, a line each.
Result<std::vector<Manifest>> ReadManifests(Session& session, const std::vector<std::string>& sources, bool recursive);

// The line of a text in which the last key of a field's path ("spec.containers[0].comand", ".spec.contianers") is written; 0: none, or
// several have it.
size_t LineOfField(std::string_view text, std::string_view path);

// What they name, for verbs that look at objects.
Result<std::vector<Target>> ManifestTargets(Session& session, const std::vector<std::string>& sources, bool recursive);

}  // namespace allot::cli

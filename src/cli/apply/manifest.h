#pragma once
// Objects in files: YAML or JSON, several documents, lists.

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
  std::string namespace_name;                    // the object's namespace; empty for cluster-scoped kinds
  std::shared_ptr<const std::string> text = {};  // of the whole file
  // The server does not have the kind yet: an earlier manifest is the CustomResourceDefinition that defines it.
  bool awaits_definition = false;
};

// One document or item, not yet checked against the cluster.
struct RawManifest {
  std::string place;
  kube::ObjectPtr object;
  std::shared_ptr<const std::string> text = {};
};

// The objects of a text. kInvalid names the place and the field: each has apiVersion, kind and metadata.name.
Result<std::vector<RawManifest>> ParseManifests(std::string_view text, const std::string& name);

// Reads the objects of files, folders (their *.yaml, *.yml and *.json, by name; subfolders with `recursive`) and "-", standard input.
// The order is that of the files, except that definitions come before the objects of their kinds. If any object is wrong, the result is an
// error with a line for each of them.
Result<std::vector<Manifest>> ReadManifests(Session& session, const std::vector<std::string>& sources, bool recursive);

// The line of a text that has the last key of a field's path ("spec.containers[0].comand", ".spec.contianers"); 0 if no line or several
// lines have it.
size_t LineOfField(std::string_view text, std::string_view path);

// The objects that the files name, for verbs that read objects.
Result<std::vector<Target>> ManifestTargets(Session& session, const std::vector<std::string>& sources, bool recursive);

}  // namespace allot::cli

#pragma once
// `allot get`: objects as tables, JSON, YAML or names.

#include <string>

#include "cli/args.h"
#include "cli/session.h"
#include "cli/table.h"
#include "kube/object.h"

namespace allot::cli {

Verb GetVerb();

// What get, and get --watch, were asked for.
struct GetRequest {
  std::string label_selector, field_selector;
  std::string output;  // empty, "wide", "json", "yaml" or "name"
  bool headers = true;

  bool IsTable() const { return output.empty() || output == "wide"; }
};

// The table of a collection, all pages; or of one object, where there is a name. kNotFound where that is none.
Result<Table> FetchTable(Session& session, const kube::ApiResource& resource, const std::string& name, const GetRequest& request);

// The object as kubectl prints it: without managedFields; with apiVersion and kind, which the items of a list lack.
kube::ObjectPtr ForPrinting(const kube::Object& object, const kube::ResourceType& type);

// "pod", "resourceclaim.resource.k8s.io"
std::string KindName(const kube::ResourceType& type);

// Prints what is there and then what changes, until somebody ends the program. Returns with an error only.
Status WatchObjects(Session& session, const Target& target, const GetRequest& request);

}  // namespace allot::cli

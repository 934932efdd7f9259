#pragma once
// A definition and objects of it, for the tests of custom kinds.

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/field_errors.h"
#include "base/check.h"
#include "base/strings.h"
#include "json/value.h"
#include "json/yaml.h"

namespace allot::apiserver {

// Parses one YAML document. REQUIRES: it is valid.
inline json::Document Yaml(std::string_view text) {
  auto documents = json::ParseYaml(text);
  EXPECT_TRUE(documents.ok()) << documents.status().ToString() << " in " << text;
  CHECK(documents.ok() && documents->size() == 1);
  return std::move(documents->front());
}

// "spec.size: FieldValueRequired" for each error.
inline std::vector<std::string> Causes(const FieldErrors& errors) {
  std::vector<std::string> causes;
  for (const FieldError& error : errors.all()) causes.push_back(StrCat(error.field, ": ", error.reason));
  return causes;
}

inline std::vector<std::string> Messages(const FieldErrors& errors) {
  std::vector<std::string> messages;
  for (const FieldError& error : errors.all()) messages.push_back(error.message);
  return messages;
}

// The definition of tests/contract/cases/crds.yaml, with this schema below properties.spec and further members for the version.
inline std::string Definition(std::string_view spec_schema, std::string_view version = "") {
  return StrCat(R"(
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: things, singular: thing, kind: Thing, listKind: ThingList, shortNames: [th], categories: [all]}
  versions:
  - name: v1
    served: true
    storage: true
)",
                version, R"(
    schema:
      openAPIV3Schema:
        type: object
        properties:
          status: {type: object, properties: {ready: {type: boolean}}}
          spec: )",
                spec_schema, "\n");
}

}  // namespace allot::apiserver

#pragma once
// Admission: steps between a request and the store that may change or refuse an object. Dialects plug in here.
//
// For each write, every Mutate runs in order, then every Validate runs on the object as it will be stored. A step must not remember
// anything about a request: the request may be repeated, a later step may refuse it, or it may be a dry run.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/kinds/kind.h"
#include "base/status.h"

namespace allot::apiserver {

class Api;

enum class Operation { kCreate, kUpdate, kDelete };

struct AdmissionRequest {
  Operation operation = Operation::kCreate;
  const Kind& kind;
  std::string_view space, name, subresource;
  std::string_view user;
  const json::Value* old = nullptr;  // the stored object, for an update or delete
  bool dry_run = false;              // the step must not change anything outside the object
  Api& api;                          // to read or create other objects: namespaces, classes, templates
  std::vector<std::string>& warnings;
  std::string_view uid = {};  // of the caller, in the operating system; empty: unknown
  std::span<const std::string> groups = {};
};

class Admission {
 public:
  virtual ~Admission() = default;

  // Returns the object, changed or not. An error refuses the request: a Refusal is sent as it is, any other error as 403 Forbidden.
  virtual Result<json::Value> Mutate(const AdmissionRequest&, json::Editor&, const json::Value& object) const { return object; }
  virtual Status Validate(const AdmissionRequest&, const json::Value& /*object*/) const { return Status(); }
};

}  // namespace allot::apiserver

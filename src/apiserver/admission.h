#pragma once
// Steps between a request and the store that may change or refuse an object: where dialects plug in.
//
// For each write, first every Mutate in order, then, on the result as it will be stored, every Validate. A step must not remember
// anything of a request: it may be repeated, be refused by a later one, or be a dry run.

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
  const json::Value* old = nullptr;  // of an update or delete
  bool dry_run = false;              // nothing outside of the object may be changed
  Api& api;                          // for what the step must know or make: namespaces, classes, templates
  std::vector<std::string>& warnings;
  std::string_view uid = {};  // of the caller, on the system; empty: not known
  std::span<const std::string> groups = {};
};

class Admission {
 public:
  virtual ~Admission() = default;

  // Returns the object, changed or as it was; an error refuses the request (a Refusal as it is, anything else as 403 Forbidden).
  virtual Result<json::Value> Mutate(const AdmissionRequest&, json::Editor&, const json::Value& object) const { return object; }
  virtual Status Validate(const AdmissionRequest&, const json::Value& /*object*/) const { return Status(); }
};

}  // namespace allot::apiserver

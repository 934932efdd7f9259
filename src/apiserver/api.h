#pragma once
// The API without HTTP. The REST handlers and the controllers read and write all objects through it.
//
// Every write takes the same steps: decode, default, admission (mutate), prepare, validate, admission (validate), managed fields, store.
// Errors are refusals (refusal.h) in kube-apiserver's words.
// Thread-safe.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/admission.h"
#include "apiserver/kinds/kind.h"
#include "apiserver/refusal.h"
#include "apiserver/selector.h"
#include "apiserver/store/store.h"
#include "base/clock.h"
#include "base/random.h"

namespace allot::apiserver {

enum class PatchType { kJson, kMerge, kStrategic, kApply };
enum class FieldValidation { kIgnore, kWarn, kStrict };

// The user behind a call, and the field manager.
struct Caller {
  std::string user = "system:allot";
  std::vector<std::string> groups = {"system:masters"};
  std::string manager = "allot";  // field manager
  std::string uid = {};           // in the operating system; empty: unknown
};

struct WriteOptions {
  bool dry_run = false;
  FieldValidation validation = FieldValidation::kIgnore;
  bool force = false;                        // for an apply
  std::vector<std::string> duplicates = {};  // fields that occurred twice in the body: "data.k"
  std::vector<std::string>* warnings = nullptr;
};

struct DeleteOptions {
  bool dry_run = false;
  std::optional<std::string> uid = {}, resource_version = {};  // preconditions
  std::optional<int64_t> grace_seconds = {};
  std::string propagation = {};  // Orphan, Background, Foreground; empty: the kind's default
  std::vector<std::string>* warnings = nullptr;
};

// The object or collection that a request addresses.
struct Target {
  std::shared_ptr<const Kind> kind;
  std::string space = {}, name = {};
  std::string subresource = {};  // empty, "status", "scale", "ephemeralcontainers", ...
};

// An object that was read or written.
struct Answer {
  int code = 200;
  EntryPtr entry = {};    // null if no object of that name is stored, or for a dry run
  std::string json = {};  // empty: use entry->json
  bool removed = false;   // the object is gone, after a delete or after an update that removed the last finalizer

  std::string_view text() const { return json.empty() && entry != nullptr ? std::string_view(entry->json) : std::string_view(json); }
};

class Api {
 public:
  virtual ~Api() = default;

  virtual std::shared_ptr<const Kinds> kinds() const = 0;
  // Serves these kinds besides the built-in ones. The definitions controller calls it.
  virtual void SetCustomKinds(std::vector<std::shared_ptr<const Kind>> kinds) = 0;
  // Returns a built-in kind: "pods", "resourceclaims.resource.k8s.io". REQUIRES: it exists.
  virtual std::shared_ptr<const Kind> BuiltIn(std::string_view resource) const = 0;
  virtual Store& store() = 0;

  virtual Result<Answer> Get(const Target& target) = 0;
  // `body` may be any parsed JSON. `target.name` is empty, or the name that the object must have.
  virtual Result<Answer> Create(const Caller& caller, const Target& target, const json::Value& body, const WriteOptions& options) = 0;
  virtual Result<Answer> Update(const Caller& caller, const Target& target, const json::Value& body, const WriteOptions& options) = 0;
  virtual Result<Answer> Patch(const Caller& caller, const Target& target, PatchType type, const json::Value& patch,
                               const WriteOptions& options) = 0;
  virtual Result<Answer> Delete(const Caller& caller, const Target& target, const DeleteOptions& options) = 0;

  // For controllers: reads the object, applies `change` and writes the result. Repeats that if another writer was faster. If `change`
  // returns the object itself, nothing is written. An error of `change` is returned.
  using ChangeFunction = std::function<Result<json::Value>(json::Editor&, const json::Value& object)>;
  virtual Result<Answer> Change(const Caller& caller, const Target& target, const ChangeFunction& change) = 0;
};

}  // namespace allot::apiserver

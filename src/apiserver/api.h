#pragma once
// The API without HTTP: what the REST handlers and the controllers call. One way to read and write the world.
//
// Every write goes the same way: decode, default, admission (mutate), prepare, validate, admission (validate), managed fields, store.
// Errors are refusals (refusal.h) as kube-apiserver words them.
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

// Who asks, and how.
struct Caller {
  std::string user = "system:allot";
  std::vector<std::string> groups = {"system:masters"};
  std::string manager = "allot";  // of fields
  std::string uid = {};           // on the system; empty: not known
};

struct WriteOptions {
  bool dry_run = false;
  FieldValidation validation = FieldValidation::kIgnore;
  bool force = false;                        // of an apply
  std::vector<std::string> duplicates = {};  // fields that the body had twice: "data.k"
  std::vector<std::string>* warnings = nullptr;
};

struct DeleteOptions {
  bool dry_run = false;
  std::optional<std::string> uid = {}, resource_version = {};  // preconditions
  std::optional<int64_t> grace_seconds = {};
  std::string propagation = {};  // Orphan, Background, Foreground; empty: as the kind has it
  std::vector<std::string>* warnings = nullptr;
};

// Where a request goes.
struct Target {
  std::shared_ptr<const Kind> kind;
  std::string space = {}, name = {};
  std::string subresource = {};  // empty, "status", "scale", "ephemeralcontainers", ...
};

// An object that was read or written.
struct Answer {
  int code = 200;
  EntryPtr entry = {};    // null: nothing is stored under that name, or it was a dry run
  std::string json = {};  // empty: entry->json
  bool removed = false;   // of a delete, or of an update that took the last finalizer: the object is gone

  std::string_view text() const { return json.empty() && entry != nullptr ? std::string_view(entry->json) : std::string_view(json); }
};

class Api {
 public:
  virtual ~Api() = default;

  virtual std::shared_ptr<const Kinds> kinds() const = 0;
  // The built-in kinds and these. Called by the controller of definitions.
  virtual void SetCustomKinds(std::vector<std::shared_ptr<const Kind>> kinds) = 0;
  // A built-in kind: "pods", "resourceclaims.resource.k8s.io". REQUIRES that there is one.
  virtual std::shared_ptr<const Kind> BuiltIn(std::string_view resource) const = 0;
  virtual Store& store() = 0;

  virtual Result<Answer> Get(const Target& target) = 0;
  // `body` may be anything that was parsed. `target.name` is empty, or the name that the object must have.
  virtual Result<Answer> Create(const Caller& caller, const Target& target, const json::Value& body, const WriteOptions& options) = 0;
  virtual Result<Answer> Update(const Caller& caller, const Target& target, const json::Value& body, const WriteOptions& options) = 0;
  virtual Result<Answer> Patch(const Caller& caller, const Target& target, PatchType type, const json::Value& patch,
                               const WriteOptions& options) = 0;
  virtual Result<Answer> Delete(const Caller& caller, const Target& target, const DeleteOptions& options) = 0;

  // For controllers: reads the object, lets `change` make another of it, writes that; again where somebody else was faster. `change` may
  // return the object itself: then nothing is written. An error of `change` is returned.
  using ChangeFunction = std::function<Result<json::Value>(json::Editor&, const json::Value& object)>;
  virtual Result<Answer> Change(const Caller& caller, const Target& target, const ChangeFunction& change) = 0;
};

}  // namespace allot::apiserver

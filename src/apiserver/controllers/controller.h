#pragma once
// A controller moves one part of the cluster's state towards what the objects ask for.
//
// The loop calls Notice for every change; the controller adds the keys that it must look at again. Later the loop calls Reconcile for each
// key. What Reconcile does depends only on what is stored then, not on memory, so a controller may be stopped at any moment and continues
// after a restart.
// All controllers run on one thread.

#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "apiserver/api.h"
#include "apiserver/controllers/referrers.h"
#include "apiserver/controllers/stored.h"

namespace allot::apiserver {

// A change, or an object found in a full scan.
class Sight {
 public:
  Sight(EntryPtr entry, bool created, bool deleted) : entry_(std::move(entry)), created_(created), deleted_(deleted) {}

  const Key& key() const { return entry_->key; }
  bool Is(std::string_view resource) const { return entry_->key.resource == resource; }
  const std::string& uid() const { return entry_->uid; }
  bool created() const { return created_; }  // created, or found in a full scan
  bool deleted() const { return deleted_; }  // gone; the object is its last state
  // Whether the object's text contains this. Cheap; use it before parsing the tree.
  bool Mentions(std::string_view text) const {
    const std::string& json = entry_->json;
    return ::memmem(json.data(), json.size(), text.data(), text.size()) != nullptr;  // faster than find(), which stops at every quote
  }
  const Entry& entry() const { return *entry_; }
  // Parsed on first use.
  const json::Value& json() const { return tree().json(); }
  bool damaged() const { return tree().damaged(); }

 private:
  const Stored& tree() const {
    if (!tree_) tree_.emplace(entry_);
    return *tree_;
  }

  const EntryPtr entry_;
  const bool created_, deleted_;
  mutable std::optional<Stored> tree_;
};

// What controllers share.
struct World {
  Api& api;
  const Clock& clock;
  Referrers owners = {};                // the dependents of each owner, of all kinds
  std::function<void()> catch_up = {};  // notices everything stored so far

  Store& store() const { return api.store(); }
};

// When to reconcile a key again without a change; nullopt: never.
using Again = std::optional<std::chrono::nanoseconds>;

class Controller {
 public:
  // `name` is that of the controller's service account in kube-controller-manager: "job-controller".
  Controller(World& world, std::string_view name) : world_(world), name_(name) {
    caller_.user = StrCat("system:serviceaccount:kube-system:", name);
    caller_.groups = {"system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"};
    caller_.manager = "kube-controller-manager";
  }
  virtual ~Controller() = default;
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  const std::string& name() const { return name_; }
  void SendKeysTo(std::function<void(const Key&)> add) { add_ = std::move(add); }

  virtual void Notice(const Sight& sight) = 0;
  // Discards remembered state after changes were missed. Every object is noticed again afterwards.
  virtual void Forget() {}
  // After an error the key is retried, with growing pauses.
  virtual Result<Again> Reconcile(const Key& key) = 0;

 protected:
  void Add(const Key& key) const { add_(key); }
  World& world() const { return world_; }
  Api& api() const { return world_.api; }
  Store& store() const { return world_.api.store(); }
  WallTime Now() const { return world_.clock.Now(); }
  const Caller& caller() const { return caller_; }

  // Returns the object's target for a write. REQUIRES: a built-in kind.
  Target TargetOf(const Key& key, std::string_view subresource = "") const {
    return {api().BuiltIn(key.resource), key.space, key.name, std::string(subresource)};
  }
  // Changes the object, unless it is gone or replaced. Writes nothing if `change` returns the object itself.
  Status Change(const Target& target, const std::string& uid, const Api::ChangeFunction& change) const;
  // Deletes the object, unless it is gone or replaced. The garbage collector deletes its dependents.
  Status Delete(const Target& target, const std::string& uid, std::optional<int64_t> grace_seconds = {}) const;
  // Creates the object and returns it.
  Result<Stored> Create(std::string_view resource, std::string_view space, const json::Value& object) const;

 private:
  World& world_;
  const std::string name_;
  Caller caller_;
  std::function<void(const Key&)> add_ = [](const Key&) {};
};

// Whether the error is that the object does not exist.
inline bool IsGone(const Status& status) { return HasReason(status, "NotFound"); }
// Turns the error that the object does not exist into ok.
inline Status UnlessGone(Status status) { return IsGone(status) ? Status() : std::move(status); }

}  // namespace allot::apiserver

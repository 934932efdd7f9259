#pragma once
// A controller: brings one part of the world to what the objects ask for.
//
// It is told of every change (Notice) and adds the keys that it should look at again; later it is asked to look at each (Reconcile). What
// it does depends on what is stored when it looks, never on what it remembers: it may be stopped at any moment, and the next one goes on.
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

// A change, or an object that was found when everything was looked at.
class Sight {
 public:
  Sight(EntryPtr entry, bool created, bool deleted) : entry_(std::move(entry)), created_(created), deleted_(deleted) {}

  const Key& key() const { return entry_->key; }
  bool Is(std::string_view resource) const { return entry_->key.resource == resource; }
  const std::string& uid() const { return entry_->uid; }
  bool created() const { return created_; }  // or found
  bool deleted() const { return deleted_; }  // gone; the object is its last state
  // Whether the text has this in it: a cheap question before a costly look at the tree.
  bool Mentions(std::string_view text) const {
    const std::string& json = entry_->json;
    return ::memmem(json.data(), json.size(), text.data(), text.size()) != nullptr;  // find() stops at every quote
  }
  const Entry& entry() const { return *entry_; }
  // Parsed when it is first asked for.
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

// What controllers work on.
struct World {
  Api& api;
  const Clock& clock;
  Referrers owners = {};                // the dependents of each owner, of all kinds
  std::function<void()> catch_up = {};  // notices all that is stored by now

  Store& store() const { return api.store(); }
};

// When a key should be looked at again, though nothing changed; nothing: not then.
using Again = std::optional<std::chrono::nanoseconds>;

class Controller {
 public:
  // `name` is that of kube-controller-manager's service account for it: "job-controller".
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
  // What was remembered may be wrong: changes were missed. Everything is noticed anew afterwards.
  virtual void Forget() {}
  // An error: the key comes again, later each time.
  virtual Result<Again> Reconcile(const Key& key) = 0;

 protected:
  void Add(const Key& key) const { add_(key); }
  World& world() const { return world_; }
  Api& api() const { return world_.api; }
  Store& store() const { return world_.api.store(); }
  WallTime Now() const { return world_.clock.Now(); }
  const Caller& caller() const { return caller_; }

  // The object's place, for writing. REQUIRES a built-in kind.
  Target TargetOf(const Key& key, std::string_view subresource = "") const {
    return {api().BuiltIn(key.resource), key.space, key.name, std::string(subresource)};
  }
  // Changes the object, unless it is gone or another one by now. A change that returns the object itself writes nothing.
  Status Change(const Target& target, const std::string& uid, const Api::ChangeFunction& change) const;
  // Deletes the object, unless it is gone or another one by now. Its dependents follow.
  Status Delete(const Target& target, const std::string& uid, std::optional<int64_t> grace_seconds = {}) const;
  // Makes it, and returns the object.
  Result<Stored> Create(std::string_view resource, std::string_view space, const json::Value& object) const;

 private:
  World& world_;
  const std::string name_;
  Caller caller_;
  std::function<void(const Key&)> add_ = [](const Key&) {};
};

// The object is not there (any more).
inline bool IsGone(const Status& status) { return HasReason(status, "NotFound"); }
// Ok where it was only gone.
inline Status UnlessGone(Status status) { return IsGone(status) ? Status() : std::move(status); }

}  // namespace allot::apiserver

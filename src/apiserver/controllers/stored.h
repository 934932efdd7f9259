#pragma once
// Stored objects as controllers read them, and helpers for metadata.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/store/store.h"
#include "base/clock.h"
#include "json/editor.h"

namespace allot::apiserver {

// One version of an object, with its tree. A damaged object exists too, with a null tree: callers must not treat it as gone.
class Stored {
 public:
  explicit Stored(EntryPtr entry);

  bool damaged() const { return document_.root().IsNull(); }

  const Key& key() const { return entry_->key; }
  const std::string& uid() const { return entry_->uid; }
  const Entry& entry() const { return *entry_; }
  const json::Value& json() const { return document_.root(); }
  const json::Value& metadata() const { return json()["metadata"]; }
  const json::Value& spec() const { return json()["spec"]; }
  const json::Value& status() const { return json()["status"]; }

 private:
  EntryPtr entry_;
  json::Document document_;
};

// Returns nullopt if the object does not exist.
std::optional<Stored> Read(const Store& store, const Key& key);

// Write and read "resource/space/name". No part of a key has a slash.
std::string WriteKey(const Key& key);
Key ReadKey(std::string_view text);

bool IsDeleting(const json::Value& object);
bool HasFinalizer(const json::Value& object, std::string_view finalizer);
// Returns the object itself if it lacks the finalizer.
json::Value WithoutFinalizer(json::Editor& edit, const json::Value& object, std::string_view finalizer);
json::Value WithFinalizer(json::Editor& edit, const json::Value& object, std::string_view finalizer);

// Returns the controller among the owner references, or nullptr.
const json::Value* ControllerOf(const json::Value& object);
bool IsControlledBy(const json::Value& object, std::string_view uid);
// Makes an owner reference of a controller, with blockOwnerDeletion.
json::Value ControllerReference(json::Editor& edit, const json::Value& owner);
// Returns the object without its references to the owner; the object itself if it has none.
json::Value WithoutOwner(json::Editor& edit, const json::Value& object, std::string_view uid);

// Returns the whole number, or `other` if the value is not one.
int64_t IntOr(const json::Value& value, int64_t other);
// Returns nullopt if the value is not a time.
std::optional<WallTime> TimeOf(const json::Value& value);
json::Value TimeValue(json::Editor& edit, WallTime time);

// Sets the number, or removes the field if it is 0, as Go's omitempty does.
json::Value SetCount(json::Editor& edit, const json::Value& object, std::string_view key, int64_t count);

}  // namespace allot::apiserver

#pragma once
// Stored objects as controllers read them, and the parts of metadata that controllers care about.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/store/store.h"
#include "base/clock.h"
#include "json/editor.h"

namespace allot::apiserver {

// One version of an object, with its tree. What is stored but damaged is there all the same, with a tree that is null: who counts on it
// must not take it for gone.
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

// Nothing: it is not there.
std::optional<Stored> Read(const Store& store, const Key& key);

// "resource/space/name" and back. No part of a key has a slash.
std::string WriteKey(const Key& key);
Key ReadKey(std::string_view text);

bool IsDeleting(const json::Value& object);
bool HasFinalizer(const json::Value& object, std::string_view finalizer);
// The object itself where it does not have the finalizer.
json::Value WithoutFinalizer(json::Editor& edit, const json::Value& object, std::string_view finalizer);
json::Value WithFinalizer(json::Editor& edit, const json::Value& object, std::string_view finalizer);

// The owner that manages the object; nullptr: nobody does.
const json::Value* ControllerOf(const json::Value& object);
bool IsControlledBy(const json::Value& object, std::string_view uid);
// An owner reference of a controller, which deletion in the foreground waits for.
json::Value ControllerReference(json::Editor& edit, const json::Value& owner);
// The object without its references to the owner; itself where it has none.
json::Value WithoutOwner(json::Editor& edit, const json::Value& object, std::string_view uid);

// A whole number; `other` where the value is none.
int64_t IntOr(const json::Value& value, int64_t other);
bool IsTrue(const json::Value& value);
// Nothing for what is no time.
std::optional<WallTime> TimeOf(const json::Value& value);
json::Value TimeValue(json::Editor& edit, WallTime time);

// Sets the number, or leaves it out when it is 0, as Go does.
json::Value SetCount(json::Editor& edit, const json::Value& object, std::string_view key, int64_t count);

}  // namespace allot::apiserver

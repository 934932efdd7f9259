#include "apiserver/controllers/stored.h"

#include <algorithm>

#include "json/json.h"
#include "kube/timestamp.h"

namespace allot::apiserver {

namespace {

json::Document Parsed(const std::string& text) {
  Result<json::Document> document = json::Parse(text);
  return document.ok() ? *std::move(document) : json::Document();
}

// Sets a list in the object's metadata, or removes it if the list is empty.
json::Value SetList(json::Editor& edit, const json::Value& object, std::string_view key, const std::vector<json::Value>& items) {
  if (items.empty()) return edit.WithoutAt(object, {"metadata", key});
  return edit.SetAt(object, {"metadata", key}, edit.Array(items));
}

}  // namespace

Stored::Stored(EntryPtr entry) : entry_(std::move(entry)), document_(Parsed(entry_->json)) {}

std::optional<Stored> Read(const Store& store, const Key& key) {
  EntryPtr entry = store.Get(key);
  if (entry == nullptr) return std::nullopt;
  return Stored(std::move(entry));
}

std::string WriteKey(const Key& key) { return StrCat(key.resource, "/", key.space, "/", key.name); }

Key ReadKey(std::string_view text) {
  const size_t first = text.find('/');
  const size_t second = text.find('/', first + 1);
  CHECK(first != std::string_view::npos && second != std::string_view::npos);
  return {std::string(text.substr(0, first)), std::string(text.substr(first + 1, second - first - 1)),
          std::string(text.substr(second + 1))};
}

bool IsDeleting(const json::Value& object) { return !object["metadata"]["deletionTimestamp"].IsNull(); }

bool HasFinalizer(const json::Value& object, std::string_view finalizer) {
  const auto items = json::ItemsOf(object["metadata"]["finalizers"]);
  return std::any_of(items.begin(), items.end(), [&](const json::Value& one) { return json::TextOf(one) == finalizer; });
}

json::Value WithoutFinalizer(json::Editor& edit, const json::Value& object, std::string_view finalizer) {
  if (!HasFinalizer(object, finalizer)) return object;
  std::vector<json::Value> kept;
  for (const json::Value& one : json::ItemsOf(object["metadata"]["finalizers"])) {
    if (json::TextOf(one) != finalizer) kept.push_back(one);
  }
  return SetList(edit, object, "finalizers", kept);
}

json::Value WithFinalizer(json::Editor& edit, const json::Value& object, std::string_view finalizer) {
  if (HasFinalizer(object, finalizer)) return object;
  return edit.SetAt(object, {"metadata", "finalizers"}, edit.Append(object["metadata"]["finalizers"], edit.String(finalizer)));
}

const json::Value* ControllerOf(const json::Value& object) {
  for (const json::Value& owner : json::ItemsOf(object["metadata"]["ownerReferences"])) {
    if (json::IsTrue(owner["controller"])) return &owner;
  }
  return nullptr;
}

bool IsControlledBy(const json::Value& object, std::string_view uid) {
  const json::Value* owner = ControllerOf(object);
  return owner != nullptr && json::TextOf((*owner)["uid"]) == uid;
}

json::Value ControllerReference(json::Editor& edit, const json::Value& owner) {
  const auto text = [&](const json::Value& value) { return edit.String(json::TextOf(value)); };
  return edit.Object({{"apiVersion", text(owner["apiVersion"])},
                      {"kind", text(owner["kind"])},
                      {"name", text(owner["metadata"]["name"])},
                      {"uid", text(owner["metadata"]["uid"])},
                      {"controller", edit.Bool(true)},
                      {"blockOwnerDeletion", edit.Bool(true)}});
}

json::Value WithoutOwner(json::Editor& edit, const json::Value& object, std::string_view uid) {
  const auto owners = json::ItemsOf(object["metadata"]["ownerReferences"]);
  std::vector<json::Value> kept;
  for (const json::Value& owner : owners) {
    if (json::TextOf(owner["uid"]) != uid) kept.push_back(owner);
  }
  return kept.size() == owners.size() ? object : SetList(edit, object, "ownerReferences", kept);
}

int64_t IntOr(const json::Value& value, int64_t other) { return value.IsNumber() ? value.AsInt64().value_or(other) : other; }

std::optional<WallTime> TimeOf(const json::Value& value) { return kube::ParseTime(json::TextOf(value)); }

json::Value TimeValue(json::Editor& edit, WallTime time) { return edit.String(kube::WriteTime(time)); }

json::Value SetCount(json::Editor& edit, const json::Value& object, std::string_view key, int64_t count) {
  return count == 0 ? edit.Without(object, key) : edit.Set(object, key, edit.Int(count));
}

}  // namespace allot::apiserver

#pragma once
// Copies objects compactly: parts that many objects have in common are stored once.
//
// The Pods of a cluster share most of their text and whole lists (tolerations, projected volumes, conditions). A text, list or object is
// shared from the second time it is seen, so unique values (uids, times) do not fill the pool.
//
// Not thread-safe. Objects may outlive the pool: they keep the shared memory alive.

#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "json/builder.h"
#include "kube/object.h"

namespace allot::kube {

class ObjectPool {
 public:
  // Adds nothing to the pool beyond `max_bytes`.
  explicit ObjectPool(size_t max_bytes = 16 << 20) : max_bytes_(max_bytes), shared_(std::make_shared<Shared>()) {}

  // Copies `value` without the named member of metadata. REQUIRES: an object.
  ObjectPtr Copy(const json::Value& value, std::string_view without_metadata);

  size_t shared_bytes() const { return shared_->bytes; }

 private:
  struct Shared {
    json::Arena arena;
    std::unordered_set<std::string_view> keys;
    std::unordered_multimap<uint64_t, json::Value> values;  // strings, lists and objects, by hash
    size_t bytes = 0;
  };
  // What Look found about a value and the values inside it.
  struct Found {
    uint64_t hash;
    size_t own;  // bytes that are not shared
  };

  // Walks the tree and records in notes_, in the order of the walk, which values are shared.
  Found Look(const json::Value& value, std::string_view left_out = {}, bool is_root = false);
  // Copies `value` using the notes from `note` on. Returns the index after its last note.
  size_t Write(json::Builder& builder, const json::Value& value, size_t note, std::string_view left_out = {}, bool is_root = false) const;
  const json::Value* Find(uint64_t hash, const json::Value& value) const;
  // Adds the key to the pool if possible. Returns whether the pool has it.
  bool ShareKey(std::string_view text);
  bool SeenBefore(uint64_t hash);

  const size_t max_bytes_;
  std::shared_ptr<Shared> shared_;
  std::vector<const json::Value*> notes_;  // nullptr: copy the value
  std::vector<uint32_t> seen_;             // a table of recently seen hashes
};

}  // namespace allot::kube
